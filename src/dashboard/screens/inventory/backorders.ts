// Inventory > Owed to customers: lines of open orders that wait for stock.
import { html } from 'hono/html'
import { backorder, isOwed } from '../../../commerce/orders/backorders.ts'
import { formatParts } from '../../../commerce/orders/parts.ts'
import { formatDay } from '../../../kit/values/day.ts'
import { endpoint } from '../../framework/api.ts'
import { list } from '../../framework/list.ts'

export const backordersPath = '/inventory/backorders'

// prettier-ignore
export const backordersScreen = list({
  path: backordersPath, title: 'backorders', section: 'products', scope: 'read:orders',
  within: { path: '/inventory', title: 'inventory' },
  resource: backorder,
  narrow: ({ store }) => isOwed(store),
  exports: endpoint('GET /inventory/backorders'),
  columns: [
    { title: 'backorder_item', csv: (row) => [nameOf(row), ...listParts(row)].join(': '),
      cell: (row, { base }) => html`<a class="main" href="${base}/products/${row.product_id}">${nameOf(row)}</a>
${listParts(row).map((text) => html`<small>${text}</small>`)}` },
    { title: 'backorder_order', csv: ({ order_number }) => order_number,
      cell: ({ order_id, order_number }, { base }) => html`<a href="${base}/orders/${order_id}">#${order_number}</a>` },
    { title: 'backorder_customer', isWide: true, cell: ({ customer_name }) => customer_name ?? '' },
    { title: 'backorder_quantity', isNumber: true, cell: ({ quantity }) => String(quantity) },
    { title: 'backorder_shortage', isNumber: true, cell: ({ shortage }) => String(shortage) },
    { title: 'available_on', isWide: true,
      cell: ({ available_on: day }, { language }) => (day ? formatDay(day, language) : '') },
    { title: 'created_at', sort: 'created_at', isWide: true,
      cell: ({ created_at }, { formatTime }) => formatTime(created_at) },
  ],
  filters: [],
  empty: { title: 'backorders_none', text: 'backorders_none_text' },
})

type Backorder = NonNullable<(typeof backorder)['type']>

function nameOf({ product_name, variant_name }: Pick<Backorder, 'product_name' | 'variant_name'>): string {
  return [product_name, variant_name].filter(Boolean).join(' · ')
}

/** The parts of a bundle that are missing, as one text. */
function listParts({ parts }: Pick<Backorder, 'parts'>): string[] {
  return parts ? [formatParts(parts)] : []
}
