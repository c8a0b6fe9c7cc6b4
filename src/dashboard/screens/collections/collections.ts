// The list of collections.
import { html } from 'hono/html'
import { collection } from '../../../commerce/catalog/collection.ts'
import { list } from '../../framework/list.ts'
import { mark } from '../../framework/parts.ts'

// prettier-ignore
export const collections = list({
  path: '/collections', section: 'products', nav: {}, scope: 'read:categories', title: 'collections',
  resource: collection,
  buttons: ({ t, base }) => html`<a class="button" href="${base}/collections/new">${t('collection_new')}</a>`,
  columns: [
    { title: 'name', sort: 'name', csv: ({ name }) => name,
      cell: ({ id, name }, { base }) => html`<a class="main" href="${base}/collections/${id}">${name}</a>` },
    { title: 'url_handle', isWide: true, cell: ({ slug }) => html`<code>${slug}</code>`, csv: ({ slug }) => slug },
    { title: 'status', csv: ({ is_active }) => String(is_active),
      cell: ({ is_active }, { t }) => mark(t(is_active ? 'shown' : 'hidden'), is_active ? 'good' : 'plain') },
    { title: 'products', isNumber: true, cell: ({ products_count }) => String(products_count) },
    { title: 'position', sort: 'position', isWide: true, isNumber: true, cell: ({ position }) => String(position) },
  ],
  filters: [{ name: 'is_active', label: 'shown' }],
  empty: { title: 'collections_none', text: 'collections_none_text' },
})
