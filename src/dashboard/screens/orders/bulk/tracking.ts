// Tracking numbers from a spreadsheet or a CSV file: `order,tracking,carrier`, or a column of numbers in the order of
// the rows.
import type { PageContext } from '../../../framework/screen.ts'

export type TrackingLine = { line: number; order: string | null; tracking: string; carrier: string }

const columns = ['order', 'tracking', 'carrier'] as const
type TrackingColumn = (typeof columns)[number]

export function pastedLines({ t }: Pick<PageContext, 't'>, text: string): TrackingLine[] {
  const lines = text.split(/\r?\n/)
  const separator = ['\t', ';', ','].find((one) => lines.some((line) => line.includes(one))) ?? '\t'
  const cells = lines.map((line) =>
    line.split(separator).map((cell) =>
      cell
        .trim()
        .replace(/^"(.*)"$/, '$1')
        .trim(),
    ),
  )
  const titles: Record<TrackingColumn, string[]> = {
    order: ['order', 'order_number', t('order_number')],
    tracking: ['tracking', 'tracking_number', t('tracking_number')],
    carrier: ['carrier', t('carrier')],
  }
  const columnOf = (cell: string) =>
    columns.find((column) => titles[column].some((title) => title.toLowerCase() === cell.toLowerCase()))
  const head = cells[0]!.map(columnOf)
  const hasHead = head.some(Boolean)
  const places = hasHead ? head : separator === '\t' && cells.every((row) => row.length === 1) ? ['tracking'] : columns
  return cells.flatMap((row, index): TrackingLine[] => {
    if ((hasHead && index === 0) || row.every((cell) => cell === '')) return []
    const at = (column: TrackingColumn) => row[places.indexOf(column)] ?? ''
    const order = places.includes('order') ? at('order').replace(/^#/, '') : null
    return [{ line: index + 1, order, tracking: at('tracking'), carrier: at('carrier') }]
  })
}
