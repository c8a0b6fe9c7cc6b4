// Finds what somebody types: orders by number, products, customers, pages. The palette asks for it as JSON; without a
// script it is a page.
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
import { panel } from '../../framework/parts.ts'
import { shortcutRows } from '../../framework/shortcuts.ts'
import { pagesNamed, type Found } from './pages.ts'

type Group = { title: string; items: Found[] }

const mostOfAKind = 6

export const findScreen: Screen = {
  path: '/find',
  scope: 'read:store',
  title: 'find',
  section: 'home',
  isUnlisted: true,
  async show(context) {
    const { t, base, query } = context
    const typed = typedIn(context)
    const groups = await groupsOf(context, typed)
    const input = { type: 'search', name: 'search', value: query.search ?? '', maxlength: 200, 'aria-label': t('find') }
    const none = html`<div class="empty"><h2>${t('find_none')}</h2><p>${t('find_none_text')}</p></div>`
    return {
      content: html`<form class="find" role="search" action="${base}/find"><div class="searchline">
<input${attributes({ ...input, placeholder: t('find_text'), autocomplete: 'off' })}>
<button>${t('search')}</button></div></form>
${groups.length === 0 ? none : groups.map(({ title, items }) => panel(title, list(items)))}
${panel(t('shortcuts'), html`<ul class="keys">${shortcutRows(context)}</ul>`)}`,
    }
  },
  json: async (context): Promise<PageResult> => ({
    json: JSON.stringify({ groups: await groupsOf(context, typedIn(context)) }),
  }),
}

const typedIn = ({ query }: PageContext) => (query.search ?? '').trim().slice(0, 200)

function list(items: readonly Found[]): Html {
  const rows = items.map(
    ({ text, note, to }) => html`<li><a class="main" href="${to}">${text}</a> <small>${note}</small></li>`,
  )
  return html`<ul class="rows">${rows}</ul>`
}

/** Only of what the role may see; without words, the pages. */
async function groupsOf(context: PageContext, typed: string): Promise<Group[]> {
  const { t, role } = context
  const kinds = [
    { title: t('orders'), scope: 'read:orders', find: ordersNumbered },
    { title: t('products'), scope: 'read:products', find: productsNamed },
    { title: t('customers'), scope: 'read:customers', find: customersNamed },
  ]
  const open = typed === '' ? [] : kinds.filter(({ scope }) => mayUse(role, scope))
  const found = await Promise.all(open.map(async ({ title, find }) => ({ title, items: await find(context, typed) })))
  const pages = { title: t('find_pages'), items: pagesNamed(context, typed) }
  return [...found, pages].filter(({ items }) => items.length > 0)
}

/** A number or an id alone: what the index of numbers answers, however many orders there are. */
async function ordersNumbered(context: PageContext, typed: string): Promise<Found[]> {
  const [, number] = /^#?(\d{1,15})$/.exec(typed) ?? []
  const search = number ? `#${number}` : uuidOf('ord', typed) ? typed : null
  if (!search) return []
  const rows = await first(context, order, { sort: 'created_at', search })
  return rows.map(({ id, order_number, customer_name, total }) => ({
    text: `#${order_number}`,
    note: [customer_name, context.price(total)].filter(Boolean).join(' · '),
    to: `${context.base}/orders/${id}`,
  }))
}

async function productsNamed(context: PageContext, search: string): Promise<Found[]> {
  const rows = await first(context, product, { sort: 'name', search, status: 'all' })
  return rows.map(({ id, name, sku }) => ({ text: name, note: sku ?? '', to: `${context.base}/products/${id}` }))
}

async function customersNamed(context: PageContext, search: string): Promise<Found[]> {
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
  return (await entityPage(db, resource, store, { page: 1, per_page: mostOfAKind, order: 'asc', ...query })).data
}
