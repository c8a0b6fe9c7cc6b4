// The list of collections.
import { html } from 'hono/html'
import { collection, type Collection } from '../../../commerce/catalog/collection.ts'
import { list } from '../../framework/list.ts'
import { emptyState, mark } from '../../framework/parts.ts'
import { placeBelow } from '../../framework/placement.ts'
import type { Screen } from '../../framework/screen.ts'
import { listInOrder, sortAction, sortList } from '../../framework/sortlist.ts'

// prettier-ignore
export const collections = list({
  path: '/collections', section: 'products', nav: {}, scope: 'read:categories', title: 'collections',
  resource: collection,
  buttons: ({ t, base }) => html`<a class="button quiet" href="${base}/collections/order">${t('collections_order')}</a>
<a class="button" href="${base}/collections/new">${t('collection_new')}</a>`,
  columns: [
    { title: 'name', sort: 'name', csv: ({ name }) => name,
      cell: ({ id, name }, { base }) => html`<a class="main" href="${base}/collections/${id}">${name}</a>` },
    { title: 'url_handle', isWide: true, cell: ({ slug }) => html`<code>${slug}</code>`, csv: ({ slug }) => slug },
    { title: 'status', csv: ({ is_active }) => String(is_active),
      cell: ({ is_active }, { t }) => mark(t(is_active ? 'shown' : 'hidden'), is_active ? 'good' : 'plain') },
    { title: 'products', isNumber: true, cell: ({ products_count }) => String(products_count) },
  ],
  filters: [{ name: 'is_active', label: 'shown' }],
  empty: { title: 'collections_none', text: 'collections_none_text' },
})

/** The order of the collections in the shop. */
export const collectionOrder: Screen = {
  path: '/collections/order',
  ...placeBelow(collections),
  scope: 'write:categories',
  title: 'collections_order',
  isUnlisted: true,
  actions: { sort: sortAction('/collections', collection) },
  async show(context) {
    const { base, t } = context
    const records: Collection[] = await listInOrder(context, collection)
    if (records.length === 0) return { content: emptyState(t, 'collections_none', 'collections_none_text') }
    const rows = records.map(({ id, name }) => {
      return { id, name, content: html`<div><a class="main" href="${base}/collections/${id}">${name}</a></div>` }
    })
    return { content: sortList(context, { rows, label: t('collections') }) }
  },
}
