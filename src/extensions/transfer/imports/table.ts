// A file as a table, whatever its form: its columns, and its rows with their lines.
import { invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { importFaults } from './errors.ts'
import type { Pictures } from './workbooks/package.ts'

export type FileRow = { line: number; cells: string[] }
/** `rows` can be read once. `notes`: what of the file is left out, in sentences; complete once the rows are read. */
export type FileTable = {
  columns: string[]
  isDecimalComma: boolean
  isCsv: boolean
  rows: AsyncIterable<FileRow>
  notes?: readonly string[]
  pictures?: Pictures
}

/** A column without a name is called by its place. */
export const nameless = /^\(column \d+\)$/

export const maxColumns = 250
export const maxRows = 500_000
/** Maximum characters of a row. */
export const maxRowLength = 1_000_000

export const tooManyColumns = () => invalid(fault('file', importFaults.too_many_columns, { limit: maxColumns }))
export const tooManyRows = () => invalid(fault('file', importFaults.too_many_rows, { limit: maxRows }))
export const rowTooLong = (line: number) =>
  invalid(fault('file', importFaults.row_too_long, { line, limit: maxRowLength }))

export function columnsNamed(names: readonly string[]): string[] {
  const columns = names.map((name) => name.trim())
  while (columns.at(-1) === '') columns.pop()
  if (columns.length === 0) throw invalid(fault('file', importFaults.file_empty))
  if (columns.length > maxColumns) throw tooManyColumns()
  const repeats = columns.filter((name, index) => name !== '' && columns.indexOf(name) < index)
  const faults = [...new Set(repeats)].map((name) =>
    fault('file', importFaults.header_repeated, { name: name.slice(0, 100) }),
  )
  if (faults.length > 0) throw invalid(...faults)
  return columns.map((name, index) => name || `(column ${index + 1})`)
}
