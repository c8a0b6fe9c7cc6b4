// The list of collections.
import { html } from 'hono/html'
import { collection } from '../../../commerce/catalog/collection.ts'
import { list } from '../../framework/list.ts'
import { mark } from '../../framework/parts.ts'

// prettier-ignore
export const collections = list({
  path: '/collections', section: 'products', nav: {}, scope: 'read:categories', title: 'collections',
  resource: collection,
  buttons: ({ say, base }) => html`<a class="button" href="${base}/collections/new">${say('collection_new')}</a>`,
  columns: [
    { title: 'name', sort: 'name', plain: ({ name }) => name,
      cell: ({ id, name }, { base }) => html`<a class="main" href="${base}/collections/${id}">${name}</a>` },
    { title: 'address', isWide: true, cell: ({ slug }) => html`<code>${slug}</code>`, plain: ({ slug }) => slug },
    { title: 'status', plain: ({ is_active }) => String(is_active),
      cell: ({ is_active }, { say }) => mark(say(is_active ? 'shown' : 'hidden'), is_active ? 'good' : 'plain') },
    { title: 'products', isNumber: true, cell: ({ products_count }) => String(products_count) },
    { title: 'position', sort: 'position', isWide: true, isNumber: true, cell: ({ position }) => String(position) },
  ],
  filters: [{ name: 'is_active', label: 'shown' }],
  empty: { title: 'collections_none', text: 'collections_none_text' },
})
