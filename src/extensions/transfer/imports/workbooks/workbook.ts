// A workbook: its sheets, each of which is read row by row.
import { invalid } from '../../../../kit/values/errors.ts'
import { fault } from '../../../../kit/values/faults.ts'
import { importFaults } from '../errors.ts'
import { maxColumns, maxRowLength, maxRows, rowTooLong, tooManyColumns, tooManyRows, type FileRow } from '../table.ts'
import { brokenFile, maxUnpackedBytes, tooLargeUnpacked } from './archive.ts'

export type Sheet = {
  name: string
  isHidden: boolean
  hasRows: () => Promise<boolean>
  /** Calls `onMerge` if it has merged cells. */
  rows: (onMerge?: () => void) => AsyncGenerator<FileRow, undefined>
}

/** Spreadsheets have a million rows. */
const maxLines = 2_000_000

/** The cells of a row while it is read, and how much was read before. */
export type RowCells = {
  put: (column: number, text: string) => void
  /** The row, if it has any text; `times`: it and others like it. */
  take: (line: number, times?: number) => FileRow | null
}

/** A text that many cells share counts for each of them. */
export function collectCells(): RowCells {
  let cells: string[] = []
  let length = 0
  let total = 0
  let count = 0
  return {
    put(column, text) {
      if (text === '') return
      if (column >= maxColumns) throw tooManyColumns()
      while (cells.length <= column) cells.push('')
      cells[column] = text
      length += text.length
    },
    take(line, times = 1) {
      const row = cells.some((cell) => cell.trim() !== '') ? { line, cells } : null
      if (length > maxRowLength) throw rowTooLong(line)
      total += length * times
      if (total > maxUnpackedBytes) throw tooLargeUnpacked()
      cells = []
      length = 0
      if (!row) return null
      if (!Number.isSafeInteger(line) || line < 1) throw brokenFile()
      if (line > maxLines || (count += times) > maxRows) throw tooManyRows()
      const isKept = row.cells.every((cell) => cell.isWellFormed() && !cell.includes('\0'))
      if (!isKept) throw invalid(fault('file', importFaults.not_storable, { line }))
      return row
    },
  }
}

/** `AB12` is in column 27. */
export function readColumn(reference: string): number {
  let column = 0
  for (const sign of reference.match(/^[A-Z]{1,3}/)?.[0] ?? 'A') column = column * 26 + sign.charCodeAt(0) - 64
  return column - 1
}

/** Nobody has reckoned it: another program wrote the workbook. */
export function noValue(cell: string, sheet: string) {
  return invalid(
    fault('file', importFaults.formula_without_value, { cell: cell.slice(0, 20), sheet: sheet.slice(0, 100) }),
  )
}
