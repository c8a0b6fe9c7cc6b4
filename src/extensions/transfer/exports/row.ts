// A row of an export as a line of CSV or JSON, or as cells of a workbook. An import reads each back to the same values.
import { isDeepStrictEqual } from 'node:util'
import { escapeFormulas, inExactCsv } from '../../../kit/values/csv.ts'
import { Decimal } from '../../../kit/values/money.ts'
import { parseListCell } from '../imports/cells.ts'
import { writeXlsx, type SheetCell } from './xlsx.ts'

/** Null and missing values become empty cells. */
export type ExportRow = Readonly<Record<string, unknown>>

export const formats = ['csv', 'jsonl', 'xlsx'] as const
export type ExportFormat = (typeof formats)[number]

type ExportPages = AsyncIterable<readonly ExportRow[]>
type Writer = (columns: readonly string[], pages: ExportPages) => AsyncIterable<string | Buffer>

export const writers: Record<ExportFormat, Writer> = {
  async *csv(columns, pages) {
    yield inExactCsv([[...columns]])
    for await (const rows of pages) yield inExactCsv(rows.map((row) => columns.map((name) => formatCsvCell(row[name]))))
  },
  async *jsonl(columns, pages) {
    for await (const rows of pages)
      yield rows.map((row) => `${JSON.stringify(pickFilledCells(row, columns))}\n`).join('')
  },
  xlsx: (columns, pages) => writeXlsx(toSheet(columns, pages)),
}

async function* toSheet(columns: readonly string[], pages: ExportPages): AsyncGenerator<SheetCell[][]> {
  yield [[...columns]]
  for await (const rows of pages) yield rows.map((row) => columns.map((name) => formatSheetCell(row[name])))
}

function formatSheetCell(value: unknown): SheetCell {
  return typeof value === 'number' ? value : formatText(value)
}

function formatCsvCell(value: unknown): string {
  return typeof value === 'string' || typeof value === 'object' ? escapeFormulas(formatText(value)) : formatText(value)
}

function formatText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'number') return new Decimal(value).toFixed()
  if (typeof value === 'boolean') return String(value)
  return Array.isArray(value) ? listText(value) : typeof value === 'string' ? value : JSON.stringify(value)
}

/** Texts joined by commas if they parse back to the same list; otherwise JSON. */
function listText(values: unknown[]): string {
  const text = values.join(', ')
  return isDeepStrictEqual(parseListCell(text), values) ? text : JSON.stringify(values)
}

function pickFilledCells(row: ExportRow, columns: readonly string[]): object {
  const cells = columns.map((name) => [name, row[name]] as const)
  return Object.fromEntries(cells.filter(([, value]) => value !== null && value !== undefined))
}
