// Searches orders by number, products, customers and screens. The command palette reads JSON; without a script it is a
// page.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { product } from '../../../commerce/catalog/product.ts'
import { customer } from '../../../commerce/customers/customer.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import type { Entity, Fields } from '../../../kit/declare/field.ts'
import type { ResourceOf } from '../../../kit/declare/resource.ts'
import { uuidOf } from '../../../kit/values/ids.ts'
import { order } from '../../../commerce/orders/order.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Html, PageResult, Screen, PageContext } from '../../framework/screen.ts'
import { emptyState, panel } from '../../framework/parts.ts'
import { shortcutRows } from '../../framework/shortcuts.ts'
import { findScreens, type SearchResult } from './screens.ts'

type ResultGroup = { title: string; items: SearchResult[] }

const maxPerKind = 6

export const findScreen: Screen = {
  path: '/find',
  scope: 'read:store',
  title: 'find',
  section: 'home',
  isUnlisted: true,
  async show(context) {
    const { t, base, query } = context
    const text = searchText(context)
    const groups = await findResults(context, text)
    const input = { type: 'search', name: 'search', value: query.search ?? '', maxlength: 200, 'aria-label': t('find') }
    const none = emptyState(t, 'find_none', 'find_none_text')
    return {
      content: html`<form class="find" role="search" action="${base}/find"><div class="searchline">
<input${attributes({ ...input, placeholder: t('find_text'), autocomplete: 'off' })}>
<button>${t('search')}</button></div></form>
${groups.length === 0 ? none : groups.map(({ title, items }) => panel(title, list(items)))}
${panel(t('shortcuts'), html`<ul class="keys">${shortcutRows(context)}</ul>`)}`,
    }
  },
  json: async (context): Promise<PageResult> => ({
    json: JSON.stringify({ groups: await findResults(context, searchText(context)) }),
  }),
}

const searchText = ({ query }: PageContext) => (query.search ?? '').trim().slice(0, 200)

function list(items: readonly SearchResult[]): Html {
  const rows = items.map(
    ({ text, note, to }) => html`<li><a class="main" href="${to}">${text}</a> <small>${note}</small></li>`,
  )
  return html`<ul class="rows">${rows}</ul>`
}

/** Searches what the role may read. An empty search lists the screens. */
async function findResults(context: PageContext, text: string): Promise<ResultGroup[]> {
  const { t, role } = context
  const kinds = [
    { title: t('orders'), scope: 'read:orders', find: findOrders },
    { title: t('products'), scope: 'read:products', find: findProducts },
    { title: t('customers'), scope: 'read:customers', find: findCustomers },
  ]
  const open = text === '' ? [] : kinds.filter(({ scope }) => mayUse(role, scope))
  const results = await Promise.all(open.map(async ({ title, find }) => ({ title, items: await find(context, text) })))
  const pages = { title: t('find_pages'), items: findScreens(context, text) }
  return [...results, pages].filter(({ items }) => items.length > 0)
}

/** Accepts only a number or an id, which an index finds among any number of orders. */
async function findOrders(context: PageContext, text: string): Promise<SearchResult[]> {
  const [, number] = /^#?(\d{1,15})$/.exec(text) ?? []
  const search = number ? `#${number}` : uuidOf('ord', text) ? text : null
  if (!search) return []
  const rows = await first(context, order, { sort: 'created_at', search })
  return rows.map(({ id, order_number, customer_name, total }) => ({
    text: `#${order_number}`,
    note: [customer_name, context.price(total)].filter(Boolean).join(' · '),
    to: `${context.base}/orders/${id}`,
  }))
}

async function findProducts(context: PageContext, search: string): Promise<SearchResult[]> {
  const rows = await first(context, product, { sort: 'name', search, status: 'all' })
  return rows.map(({ id, name, sku }) => ({ text: name, note: sku ?? '', to: `${context.base}/products/${id}` }))
}

async function findCustomers(context: PageContext, search: string): Promise<SearchResult[]> {
  const rows = await first(context, customer, { sort: 'name', search })
  return rows.map(({ id, name, email, phone }) => ({
    text: name,
    note: email ?? phone ?? '',
    to: `${context.base}/customers/${id}`,
  }))
}

async function first<F extends Fields>(
  { db, store }: PageContext,
  resource: ResourceOf<F>,
  query: { sort: string; search: string; status?: string },
): Promise<Entity<F>[]> {
  return (await entityPage(db, resource, store, { page: 1, per_page: maxPerKind, order: 'asc', ...query })).data
}
