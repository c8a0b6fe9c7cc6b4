// The list of products.
import { html } from 'hono/html'
import { product } from '../../../commerce/catalog/product.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { endpoint } from '../../framework/api.ts'
import { list } from '../../framework/list.ts'
import { mark } from '../../framework/parts.ts'
import type { ScreenAction } from '../../framework/screen.ts'
import { filters } from './filters.ts'
import { statusOf, productLink } from './productlink.ts'

const changeStatus: ScreenAction = {
  route: endpoint('PATCH /products/{id}'),
  inputs: [{ name: 'product_status', label: 'mark_as' }],
  perRecord: true,
  done: 'changed_count',
}

const filterOf = (here: string) => new URL(addressWith(here, { page: null }), 'http://here').search

// prettier-ignore
export const products = list({
  path: '/products', section: 'products', scope: 'read:products', title: 'products', resource: product,
  buttons: ({ t, base, here, role }) => mayUse(role, 'write:products')
    ? html`<a class="button" href="${base}/products/new">${t('product_new')}</a>
<a class="button quiet" href="${base}/products/bulk${filterOf(here)}">${t('grid')}</a>` : '',
  columns: [
    { title: 'name', sort: 'name', csv: ({ name }) => name,
      cell: (row, context) => productLink(context, row) },
    { title: 'product_status', isWide: true, csv: ({ product_status }) => product_status,
      cell: (row, context) => statusOf(context, row) },
    { title: 'stock_quantity', sort: 'stock_quantity', isNumber: true, csv: ({ stock_quantity }) => stock_quantity,
      cell: ({ track_inventory, stock_quantity, low_stock_threshold }) =>
        !track_inventory ? '–' : stock_quantity <= low_stock_threshold
          ? mark(String(stock_quantity), stock_quantity <= 0 ? 'bad' : 'warn') : String(stock_quantity) },
    { title: 'variants', isWide: true, isNumber: true, cell: ({ variants }) => String(variants.length || '–') },
    { title: 'tags', isWide: true, csv: ({ tags }) => tags.join(', '),
      cell: ({ tags }) => tags.slice(0, 3).join(', ') + (tags.length > 3 ? ' …' : '') },
    { title: 'updated_at', sort: 'updated_at', isWide: true, csv: ({ updated_at }) => updated_at.toISOString(),
      cell: ({ updated_at }, { formatDate }) => formatDate(updated_at) },
    { title: 'price', sort: 'price', isNumber: true, csv: ({ price }) => price,
      cell: ({ price }, context) => context.price(price) },
  ],
  filters,
  empty: { title: 'products_none', text: 'products_none_text' },
  bulk: { act: 'status', action: changeStatus, nameOf: ({ name }) => name },
})
