// An editable grid of all tracked stock.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { hasTrackedStock, stockedProduct } from '../../../commerce/catalog/stockedproduct.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { notice } from '../../../platform/pages/parts.ts'
import { addedButtons } from '../../framework/addedbuttons.ts'
import { csvReply } from '../../framework/csv.ts'
import { chips, filterForm, readFilterQuery, type ListFilter, type FilterQuery } from '../../framework/filters.ts'
import { pageLinks } from '../../framework/pagination.ts'
import type { Html, PageResult, Screen, PageContext } from '../../framework/screen.ts'
import { backordersPath } from './backorders.ts'
import { grid, buildStockLines, saveGrid, type Line, type StockedProduct } from './grid.ts'
import { emptyState } from '../../framework/parts.ts'

const productsPerPage = 20
/** Products with more variants have a screen of their own. */
const maxLinesPerProduct = 12

const filters: ListFilter[] = [
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
  limits: { fields: 3 * productsPerPage * maxLinesPerProduct + 100, bytes: 256 * 1024 },
  actions: { save: saveGrid },
  async show(context) {
    const { t, here, role } = context
    const { query, wrong } = readFilterQuery(context, stockedProduct, filters)
    const { data, pagination } = await read(context, { ...query, per_page: productsPerPage })
    const filterChips = chips(context, stockedProduct, filters, query)
    const all = new URL(addressWith(here, { page: null }), 'http://here')
    const table = await grid(
      context,
      data.map((one) => buildStockGroup(context, one)),
      mayUse(role, 'write:inventory'),
    )
    return {
      buttons: html`${lowStockLink(context, query)}${backordersLink(context)}${addedButtons(context, '/inventory')}
<a class="button quiet" href="${all.pathname}.csv${all.search}" download>${t('export_csv')}</a>`,
      content: html`
${wrong.length > 0 ? notice('warning', t('bad_filter', { names: wrong.join(', ') })) : ''}
${filterForm(context, stockedProduct, filters, query)}${filterChips.html}
<div id="rows">${data.length === 0 ? empty(context, filterChips.count > 0) : table}
<div class="under">${pageLinks(context, pagination)}</div></div>`,
    }
  },
  csv: download,
}

function read({ db, store }: PageContext, query: FilterQuery) {
  return entityPage(db, stockedProduct, store, query, hasTrackedStock)
}

/** A button for the most used filter. */
function lowStockLink({ t, here }: PageContext, { stock_status }: FilterQuery): Html | '' {
  if (stock_status === 'low_stock') return ''
  const href = addressWith(here, { stock_status: 'low_stock', page: null })
  return html`<a class="button quiet" href="${href}">${t('stock_low_only')}</a>`
}

function backordersLink({ t, base, role }: PageContext): Html | '' {
  if (!mayUse(role, 'read:orders')) return ''
  return html`<a class="button quiet" href="${base}${backordersPath}">${t('backorders')}</a>`
}

function buildStockGroup({ t, base }: PageContext, product: StockedProduct) {
  const lines = buildStockLines(product)
  if (product.variants.length === 0) return { lines }
  const href = `${base}/inventory/${product.product_id}`
  const others = lines.length - maxLinesPerProduct
  const more = others > 0 ? html` <small>${t('stock_more', { count: others })}</small>` : ''
  const name = html`<a href="${href}">${product.name}</a>${more}`
  const heading = html`<tr class="group"><th scope="rowgroup" colspan="4">${name}</th></tr>`
  return { lines: lines.slice(0, maxLinesPerProduct), heading }
}

function empty({ t }: PageContext, isNarrowed: boolean): Html {
  return isNarrowed
    ? emptyState(t, 'nothing_found', 'nothing_found_text')
    : emptyState(t, 'inventory_none', 'inventory_none_text')
}

async function download(context: PageContext): Promise<PageResult> {
  const { t } = context
  const { query } = readFilterQuery(context, stockedProduct, filters)
  const readStockLines = async (page: number): Promise<Line[]> => {
    const { data } = await read(context, { ...query, page, per_page: 100 })
    return data.flatMap(buildStockLines)
  }
  return csvReply<Line>(
    'inventory',
    [
      [t('product'), ({ product }) => product],
      [t('variant'), ({ variantId, title }) => (variantId ? title : null)],
      ['SKU', ({ sku }) => sku],
      [t('stock_quantity'), ({ stock }) => stock],
      [t('low_at'), ({ threshold }) => threshold],
      ['product_id', ({ productId }) => productId],
      ['variant_id', ({ variantId }) => variantId],
    ],
    readStockLines,
  )
}
