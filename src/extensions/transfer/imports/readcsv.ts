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

/** The first row names the columns. */
export async function tabulate(
  records: AsyncGenerator<FileRow, undefined>,
): Promise<Pick<FileTable, 'columns' | 'rows'>> {
  const { value: first } = await records.next()
  if (!first) throw invalid(fault('file', importFaults.file_empty))
  const columns = columnsNamed(first.cells)
  return { columns, rows: padRows(records, columns.length) }
}

/** The delimiter that the header has most of, outside quotes. */
function detectDelimiter(head: string): Delimiter {
  const header = head.replaceAll(/"[^"]*"/g, '').split(/\r?\n/, 1)[0]!
  const signs = Object.keys(plainEnds) as Delimiter[]
  const counts = signs.map((sign): [Delimiter, number] => [sign, header.split(sign).length])
  return counts.toSorted((a, b) => b[1] - a[1])[0]![0]
}

async function* padRows(records: AsyncGenerator<FileRow, undefined>, width: number): AsyncGenerator<FileRow> {
  let count = 0
  for await (const { line, cells } of records) {
    if (++count > maxRows) throw tooManyRows()
    const whole = cells.slice(0, width)
    while (whole.length < width) whole.push('')
    yield { line, cells: whole }
  }
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
  /** Characters of the row so far. */
  length: number
  wasReturn: boolean
}

function beginScan(delimiter: Delimiter): Scan {
  return { delimiter, place: 'plain', cell: '', cells: [], line: 1, began: 1, length: 0, wasReturn: false }
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
  if (scan.place === 'quoted') throw notCsv(scan, 'a quote is not closed')
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
  if (scan.place === 'after_quote') scan.cell += '"'
  else if (scan.cell !== '') throw notCsv(scan, 'a quote begins in the middle of a cell')
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

function notCsv({ line }: Scan, reason: string) {
  return invalid(fault('file', importFaults.not_csv, { line, reason }))
}
