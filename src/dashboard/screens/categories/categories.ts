// The list of categories.
import { html } from 'hono/html'
import { category } from '../../../commerce/catalog/category.ts'
import { list } from '../../framework/list.ts'
import { mark } from '../../framework/parts.ts'

// prettier-ignore
export const categories = list({
  path: '/categories', section: 'products', nav: {}, scope: 'read:categories', title: 'categories', resource: category,
  buttons: ({ say, base }) => html`<a class="button" href="${base}/categories/new">${say('category_new')}</a>`,
  columns: [
    { title: 'name', sort: 'name', plain: ({ name }) => name,
      cell: ({ id, name }, { base }) => html`<a class="main" href="${base}/categories/${id}">${name}</a>` },
    { title: 'address', isWide: true, cell: ({ slug }) => html`<code>${slug}</code>`, plain: ({ slug }) => slug },
    { title: 'status', plain: ({ is_active }) => String(is_active),
      cell: ({ is_active }, { say }) => mark(say(is_active ? 'shown' : 'hidden'), is_active ? 'good' : 'plain') },
    { title: 'created_at', sort: 'created_at', isWide: true, plain: ({ created_at }) => created_at.toISOString(),
      cell: ({ created_at }, { day }) => day(created_at) },
  ],
  filters: [{ name: 'is_active', label: 'shown' }],
  empty: { title: 'categories_none', text: 'categories_none_text' },
})
