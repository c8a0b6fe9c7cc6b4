// The list of categories: each below its parent.
import { html } from 'hono/html'
import { category } from '../../../commerce/catalog/category.ts'
import { resource } from '../../../kit/declare/resource.ts'
import { list } from '../../framework/list.ts'
import { mark } from '../../framework/parts.ts'

const tree = resource('categories', category.fields, category.filters, {
  ...category,
  defaultSort: 'path',
  defaultOrder: 'asc',
})

// prettier-ignore
export const categories = list({
  path: '/categories', section: 'products', nav: {}, scope: 'read:categories', title: 'categories', resource: tree,
  buttons: ({ t, base }) => html`<a class="button" href="${base}/categories/new">${t('category_new')}</a>`,
  columns: [
    { title: 'name', sort: 'name', csv: ({ name }) => name,
      cell: ({ id, name, ancestor_ids }, { base }) =>
        html`${'— '.repeat(ancestor_ids.length)}<a class="main" href="${base}/categories/${id}">${name}</a>` },
    { title: 'url_handle', sort: 'path', isWide: true, cell: ({ path }) => html`<code>${path}</code>`,
      csv: ({ path }) => path },
    { title: 'status', csv: ({ is_active }) => String(is_active),
      cell: ({ is_active }, { t }) => mark(t(is_active ? 'shown' : 'hidden'), is_active ? 'good' : 'plain') },
    { title: 'created_at', sort: 'created_at', isWide: true, csv: ({ created_at }) => created_at.toISOString(),
      cell: ({ created_at }, { formatDate }) => formatDate(created_at) },
  ],
  filters: [{ name: 'is_active', label: 'shown' }],
  empty: { title: 'categories_none', text: 'categories_none_text' },
})
