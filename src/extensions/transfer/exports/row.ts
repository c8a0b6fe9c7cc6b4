// A row of an export as a line of CSV or JSON. An import reads either back to the same values.
import { isDeepStrictEqual } from 'node:util'
import { escapeFormulas, inExactCsv } from '../../../kit/values/csv.ts'
import { Decimal } from '../../../kit/values/money.ts'
import { parseListCell } from '../imports/cells.ts'

/** Null and missing values become empty cells. */
export type ExportRow = Readonly<Record<string, unknown>>

export const formats = ['csv', 'jsonl'] as const
export type ExportFormat = (typeof formats)[number]

type Writer = {
  head: (columns: readonly string[]) => string
  lines: (rows: ExportRow[], columns: readonly string[]) => string
}

export const writers: Record<ExportFormat, Writer> = {
  csv: {
    head: (columns) => inExactCsv([[...columns]]),
    lines: (rows, columns) => inExactCsv(rows.map((row) => columns.map((name) => formatCsvCell(row[name])))),
  },
  jsonl: {
    head: () => '',
    lines: (rows, columns) => rows.map((row) => `${JSON.stringify(pickFilledCells(row, columns))}\n`).join(''),
  },
}

function formatCsvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'number') return new Decimal(value).toFixed()
  if (typeof value === 'boolean') return String(value)
  return escapeFormulas(
    Array.isArray(value) ? listText(value) : typeof value === 'string' ? value : JSON.stringify(value),
  )
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
