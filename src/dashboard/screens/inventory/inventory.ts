// The stock of all that is counted, to be typed over.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { isCounted, stocked } from '../../../commerce/catalog/stocked.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { notice } from '../../../platform/pages/parts.ts'
import { csvReply } from '../../framework/csv.ts'
import { chips, filterForm, queryOf, type Filter, type Query } from '../../framework/filters.ts'
import { pageLinks } from '../../framework/pagination.ts'
import type { Html, Reply, Screen, Visit } from '../../framework/page.ts'
import { grid, linesOf, saveGrid, type Line, type Stocked } from './grid.ts'

const productsOfPage = 20
/** Whoever has more of a product sees all of them on the product's own screen. */
const mostLines = 12

const filters: Filter[] = [
  { name: 'stock_status' },
  { name: 'status', words: 'product_status' },
  { name: 'category_id' },
]

export const inventoryScreen: Screen = {
  path: '/inventory',
  scope: 'read:inventory',
  title: 'inventory',
  section: 'products',
  nav: {},
  limits: { fields: 3 * productsOfPage * mostLines + 100, bytes: 256 * 1024 },
  actions: { save: saveGrid },
  async show(visit) {
    const { say, here, role } = visit
    const { query, wrong } = queryOf(visit, stocked, filters)
    const { data, pagination } = await read(visit, { ...query, per_page: productsOfPage })
    const narrowed = chips(visit, stocked, filters, query)
    const all = new URL(addressWith(here, { page: null }), 'http://here')
    const table = await grid(
      visit,
      data.map((one) => groupOf(visit, one)),
      mayUse(role, 'write:inventory'),
    )
    return {
      buttons: html`${lowLink(visit, query)}
<a class="button quiet" href="${all.pathname}.csv${all.search}" download>${say('export_csv')}</a>`,
      content: html`
${wrong.length > 0 ? notice('warning', say('bad_filter', { names: wrong.join(', ') })) : ''}
${filterForm(visit, stocked, filters, query)}${narrowed.drawn}
<div id="rows">${data.length === 0 ? empty(visit, narrowed.count > 0) : table}
<div class="under">${pageLinks(visit, pagination)}</div></div>`,
    }
  },
  csv: download,
}

function read({ db, store }: Visit, query: Query) {
  return entityPage(db, stocked, store, query, isCounted)
}

/** The filter that is asked for most, in one press. */
function lowLink({ say, here }: Visit, { stock_status }: Query): Html | '' {
  if (stock_status === 'low_stock') return ''
  const href = addressWith(here, { stock_status: 'low_stock', page: null })
  return html`<a class="button quiet" href="${href}">${say('stock_low_only')}</a>`
}

function groupOf({ say, base }: Visit, product: Stocked) {
  const lines = linesOf(product)
  if (product.variants.length === 0) return { lines }
  const href = `${base}/inventory/${product.product_id}`
  const others = lines.length - mostLines
  const more = others > 0 ? html` <small>${say('stock_more', { count: others })}</small>` : ''
  const name = html`<a href="${href}">${product.name}</a>${more}`
  const heading = html`<tr class="group"><th scope="rowgroup" colspan="4">${name}</th></tr>`
  return { lines: lines.slice(0, mostLines), heading }
}

function empty({ say }: Visit, isNarrowed: boolean): Html {
  const [title, text] = isNarrowed
    ? ([say('nothing_found'), say('nothing_found_text')] as const)
    : ([say('inventory_none'), say('inventory_none_text')] as const)
  return html`<div class="empty"><h2>${title}</h2><p>${text}</p></div>`
}

async function download(visit: Visit): Promise<Reply> {
  const { say } = visit
  const { query } = queryOf(visit, stocked, filters)
  const rowsOf = async (page: number): Promise<Line[]> => {
    const { data } = await read(visit, { ...query, page, per_page: 100 })
    return data.flatMap(linesOf)
  }
  return csvReply<Line>(
    'inventory',
    [
      [say('product'), ({ product }) => product],
      [say('variant'), ({ variantId, title }) => (variantId ? title : null)],
      ['SKU', ({ sku }) => sku],
      [say('stock_quantity'), ({ stock }) => stock],
      [say('low_at'), ({ threshold }) => threshold],
      ['product_id', ({ productId }) => productId],
      ['variant_id', ({ variantId }) => variantId],
    ],
    rowsOf,
  )
}
