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
import type { Html, Reply, Screen, Visit } from '../../framework/page.ts'
import { panel } from '../../framework/parts.ts'
import { keyRows } from '../../framework/keys.ts'
import { pagesNamed, type Found } from './pages.ts'

type Group = { title: string; items: Found[] }

const mostOfAKind = 6

export const findScreen: Screen = {
  path: '/find',
  scope: 'read:store',
  title: 'find',
  section: 'home',
  isAside: true,
  async show(visit) {
    const { say, base, query } = visit
    const typed = typedIn(visit)
    const groups = await groupsOf(visit, typed)
    const input = {
      type: 'search',
      name: 'search',
      value: query.search ?? '',
      maxlength: 200,
      'aria-label': say('find'),
    }
    const none = html`<div class="empty"><h2>${say('find_none')}</h2><p>${say('find_none_text')}</p></div>`
    return {
      content: html`<form class="find" role="search" action="${base}/find"><div class="searchline">
<input${attributes({ ...input, placeholder: say('find_text'), autocomplete: 'off' })}>
<button>${say('search')}</button></div></form>
${groups.length === 0 ? none : groups.map(({ title, items }) => panel(title, list(items)))}
${panel(say('shortcuts'), html`<ul class="keys">${keyRows(visit)}</ul>`)}`,
    }
  },
  json: async (visit): Promise<Reply> => ({ json: JSON.stringify({ groups: await groupsOf(visit, typedIn(visit)) }) }),
}

const typedIn = ({ query }: Visit) => (query.search ?? '').trim().slice(0, 200)

function list(items: readonly Found[]): Html {
  const rows = items.map(
    ({ text, note, to }) => html`<li><a class="main" href="${to}">${text}</a> <small>${note}</small></li>`,
  )
  return html`<ul class="rows">${rows}</ul>`
}

/** Only of what the role may see; without words, the pages. */
async function groupsOf(visit: Visit, typed: string): Promise<Group[]> {
  const { say, role } = visit
  const kinds = [
    { title: say('orders'), scope: 'read:orders', find: ordersNumbered },
    { title: say('products'), scope: 'read:products', find: productsNamed },
    { title: say('customers'), scope: 'read:customers', find: customersNamed },
  ]
  const open = typed === '' ? [] : kinds.filter(({ scope }) => mayUse(role, scope))
  const found = await Promise.all(open.map(async ({ title, find }) => ({ title, items: await find(visit, typed) })))
  const pages = { title: say('find_pages'), items: pagesNamed(visit, typed) }
  return [...found, pages].filter(({ items }) => items.length > 0)
}

/** A number or an id alone: what the index of numbers answers, however many orders there are. */
async function ordersNumbered(visit: Visit, typed: string): Promise<Found[]> {
  const [, number] = /^#?(\d{1,15})$/.exec(typed) ?? []
  const search = number ? `#${number}` : uuidOf('ord', typed) ? typed : null
  if (!search) return []
  const rows = await first(visit, order, { sort: 'created_at', search })
  return rows.map(({ id, order_number, customer_name, total }) => ({
    text: `#${order_number}`,
    note: [customer_name, visit.price(total)].filter(Boolean).join(' · '),
    to: `${visit.base}/orders/${id}`,
  }))
}

async function productsNamed(visit: Visit, search: string): Promise<Found[]> {
  const rows = await first(visit, product, { sort: 'name', search, status: 'all' })
  return rows.map(({ id, name, sku }) => ({ text: name, note: sku ?? '', to: `${visit.base}/products/${id}` }))
}

async function customersNamed(visit: Visit, search: string): Promise<Found[]> {
  const rows = await first(visit, customer, { sort: 'name', search })
  return rows.map(({ id, name, email, phone }) => ({
    text: name,
    note: email ?? phone ?? '',
    to: `${visit.base}/customers/${id}`,
  }))
}

async function first<F extends Fields>(
  { db, store }: Visit,
  resource: ResourceOf<F>,
  query: { sort: string; search: string; status?: string },
): Promise<Entity<F>[]> {
  return (await entityPage(db, resource, store, { page: 1, per_page: mostOfAKind, order: 'asc', ...query })).data
}
