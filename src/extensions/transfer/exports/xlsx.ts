// Rows as a workbook of one sheet, sent while they are read. Texts stay texts: a code keeps its zeros, and nothing that
// looks like a formula is one.
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'

export type SheetCell = string | number

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const types = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const parts = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** All parts but the sheets, whose names these are. */
function buildParts(names: readonly string[]): Record<string, string> {
  const each = (write: (name: string, number: number) => string) =>
    names.map((name, at) => write(name, at + 1)).join('')
  const sheetType = `${parts}.worksheet+xml`
  return {
    '[Content_Types].xml': `<Types xmlns="${packages}/content-types">
<Default Extension="xml" ContentType="application/xml"/>
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/xl/workbook.xml" ContentType="${parts}.sheet.main+xml"/>${each(
      (_, n) => `\n<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${sheetType}"/>`,
    )}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${packages}/relationships">
<Relationship Id="rId1" Type="${types}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${types}">
<sheets>${each((name, n) => `<sheet name="${name}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}/relationships">${each(
      (_, n) => `\n<Relationship Id="rId${n}" Type="${types}/worksheet" Target="worksheets/sheet${n}.xml"/>`,
    )}</Relationships>`,
  }
}

/** The same rows are the same file, whenever they are exported. */
const entry = { mtime: new Date('2026-01-01T00:00:00Z'), forceDosTimestamp: true }

export function writeXlsx(pages: AsyncIterable<readonly (readonly SheetCell[])[]>): AsyncIterable<Buffer> {
  const zip = new ZipFile()
  const omissions: string[] = []
  const sheet = Readable.from(writeSheet(pages, omissions))
  const output = Readable.from(zip.outputStream as Readable)
  sheet.on('error', (error) => output.destroy(error))
  output.on('close', () => sheet.destroy())
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml', entry)
  // Only then it is known if there is a second sheet.
  sheet.on('end', () => {
    const add = (name: string, content: string) => zip.addBuffer(Buffer.from(head + content), name, entry)
    const names = omissions.length > 0 ? ['Export', 'Left out'] : ['Export']
    if (omissions.length > 0) {
      const rows = omissions.map((text, at) => writeRow([text], at + 1)).join('')
      add('xl/worksheets/sheet2.xml', `<worksheet xmlns="${main}"><sheetData>${rows}</sheetData></worksheet>`)
    }
    for (const [name, content] of Object.entries(buildParts(names))) add(name, content)
    zip.end()
  })
  return output
}

async function* writeSheet(
  pages: AsyncIterable<readonly (readonly SheetCell[])[]>,
  omissions: string[],
): AsyncGenerator<string> {
  yield `${head}<worksheet xmlns="${main}"><sheetData>`
  let line = 0
  let columns: readonly SheetCell[] = []
  for await (const rows of pages) {
    if (line === 0) columns = rows[0] ?? []
    const fitting = rows.map((cells, at) => omitLongCells(cells, columns, { line: line + at + 1, omissions }))
    yield fitting.map((cells) => writeRow(cells, ++line)).join('')
  }
  yield '</sheetData></worksheet>'
}

/** A cell of a workbook has no more, and one that is cut would be imported so. */
const maxCellLength = 32_767

const maxOmissions = 10_000

function omitLongCells(
  cells: readonly SheetCell[],
  columns: readonly SheetCell[],
  { line, omissions }: { line: number; omissions: string[] },
): readonly SheetCell[] {
  if (!cells.some((cell) => String(cell).length > maxCellLength)) return cells
  return cells.map((cell, at) => {
    const { length } = String(cell)
    if (length <= maxCellLength) return cell
    const reason = `${length} characters are more than the ${maxCellLength} of a cell. The CSV has them`
    if (omissions.length < maxOmissions) omissions.push(`Row ${line}, ${columns[at]}: ${reason}`)
    return ''
  })
}

function writeRow(cells: readonly SheetCell[], line: number): string {
  const content = cells.map((cell, column) => {
    if (cell === '') return ''
    const place = `r="${nameColumn(column)}${line}"`
    return typeof cell === 'number'
      ? `<c ${place}><v>${cell}</v></c>`
      : `<c ${place} t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`
  })
  return `<row r="${line}">${content.join('')}</row>`
}

/** 27 is `AB`. */
function nameColumn(column: number): string {
  const rest = Math.floor(column / 26)
  return (rest > 0 ? nameColumn(rest - 1) : '') + String.fromCharCode(65 + (column % 26))
}

const marks: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Signs that XML cannot have, and what looks like one of them, are written by their number. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replaceAll(/[\0-\u0008\u000B-\u001F\uFFFE\uFFFF]/g, (sign) => {
      return `_x${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`
    })
    .replaceAll(/[&<>]/g, (mark) => marks[mark]!)
}
