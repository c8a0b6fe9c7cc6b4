// CSV (RFC 4180) with commas, semicolons or tabs, whose lines end in any way. Reading ends at the first fault or limit,
// in the middle of a row too.
import { invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { importFaults } from './errors.ts'
import {
  columnsNamed,
  maxColumns,
  maxRowLength,
  maxRows,
  rowTooLong,
  tooManyColumns,
  tooManyRows,
  type FileRow,
  type FileTable,
} from './table.ts'
import type { FileText } from './text.ts'

/** Spreadsheets may end a row with a delimiter for each of their columns. */
const maxCells = 16_384

/** The signs that end a cell without quotes. */
const plainEnds = { ',': /[,"\r\n]/g, ';': /[;"\r\n]/g, '\t': /[\t"\r\n]/g }
type Delimiter = keyof typeof plainEnds

export async function readCsv({ head, pieces }: FileText): Promise<FileTable> {
  const delimiter = detectDelimiter(head)
  const table = await tabulate(scanRecords(pieces(), delimiter))
  return { ...table, isDecimalComma: delimiter === ';', isCsv: true }
}

/** The first row names the columns, unless titles are above it. */
export async function tabulate(
  records: AsyncGenerator<FileRow, undefined>,
): Promise<Pick<FileTable, 'columns' | 'rows'>> {
  const beginning = await readBeginning(records)
  const header = beginning.shift()
  if (!header) throw invalid(fault('file', importFaults.file_empty))
  const columns = columnsNamed(header.cells)
  return { columns, rows: padRows(beginning, records, { width: columns.length, headerWidth: header.cells.length }) }
}

/** A first line for spreadsheets, which names the delimiter. */
const delimiterLine = /^sep=(.?)/i

/** The delimiter that the first line with any has most of, outside quotes. */
function detectDelimiter(head: string): Delimiter {
  const signs = Object.keys(plainEnds) as Delimiter[]
  const lines = head.replaceAll(/"[^"]*"/g, '').split(/\r\n?|\n/, maxTitles)
  const sign = delimiterLine.exec(lines[0]!.trim())?.[1]
  if (signs.some((one) => one === sign)) return sign as Delimiter
  const header = lines.find((line) => signs.some((one) => line.includes(one))) ?? ''
  const counts = signs.map((one): [Delimiter, number] => [one, header.split(one).length])
  return counts.toSorted((a, b) => b[1] - a[1])[0]![0]
}

/** Titles that a file can have above its header. */
const maxTitles = 5

/** The header, and what was read to find it: a title has one cell, and the names of columns under it. */
async function readBeginning(records: AsyncGenerator<FileRow, undefined>): Promise<FileRow[]> {
  const beginning: FileRow[] = []
  while (beginning.length <= maxTitles) {
    const { value: row } = await records.next()
    if (!row) break
    beginning.push(row)
    if (row.line === 1 && delimiterLine.test(row.cells[0]!.trim())) beginning.pop()
    else if (countTexts(row) > 1) break
  }
  const last = beginning.at(-1)
  return last && beginning.length > 1 && isHeader(last) ? [last] : beginning
}

const countTexts = ({ cells }: FileRow) => cells.filter((cell) => cell.trim() !== '').length

function isHeader({ cells }: FileRow): boolean {
  const names = cells.map((cell) => cell.trim()).filter((cell) => cell !== '')
  return names.length > 1 && new Set(names).size === names.length && names.every((name) => /^[^\d]/.test(name))
}

type Widths = { width: number; headerWidth: number }

/** At the end, cells under an empty header are left out; any behind it are kept, so that the row tells of them. */
async function* padRows(
  beginning: readonly FileRow[],
  records: AsyncGenerator<FileRow, undefined>,
  { width, headerWidth }: Widths,
): AsyncGenerator<FileRow> {
  let count = 0
  const pad = ({ line, cells }: FileRow): FileRow => {
    if (++count > maxRows) throw tooManyRows()
    const excess = cells.slice(headerWidth).some((cell) => cell.trim() !== '') ? cells.slice(headerWidth) : []
    const whole = [...cells.slice(0, width), ...excess]
    while (whole.length < width) whole.push('')
    return { line, cells: whole }
  }
  for (const row of beginning) yield pad(row)
  for await (const row of records) yield pad(row)
}

/** Rows without any text are left out. */
async function* scanRecords(pieces: AsyncIterable<string>, delimiter: Delimiter): AsyncGenerator<FileRow, undefined> {
  const scan = beginScan(delimiter)
  let blank = 0
  const isBlank = ({ cells }: FileRow) => cells.every((cell) => cell.trim() === '')
  for await (const piece of pieces) {
    for (const row of scanPiece(scan, piece)) {
      if (!isBlank(row)) yield row
      else if (++blank > maxRows) throw tooManyRows()
    }
  }
  const last = endScan(scan)
  if (last && !isBlank(last)) yield last
  return undefined
}

type Scan = {
  delimiter: Delimiter
  /** In a cell without quotes, within quotes, or behind one that ends them or is the first of two. */
  place: 'plain' | 'quoted' | 'after_quote'
  cell: string
  cells: string[]
  line: number
  /** The line where the row began. */
  began: number
  /** The line of the last quote that begins a cell. */
  quoted: number
  /** Characters of the row so far. */
  length: number
  wasReturn: boolean
}

function beginScan(delimiter: Delimiter): Scan {
  return { delimiter, place: 'plain', cell: '', cells: [], line: 1, began: 1, quoted: 1, length: 0, wasReturn: false }
}

/** The rows that end in this piece. */
function* scanPiece(scan: Scan, piece: string): Generator<FileRow> {
  for (let at = 0; at < piece.length;) {
    if (scan.place === 'quoted') {
      at = takeQuoted(scan, piece, at)
      continue
    }
    const sign = piece[at]!
    const isSecond = scan.wasReturn && sign === '\n'
    scan.wasReturn = sign === '\r'
    if (sign === scan.delimiter) endCell(scan)
    else if (sign === '"') takeQuote(scan)
    else if (sign === '\n' || sign === '\r') {
      if (!isSecond) yield endRow(scan)
    } else {
      at = takePlain(scan, piece, at)
      continue
    }
    grow(scan, 1)
    at++
  }
}

function endScan(scan: Scan): FileRow | null {
  if (scan.place === 'quoted') throw notCsv({ line: scan.quoted }, 'a quote is not closed')
  return scan.cells.length > 0 || scan.cell !== '' ? endRow(scan) : null
}

function endRow(scan: Scan): FileRow {
  endCell(scan)
  const row = { line: scan.began, cells: scan.cells }
  scan.line++
  Object.assign(scan, { cells: [], began: scan.line, length: 0 })
  return row
}

function endCell(scan: Scan): void {
  scan.cells.push(scan.cell)
  const { length } = scan.cells
  if (length > maxColumns && (scan.cell !== '' || length > maxCells)) throw tooManyColumns()
  scan.cell = ''
  scan.place = 'plain'
}

function takeQuoted(scan: Scan, piece: string, from: number): number {
  const to = append(scan, piece, from, piece.indexOf('"', from))
  for (let at = piece.indexOf('\n', from); at !== -1 && at < to; at = piece.indexOf('\n', at + 1)) scan.line++
  if (to === piece.length) return to
  scan.place = 'after_quote'
  grow(scan, 1)
  return to + 1
}

function takePlain(scan: Scan, piece: string, from: number): number {
  if (scan.place === 'after_quote') throw notCsv(scan, 'a quote in a quoted cell is not doubled')
  const end = plainEnds[scan.delimiter]
  end.lastIndex = from
  return append(scan, piece, from, end.exec(piece)?.index ?? -1)
}

function takeQuote(scan: Scan): void {
  if (scan.place === 'plain' && scan.cell.trim() !== '') {
    // Inches, in a cell without quotes around it.
    scan.cell += '"'
    return
  }
  if (scan.place === 'after_quote') scan.cell += '"'
  else Object.assign(scan, { cell: '', quoted: scan.line })
  scan.place = 'quoted'
}

/** Appends the text up to the next sign that means something; returns its position. */
function append(scan: Scan, piece: string, from: number, end: number): number {
  const to = end === -1 ? piece.length : end
  scan.cell += piece.slice(from, to)
  grow(scan, to - from)
  return to
}

function grow(scan: Scan, by: number): void {
  scan.length += by
  if (scan.length > maxRowLength) throw rowTooLong(scan.began)
}

function notCsv({ line }: Pick<Scan, 'line'>, reason: string) {
  return invalid(fault('file', importFaults.not_csv, { line, reason }))
}
