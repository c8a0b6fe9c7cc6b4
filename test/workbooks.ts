// Small workbooks in tests: XLSX and ODS with the parts that a test gives them.
import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'

/** A ZIP archive of some files. */
export async function zipped(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content as string), name)
  zip.end()
  return buffer(zip.outputStream)
}

type TestSheet = { name: string; state?: string; rows: string }

const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relation = (id: number, type: string, target: string) =>
  `<Relationship Id="rId${id}" Type="${types}/${type}" Target="${target}"/>`
const relations = (all: readonly string[]) => `<Relationships>${all.join('')}</Relationships>`

/** `rows`: the content of each sheet's `sheetData`; `texts`: shared ones; `formats`: of the styles 1, 2, and so on. */
export function xlsx(
  sheets: readonly TestSheet[],
  { texts = [], formats = [], more = {} }: { texts?: string[]; formats?: string[]; more?: Record<string, string> } = {},
): Promise<Buffer> {
  const list = sheets.map(
    ({ name, state }, at) =>
      `<sheet name="${name}" sheetId="${at + 1}"${state ? ` state="${state}"` : ''} r:id="rId${at + 1}"/>`,
  )
  const codes = formats.map((code, at) => `<numFmt numFmtId="${at + 164}" formatCode="${code}"/>`)
  const styles = formats.map((_, at) => `<xf numFmtId="${at + 164}"/>`)
  const parts = sheets.map(({ rows }, at) => [
    `xl/worksheets/sheet${at + 1}.xml`,
    `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  ])
  return zipped({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations([relation(1, 'officeDocument', 'xl/workbook.xml')]),
    'xl/workbook.xml': `<workbook xmlns:r="r"><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...sheets.map((_, at) => relation(at + 1, 'worksheet', `worksheets/sheet${at + 1}.xml`)),
      relation(901, 'sharedStrings', '/xl/sharedStrings.xml'),
      relation(902, 'styles', 'styles.xml'),
    ]),
    'xl/sharedStrings.xml': `<sst>${texts.map((text) => `<si>${text}</si>`).join('')}</sst>`,
    'xl/styles.xml': `<styleSheet><numFmts>${codes.join('')}</numFmts>
<cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
    ...Object.fromEntries(parts),
    ...more,
  })
}

/** A row of texts, or of other cells as they are. */
export function row(number: number, cells: readonly string[]): string {
  const content = cells.map((cell) => (cell.startsWith('<c') ? cell : `<c t="inlineStr"><is><t>${cell}</t></is></c>`))
  return `<row r="${number}">${content.join('')}</row>`
}

/** `tables`: the content of `office:spreadsheet`; `styles`: of `office:automatic-styles`. */
export function ods(tables: string, { styles = '', manifest = '' } = {}): Promise<Buffer> {
  const content = `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles>
<office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`
  return zipped({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': content,
    'META-INF/manifest.xml': `<manifest:manifest>${manifest}</manifest:manifest>`,
  })
}
