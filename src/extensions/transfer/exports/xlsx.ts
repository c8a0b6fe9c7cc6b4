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

const files: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${packages}/content-types">
<Default Extension="xml" ContentType="application/xml"/>
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Override PartName="/xl/workbook.xml" ContentType="${parts}.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${parts}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packages}/relationships">
<Relationship Id="rId1" Type="${types}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${types}">
<sheets><sheet name="Export" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packages}/relationships">
<Relationship Id="rId1" Type="${types}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
}

/** The same rows are the same file, whenever they are exported. */
const entry = { mtime: new Date('2026-01-01T00:00:00Z'), forceDosTimestamp: true }

export function writeXlsx(pages: AsyncIterable<readonly (readonly SheetCell[])[]>): AsyncIterable<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(head + content), name, entry)
  const sheet = Readable.from(writeSheet(pages))
  const output = Readable.from(zip.outputStream as Readable)
  sheet.on('error', (error) => output.destroy(error))
  output.on('close', () => sheet.destroy())
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml', entry)
  zip.end()
  return output
}

async function* writeSheet(pages: AsyncIterable<readonly (readonly SheetCell[])[]>): AsyncGenerator<string> {
  yield `${head}<worksheet xmlns="${main}"><sheetData>`
  let line = 0
  for await (const rows of pages) yield rows.map((cells) => writeRow(cells, ++line)).join('')
  yield '</sheetData></worksheet>'
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
