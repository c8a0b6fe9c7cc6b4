// The screens of a collection and of a new one, with its products.
import { collection } from '../../../commerce/catalog/collection.ts'
import { endpoint } from '../../framework/api.ts'
import { field } from '../../../platform/pages/form.ts'
import { groupScreens } from '../categories/groupscreens.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { collectionQuery, readCollectionProducts } from '../../../commerce/catalog/collectionpage.ts'
import type { Product } from '../../../commerce/catalog/product.ts'
import { button, form } from '../../framework/form.ts'
import { pageLinks } from '../../framework/pagination.ts'
import { panel } from '../../framework/parts.ts'
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
  const { db, store, ids, t, role, query } = context
  const page = Math.max(1, Math.trunc(Number(query.page)) || 1)
  const listQuery = { ...collectionQuery.read({}, store), page, per_page: perPage }
  const { data, pagination } = await readCollectionProducts(db, store, ids.id!, listQuery)
  const mayWrite = mayUse(role, 'write:categories')
  const first = (page - 1) * perPage
  const rows = data.map((one, index) =>
    renderCollectionRow(context, one, { place: first + index, total: pagination.total, mayWrite }),
  )
  const none = html`<p class="hint">${t('collection_empty')}</p>`
  const list = html`<ol class="rows" id="contents">${rows}</ol>
<div class="under"><p class="hint">${t('products_count', { count: pagination.total })}</p>
${pageLinks(context, pagination)}</div>`
  return html`${mayWrite ? await addForm(context) : ''}${panel(t('products'), data.length > 0 ? list : none)}`
}

type RowPosition = { place: number; total: number; mayWrite: boolean }

function renderCollectionRow(context: PageContext, one: Product, { place, total, mayWrite }: RowPosition): Html {
  const { id, name } = one
  const to = (position: number) => ({ moved: id, position: String(position) })
  const up = { act: 'move', fixed: to(place - 1), text: 'move_up', about: name } as const
  const down = { act: 'move', fixed: to(place + 1), text: 'move_down', about: name } as const
  const out = { act: 'out', fixed: { product_id: id }, text: 'remove', kind: 'link', about: name } as const
  const buttons = html`<div class="pair">${place > 0 ? button(context, up) : ''}
${place < total - 1 ? button(context, down) : ''}${button(context, out)}</div>`
  return html`<li>${productLink(context, one)}${mayWrite ? buttons : ''}</li>`
}

/** Chosen products are appended. */
async function addForm(context: PageContext): Promise<Html> {
  const props = { act: 'put', action: addProducts, button: 'add', isQuiet: true } as const
  return panel(context.t('products_add'), await form(context, props))
}

const base = { path: '/collections', section: 'products', scope: 'read:categories' } as const

const actions: Record<string, ScreenAction> = {
  put: addProducts,
  move: {
    route: addProducts.route,
    body: ({ form }) => ({ product_ids: [field(form, 'moved')], position: Number(field(form, 'position')) }),
    done: 'saved',
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
  inputs: [{ name: 'sort_order' }, { name: 'position', hint: 'position_first' }],
  actions,
  more: collectionProducts,
})
