// The screens of a collection and of a new one, with its products.
import { collection } from '../../../commerce/catalog/collection.ts'
import { endpoint } from '../../framework/api.ts'
import { field, fieldsNamed } from '../../../platform/pages/form.ts'
import { groupScreens } from '../categories/groupscreens.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { collectionQuery, readCollectionProducts } from '../../../commerce/catalog/collectionpage.ts'
import { button, form } from '../../framework/form.ts'
import { pageLinks } from '../../framework/pagination.ts'
import { panel } from '../../framework/parts.ts'
import { readMove, readOrder, sortList } from '../../framework/sortlist.ts'
import { productLink } from '../products/productlink.ts'

// The products of a collection in their order, and the form that adds some.

const perPage = 25

const addProducts: ScreenAction = {
  route: endpoint('POST /collections/{id}/products'),
  inputs: [{ name: 'product_ids', label: 'products', picks: 'products' }],
  fieldOf: (name) => name.replace(/\.\d+$/, ''),
  done: 'products_added',
}

async function collectionProducts(context: PageContext): Promise<Html> {
  const { db, store, ids, t, role } = context
  const first = readFirstPlace(context)
  const listQuery = { ...collectionQuery.read({}, store), page: first / perPage + 1, per_page: perPage }
  const { data, pagination } = await readCollectionProducts(db, store, ids.id!, listQuery)
  const mayWrite = mayUse(role, 'write:categories')
  const rows = data.map((one) => {
    const out = { act: 'out', fixed: { product_id: one.id }, text: 'remove', kind: 'link', about: one.name } as const
    return { id: one.id, name: one.name, content: productLink(context, one), more: button(context, out) }
  })
  const none = html`<p class="hint">${t('collection_empty')}</p>`
  const sortProps = { rows, label: t('products'), kind: 'rows', first, total: pagination.total } as const
  const plainRows = rows.map(({ content }) => html`<li>${content}</li>`)
  const list = html`${mayWrite ? sortList(context, sortProps) : html`<ol class="rows">${plainRows}</ol>`}
<div class="under"><p class="hint">${t('products_count', { count: pagination.total })}</p>
${pageLinks(context, pagination)}</div>`
  return html`${mayWrite ? await addForm(context) : ''}${panel(t('products'), data.length > 0 ? list : none)}`
}

/** The place of the page's first product. */
function readFirstPlace({ here }: PageContext): number {
  const page = Math.trunc(Number(new URL(here, 'http://here').searchParams.get('page')))
  return (Math.max(1, page || 1) - 1) * perPage
}

/** Chosen products are appended. */
async function addForm(context: PageContext): Promise<Html> {
  const props = { act: 'put', action: addProducts, button: 'add', isQuiet: true } as const
  return panel(context.t('products_add'), await form(context, props))
}

const base = { path: '/collections', section: 'products', scope: 'read:categories' } as const

const actions: Record<string, ScreenAction> = {
  put: addProducts,
  sort: {
    route: addProducts.route,
    body: (context) => {
      const first = readFirstPlace(context)
      const ids = fieldsNamed(context.form, 'order')
      const { from, to } = readMove(ids, field(context.form, 'move'))
      const isLeaving = from >= 0 && (to < 0 || to >= ids.length)
      return isLeaving
        ? { product_ids: [ids[from]!], position: Math.max(0, first + to) }
        : { product_ids: readOrder(context), position: first }
    },
    done: 'order_saved',
  },
  out: { route: endpoint('DELETE /collections/{id}/products/{product_id}'), done: 'product_removed' },
}

export const {
  fresh: collectionNew,
  screen: collectionScreen,
  translations: collectionTranslations,
} = groupScreens({
  ...base,
  resource: collection,
  words: {
    list: 'collections',
    fresh: 'collection_new',
    create: 'collection_create',
    made: 'collection_created',
    ask: 'collection_delete_ask',
    text: 'collection_delete_text',
    deleted: 'collection_deleted',
  },
  inputs: [{ name: 'sort_order' }],
  actions,
  more: collectionProducts,
})
