// A file as a table: its columns, and its rows with their lines. CSV with commas, semicolons or tabs, or JSONL, whose
// columns are the names of its objects. Nothing is kept of a file that cannot be read whole.
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { invalid } from '../../kit/values/errors.ts'
import { fault } from '../../kit/values/faults.ts'
import { isStorable } from '../../kit/declare/storable.ts'
import { importFaults } from './errors.ts'

export const maxFileBytes = 50_000_000
const maxColumns = 250
const maxRows = 500_000

export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type Encoding = (typeof encodings)[number]

export type FileRow = { line: number; cells: string[] }
/** `rows` can be read once. */
export type FileTable = { columns: string[]; isDecimalComma: boolean; isCsv: boolean; rows: AsyncIterable<FileRow> }

export async function readTable(bytes: Buffer, encoding?: Encoding): Promise<FileTable> {
  refuseBinary(bytes)
  const text = decode(bytes, encoding)
  return /^\s*\{/.test(text.slice(0, 1000)) ? readJsonl(text) : readCsv(text)
}

function refuseBinary(bytes: Buffer): void {
  // Spreadsheets (.xlsx, .ods, .numbers) are ZIP archives; old ones (.xls) begin with D0 CF.
  const isArchive = bytes.subarray(0, 2).toString('latin1') === 'PK' || bytes.readUInt16BE(0) === 0xd0cf
  if (isArchive || bytes.readUInt16BE(0) === 0x1f8b) throw invalid(fault('file', importFaults.is_archive))
}

function decode(bytes: Buffer, requested: Encoding | undefined): string {
  const encoding = markedEncoding(bytes) ?? requested ?? 'utf-8'
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    if (text.includes('\0')) throw invalid(fault('file', importFaults.is_binary))
    return text
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw invalid(fault('file', importFaults.not_utf8, placeOfFirstFault(bytes)))
  }
}

/** The encoding that a byte order mark names. */
function markedEncoding(bytes: Buffer): Encoding | null {
  if (bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]))) return 'utf-8'
  if (bytes.readUInt16BE(0) === 0xfffe) return 'utf-16le'
  return bytes.readUInt16BE(0) === 0xfeff ? 'utf-16be' : null
}

/** A replacement character in the decoded text that no bytes of the file stand for. */
function placeOfFirstFault(bytes: Buffer): { line: number; column: number } {
  const written = bytes.indexOf('\uFFFD')
  const text = new TextDecoder('utf-8').decode(written === -1 ? bytes : bytes.subarray(0, written))
  const at = text.indexOf('\uFFFD')
  const before = text.slice(0, Math.max(0, at))
  return { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') }
}

async function readCsv(text: string): Promise<FileTable> {
  const delimiter = delimiterOf(text)
  const parser = Readable.from(slices(text), { objectMode: false }).pipe(
    parse({
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    }),
  )
  const records = parser[Symbol.asyncIterator]() as AsyncIterator<CsvRecord>
  const first = await nextOf(records)
  if (!first) throw invalid(fault('file', importFaults.file_empty))
  const columns = headerOf(first.record)
  const rows = rowsOf(records, first.info.lines, columns.length)
  return { columns, isDecimalComma: delimiter === ';', isCsv: true, rows }
}

type CsvRecord = { record: string[]; info: { lines: number } }

/** A row begins on the line after the one where the row before it ended. */
async function* rowsOf(records: AsyncIterator<CsvRecord>, headerEnd: number, width: number): AsyncGenerator<FileRow> {
  let end = headerEnd
  for (let count = 0; ; count++) {
    const next = await nextOf(records)
    if (!next) return
    if (count === maxRows) throw invalid(fault('file', importFaults.too_many_rows, { limit: maxRows }))
    const cells = next.record.slice(0, width)
    while (cells.length < width) cells.push('')
    yield { line: end + 1, cells }
    end = next.info.lines
  }
}

async function nextOf(records: AsyncIterator<CsvRecord>): Promise<CsvRecord | undefined> {
  try {
    const { value, done } = await records.next()
    return done ? undefined : value
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { code, lines = 1 } = error as CsvError & { lines?: number }
    throw invalid(fault('file', importFaults.not_csv, { line: lines, reason: csvReasons[code] ?? code }))
  }
}

const csvReasons: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is not closed',
  CSV_INVALID_CLOSING_QUOTE: 'a quote in a quoted cell is not doubled',
  INVALID_OPENING_QUOTE: 'a quote begins in the middle of a cell',
  CSV_MAX_RECORD_SIZE: 'a row is too long',
}

/** The delimiter that the header has most of, outside quotes. */
function delimiterOf(text: string): string {
  const header = text
    .slice(0, 65_536)
    .replaceAll(/"[^"]*"/g, '')
    .split(/\r?\n/, 1)[0]!
  const counts = [',', ';', '\t'].map((sign): [string, number] => [sign, header.split(sign).length])
  return counts.toSorted((a, b) => b[1] - a[1])[0]![0]
}

/** The parser works on one slice at a time, so that requests get their turn. */
function* slices(text: string, size = 16_384): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + size)
    // Surrogate pairs stay together.
    if (to < text.length && /[\uD800-\uDBFF]/.test(text[to - 1]!)) to++
    yield text.slice(from, to)
    from = to
  }
}

function headerOf(names: string[]): string[] {
  const columns = names.map((name) => name.trim())
  while (columns.at(-1) === '') columns.pop()
  if (columns.length === 0) throw invalid(fault('file', importFaults.file_empty))
  if (columns.length > maxColumns) throw invalid(fault('file', importFaults.too_many_columns, { limit: maxColumns }))
  const repeated = columns.filter((name, index) => name !== '' && columns.indexOf(name) < index)
  const faults = [...new Set(repeated)].map((name) =>
    fault('file', importFaults.header_repeated, { name: name.slice(0, 100) }),
  )
  columns.forEach((name, index) => {
    if (name === '') faults.push(fault('file', importFaults.header_blank, { column: index + 1 }))
  })
  if (faults.length > 0) throw invalid(...faults)
  return columns
}

/** Nested values keep their JSON; the columns are those of any row. */
function readJsonl(text: string): FileTable {
  const names = new Map<string, number>()
  const rows: { line: number; cells: [number, string][] }[] = []
  text.split('\n').forEach((content, index) => {
    if (content.trim() === '') return
    const cells = Object.entries(objectOn(content, index + 1)).map(([name, value]): [number, string] => {
      if (!names.has(name)) names.set(name, names.size)
      return [names.get(name)!, cellOf(value)]
    })
    rows.push({ line: index + 1, cells })
  })
  if (rows.length > maxRows) throw invalid(fault('file', importFaults.too_many_rows, { limit: maxRows }))
  const columns = headerOf([...names.keys()])
  return { columns, isDecimalComma: false, isCsv: false, rows: padded(rows, columns.length) }
}

async function* padded(rows: { line: number; cells: [number, string][] }[], width: number): AsyncGenerator<FileRow> {
  for (const { line, cells } of rows) {
    const whole = Array.from({ length: width }, () => '')
    for (const [place, cell] of cells) if (place < width) whole[place] = cell
    yield { line, cells: whole }
  }
}

function objectOn(content: string, line: number): object {
  const value = parsed(content)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid(fault('file', importFaults.not_jsonl, { line }))
  }
  if (!isStorable(value)) throw invalid(fault('file', importFaults.not_storable, { line }))
  return value
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
