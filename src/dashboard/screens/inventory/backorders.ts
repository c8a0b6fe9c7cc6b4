// Inventory > Owed to customers: lines of open orders that wait for stock.
import { html } from 'hono/html'
import { backorder, isOwed } from '../../../commerce/orders/backorders.ts'
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
    { title: 'backorder_item', csv: ({ product_name, variant_name }) => nameOf(product_name, variant_name),
      cell: ({ product_id, product_name, variant_name }, { base }) =>
        html`<a class="main" href="${base}/products/${product_id}">${nameOf(product_name, variant_name)}</a>` },
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

function nameOf(product: string, variant: string | null): string {
  return [product, variant].filter(Boolean).join(' · ')
}
