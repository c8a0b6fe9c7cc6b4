// One category, and the screen of a new one.
import { html } from 'hono/html'
import { category } from '../../../commerce/catalog/category.ts'
import { product } from '../../../commerce/catalog/product.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { parentChoices } from '../products/fields.ts'
import { groupScreens } from './groupscreens.ts'
import { panel } from '../../framework/parts.ts'
import { renderProductStatus, productLink } from '../products/productlink.ts'
import type { Html, PageContext } from '../../framework/screen.ts'

const base = { path: '/categories', section: 'products', scope: 'read:categories' } as const

export const {
  fresh: categoryNew,
  screen: categoryScreen,
  translations: categoryTranslations,
} = groupScreens({
  ...base,
  resource: category,
  words: {
    list: 'categories',
    fresh: 'category_new',
    create: 'category_create',
    made: 'category_created',
    ask: 'category_delete_ask',
    text: 'category_delete_text',
    deleted: 'category_deleted',
  },
  inputs: [{ name: 'parent_id', options: parentChoices }],
  more: productsIn,
})

const newestQuery = { page: 1, per_page: 10, sort: 'created_at', order: 'desc', status: 'all' } as const

async function productsIn(context: PageContext): Promise<Html> {
  const { db, store, t, base: root, params, price } = context
  const { data, pagination } = await entityPage(db, product, store, {
    ...newestQuery,
    category_id: params.id!,
    subtree: true,
  })
  const rows = data.map(
    (one) => html`<tr><td>${productLink(context, one)}</td>
<td>${renderProductStatus(context, one)}</td>
<td class="number">${price(one.price)}</td></tr>`,
  )
  const href = `${root}/products?category_id=${params.id!}&subtree=true&status=all`
  const all = html`<a class="button quiet" href="${href}">${t('products_all', { count: pagination.total })}</a>`
  const none = html`<p class="hint">${t('products_none_in_category')}</p>`
  const table = html`<table class="plain"><tbody>${rows}</tbody></table>`
  return panel(t('products'), data.length > 0 ? table : none, data.length > 0 ? all : '')
}
