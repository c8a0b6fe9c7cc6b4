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
import { renderProductStatus, productLink } from './productlink.ts'

const changeStatus: ScreenAction = {
  route: endpoint('PATCH /products/{id}'),
  inputs: [{ name: 'product_status', label: 'mark_as' }],
  perRecord: true,
  done: 'changed_count',
}

const getFilterString = (here: string) => new URL(addressWith(here, { page: null }), 'http://here').search

// prettier-ignore
export const products = list({
  path: '/products', section: 'products', scope: 'read:products', title: 'products', resource: product,
  exports: endpoint('GET /products'),
  buttons: ({ t, base, here, role }) => mayUse(role, 'write:products')
    ? html`<a class="button" href="${base}/products/new">${t('product_new')}</a>
<a class="button quiet" href="${base}/products/bulk${getFilterString(here)}">${t('grid')}</a>` : '',
  columns: [
    { title: 'name', sort: 'name',
      cell: (row, context) => productLink(context, row) },
    { title: 'product_status', isWide: true, cell: (row, context) => renderProductStatus(context, row) },
    { title: 'stock_quantity', sort: 'stock_quantity', isNumber: true,
      cell: ({ track_inventory, stock_quantity, low_stock_threshold, bundle_stock }) => {
        const stock = track_inventory ? stock_quantity : bundle_stock
        if (stock === null) return '–'
        return stock <= low_stock_threshold ? mark(String(stock), stock <= 0 ? 'bad' : 'warn') : String(stock)
      } },
    { title: 'variants', isWide: true, isNumber: true, cell: ({ variants }) => String(variants.length || '–') },
    { title: 'tags', isWide: true,
      cell: ({ tags }) => tags.slice(0, 3).join(', ') + (tags.length > 3 ? ' …' : '') },
    { title: 'updated_at', sort: 'updated_at', isWide: true,
      cell: ({ updated_at }, { formatDate }) => formatDate(updated_at) },
    { title: 'price', sort: 'price', isNumber: true,
      cell: ({ price }, context) => context.price(price) },
  ],
  filters,
  empty: { title: 'products_none', text: 'products_none_text' },
  bulk: {
    act: 'status', action: changeStatus, nameOf: ({ name }) => name,
    links: [{ path: '/products/bulk', what: 'ticked', button: 'grid', isMain: true }],
  },
})
