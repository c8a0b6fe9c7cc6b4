// The list of products.
import { html } from 'hono/html'
import { product } from '../../catalog/product.ts'
import { endpoint } from '../api.ts'
import { list } from '../list.ts'
import { mark } from '../parts.ts'
import type { Action } from '../page.ts'

const changeStatus: Action = {
  route: endpoint('PATCH /products/{id}'),
  inputs: [{ name: 'product_status', label: 'mark_as' }],
  isForEach: true,
  done: 'changed_count',
}

const tones = { active: 'good', draft: 'warn', archived: 'plain' } as const

// prettier-ignore
export const products = list({
  path: '/products', section: 'products', scope: 'read:products', title: 'products', resource: product,
  columns: [
    { title: 'name', sort: 'name', plain: ({ name }) => name,
      cell: ({ name, sku, main_image }) => html`<span class="thing">${
        main_image ? html`<img src="${main_image}" alt="" loading="lazy" width="40" height="40">` : html`<i></i>`
      }<span><strong>${name}</strong>${sku ? html`<small>${sku}</small>` : ''}</span></span>` },
    { title: 'product_status', isWide: true, plain: ({ product_status }) => product_status,
      cell: ({ product_status: status }, { say }) => mark(say(`product_status_${status}`), tones[status]) },
    { title: 'stock_quantity', sort: 'stock_quantity', isNumber: true, plain: ({ stock_quantity }) => stock_quantity,
      cell: ({ track_inventory, stock_quantity, low_stock_threshold }) =>
        !track_inventory ? '–' : stock_quantity <= low_stock_threshold
          ? mark(String(stock_quantity), stock_quantity <= 0 ? 'bad' : 'warn') : String(stock_quantity) },
    { title: 'variants', isWide: true, isNumber: true, cell: ({ variants }) => String(variants.length || '–') },
    { title: 'updated_at', sort: 'updated_at', isWide: true, plain: ({ updated_at }) => updated_at.toISOString(),
      cell: ({ updated_at }, { day }) => day(updated_at) },
    { title: 'price', sort: 'price', isNumber: true, plain: ({ price }) => price,
      cell: ({ price }, visit) => visit.price(price) },
  ],
  filters: [
    { name: 'status', words: 'product_status' },
    { name: 'stock_status' },
    { name: 'is_featured' },
    { name: 'price', range: ['price[gte]', 'price[lte]'], as: 'amount' },
    { name: 'category_id' },
  ],
  empty: { title: 'products_none', text: 'products_none_text' },
  bulk: { act: 'status', action: changeStatus, nameOf: ({ name }) => name },
})
