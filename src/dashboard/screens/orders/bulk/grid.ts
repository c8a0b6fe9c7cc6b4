// The rows of the grid: the selection, what was typed, and what was pasted over it.
import { maxFulfilled } from '../../../../commerce/fulfillments/batch.ts'
import { sql } from '../../../../kit/database/sql.ts'
import { publicId } from '../../../../kit/values/ids.ts'
import { field, fieldsNamed } from '../../../../platform/pages/form.ts'
import type { Html, PageContext } from '../../../framework/screen.ts'
import { readSelection } from './selection.ts'

export type GridOrder = {
  id: string
  order_number: number
  customer_name: string | null
  item_count: number
  isTicked: boolean
  tracking: string
  carrier: string
}

/** `leftOut`: pasted lines that fit no order. */
export type FulfillGrid = { rows: GridOrder[]; leftOut: string[]; wrong: Html | '' }

export async function readFulfillGrid(context: PageContext): Promise<FulfillGrid> {
  const { form, t } = context
  const isSent = field(form, 'act') !== ''
  const { orders, wrong } = isSent ? { orders: [], wrong: '' as const } : await readSelection(context, maxFulfilled)
  const rowNumbers = isSent ? fieldsNamed(form, 'row').map(Number) : orders.map(({ order_number }) => order_number)
  const tickedNumbers = new Set(isSent ? fieldsNamed(form, 'ticked').map(Number) : rowNumbers)
  const pastedRows =
    field(form, 'pick') === '' ? [] : pastedLines(context, field(form, 'pasted')).slice(0, maxFulfilled)
  const orderNumbers = pastedRows.flatMap(({ order }) =>
    order !== null && /^\d{1,15}$/.test(order) ? [Number(order)] : [],
  )
  const numbers = [...new Set([...rowNumbers, ...orderNumbers])].filter(Number.isSafeInteger).slice(0, maxFulfilled)
  const rows = (await listOrdersByNumber(context, numbers)).map((row): GridOrder => ({
    ...row,
    id: publicId('ord', row.id),
    isTicked: tickedNumbers.has(row.order_number) || orderNumbers.includes(row.order_number),
    tracking: field(form, `tracking.${row.order_number}`),
    carrier: field(form, `carrier.${row.order_number}`),
  }))
  const leftOut = fillIn(rows, pastedRows).map(({ line, order }) => t('tracking_unknown', { line, order: order ?? '' }))
  return { rows, leftOut, wrong }
}

type OrderRow = Pick<GridOrder, 'id' | 'order_number' | 'customer_name' | 'item_count'>

function listOrdersByNumber({ db, store }: PageContext, numbers: readonly number[]): Promise<OrderRow[]> {
  return db.rows<OrderRow>(sql`
    select id, order_number, customer_name, item_count
    from orders
    where store_id = ${store.id}
      and order_number = any(${numbers}::bigint[])
    order by order_number`)
}

/** Returns the lines that fit no row. A line without an order belongs to the next row. */
function fillIn(rows: readonly GridOrder[], lines: readonly TrackingLine[]): TrackingLine[] {
  const byNumber = new Map(rows.map((row) => [String(row.order_number), row]))
  return lines.filter(({ order, tracking, carrier }, index) => {
    const row = order === null ? rows[index] : byNumber.get(order)
    if (!row) return true
    if (tracking) row.tracking = tracking
    if (carrier) row.carrier = carrier
    return false
  })
}

// Tracking numbers from a spreadsheet or a CSV file: `order,tracking,carrier`, or a column of numbers in the order of
// the rows.

type TrackingLine = { line: number; order: string | null; tracking: string; carrier: string }

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
  const matchPastedColumn = (cell: string) =>
    columns.find((column) => titles[column].some((title) => title.toLowerCase() === cell.toLowerCase()))
  const head = cells[0]!.map(matchPastedColumn)
  const hasHead = head.some(Boolean)
  const places = hasHead ? head : separator === '\t' && cells.every((row) => row.length === 1) ? ['tracking'] : columns
  return cells.flatMap((row, index): TrackingLine[] => {
    if ((hasHead && index === 0) || row.every((cell) => cell === '')) return []
    const at = (column: TrackingColumn) => row[places.indexOf(column)] ?? ''
    const order = places.includes('order') ? at('order').replace(/^#/, '') : null
    return [{ line: index + 1, order, tracking: at('tracking'), carrier: at('carrier') }]
  })
}
