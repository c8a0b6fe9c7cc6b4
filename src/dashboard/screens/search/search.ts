// Searches orders by number, phone, SKU, product or customer, and drafts, products, customers and screens. The command
// palette reads JSON; without a script it is a page.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { product, type Product } from '../../../commerce/catalog/product.ts'
import { customer, type Customer } from '../../../commerce/customers/customer.ts'
import { entityPage, type RecordPage } from '../../../kit/declare/page.ts'
import type { Entity, Fields } from '../../../kit/declare/field.ts'
import type { ResourceOf } from '../../../kit/declare/resource.ts'
import { draftOrder } from '../../../commerce/draftorders/draftorder.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { sql, type Sql, join } from '../../../kit/database/sql.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Html, PageResult, Screen, PageContext } from '../../framework/screen.ts'
import { emptyState, panel } from '../../framework/parts.ts'
import { shortcutRows } from '../../framework/shortcuts.ts'
import { messageOr } from '../../framework/messages.ts'
import { formatTotal } from '../../framework/total.ts'
import type { Db } from '../../../kit/database/database.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import type { Store } from '../../../tenancy/stores/store.ts'

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
  const { t } = context
  const pages = { title: t('find_pages'), items: findScreens(context, text) }
  const records = text === '' ? [] : await findRecords(context, text)
  return [...records, pages].filter(({ items }) => items.length > 0)
}

async function findRecords(context: PageContext, text: string): Promise<ResultGroup[]> {
  const may = (scope: string) => mayUse(context.role, scope)
  // Only an order has a number with a hash.
  const isNumber = /^#\d/.test(text)
  const [products, customers] = await Promise.all([
    isNumber || !(may('read:products') || may('read:orders')) ? null : searchProducts(context, text),
    isNumber || !may('read:customers') ? [] : findCustomers(context, text),
  ])
  const ids = products?.data.map(({ id }) => id) ?? []
  const orders = may('read:orders') ? await findOrders(context, text, ids, customers) : []
  const drafts = may('read:orders') && !isNumber ? await findDrafts(context, text) : []
  const groups = products && may('read:products') ? [productGroup(context, text, products)] : []
  return [...orders, ...drafts, ...groups, ...customers]
}

/** Orders of a caller are listed with the caller. */
async function findOrders(
  context: PageContext,
  text: string,
  productIds: readonly string[],
  others: readonly ResultGroup[],
): Promise<ResultGroup[]> {
  const paths = new Set(others.flatMap(({ items }) => items.map(({ to }) => to)))
  const orders = await findOrdersBy(context, text, productIds, maxPerKind)
  const items = orders.map((order) => orderResult(context, order)).filter(({ to }) => !paths.has(to))
  return [{ title: context.t('orders'), items }]
}

function orderResult({ base, price }: PageContext, { id, order_number, customer_name, total }: Order): SearchResult {
  const note = [customer_name, price(total)].filter(Boolean).join(' · ')
  return { text: `#${order_number}`, note, to: `${base}/orders/${id}` }
}

/** Drafts that are not orders yet. */
async function findDrafts(context: PageContext, search: string): Promise<ResultGroup[]> {
  const { t, base, price } = context
  const isOpen = sql`draft_orders.completed_at is null`
  const { data } = await first(context, draftOrder, { sort: 'created_at', order: 'desc', search }, isOpen)
  const items = data.map(({ id, draft_number, customer_name, customer_email, total }) => {
    const note = [customer_name ?? customer_email ?? t('draft_nobody'), price(total)].join(' · ')
    return { text: draft_number, note, to: `${base}/orders/drafts/${id}` }
  })
  return [{ title: t('drafts'), items }]
}

function searchProducts(context: PageContext, search: string): Promise<RecordPage<Product>> {
  return first(context, product, { sort: 'name', search, status: 'all' })
}

function productGroup(context: PageContext, search: string, { data, pagination }: RecordPage<Product>): ResultGroup {
  const items = data.map(({ id, name, sku }) => {
    return { text: name, note: sku ?? '', to: `${context.base}/products/${id}` }
  })
  const all = allResults(context, pagination.total, addressWith(`${context.base}/products`, { search, status: 'all' }))
  return { title: context.t('products'), items: [...items, ...all] }
}

/** A single match is probably a caller, so the latest orders follow. */
async function findCustomers(context: PageContext, text: string): Promise<ResultGroup[]> {
  const asTyped = await first(context, customer, { sort: 'name', search: text })
  const withSpaces = text
    .split(/[\s,]+/)
    .toReversed()
    .join(' ')
  // People also give the last name first.
  const isTurned = asTyped.data.length === 0 && withSpaces !== text
  const search = isTurned ? withSpaces : text
  const { data, pagination } = isTurned ? await first(context, customer, { sort: 'name', search }) : asTyped
  const items = data.map(({ id, name, email, phone }) => {
    return { text: name, note: email ?? phone ?? '', to: `${context.base}/customers/${id}` }
  })
  const all = allResults(context, pagination.total, addressWith(`${context.base}/customers`, { search }))
  const [caller, ...others] = data
  return [
    { title: context.t('customers'), items: [...items, ...all] },
    ...(caller && others.length === 0 && mayUse(context.role, 'read:orders')
      ? [await findCustomerOrders(context, caller)]
      : []),
  ]
}

async function findCustomerOrders(context: PageContext, { id, name }: Customer): Promise<ResultGroup> {
  const { data } = await first(context, order, { sort: 'created_at', order: 'desc', customer_id: id })
  return { title: context.t('find_orders_of', { name }), items: data.map((order) => orderResult(context, order)) }
}

/** Links to the list if there are further results. */
function allResults(context: PageContext, count: number, to: string): SearchResult[] {
  const text = context.t('find_all', { count: formatTotal(context, count) })
  return count > maxPerKind ? [{ text, note: '', to }] : []
}

async function first<F extends Fields>(
  { db, store }: PageContext,
  resource: ResourceOf<F>,
  query: { sort: string; order?: 'asc' | 'desc' } & Record<string, string>,
  ...within: Sql[]
): Promise<RecordPage<Entity<F>>> {
  return entityPage(db, resource, store, { page: 1, per_page: maxPerKind, order: 'asc', ...query }, ...within)
}

// Finds screens by their titles.

type SearchResult = { text: string; note: string; to: string }

/** The screens that the role may see and whose path has no parameters. */
function visibleScreens({ role, screens }: Pick<PageContext, 'role' | 'screens'>): Screen[] {
  return screens.filter(({ scope, params, isUnlisted }) => !params && !isUnlisted && mayUse(role, scope))
}

const normalize = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** Titles that begin with the text come first, and matches of synonyms last. */
function findScreens(context: PageContext, search: string): SearchResult[] {
  const { t, base } = context
  const term = normalize(search)
  const rank = ({ text }: SearchResult) =>
    normalize(text).startsWith(term) ? 0 : normalize(text).includes(term) ? 1 : 2
  return visibleScreens(context)
    .map(({ path, title, within }) => ({
      text: t(title),
      note: within && within.title !== title ? t(within.title) : '',
      to: base + path,
      words: messageOr(t, `find_words_${title}`, ''),
    }))
    .filter(({ text, note, words }) => normalize(`${text} ${note} ${words}`).includes(term))
    .map(({ words: _, ...found }) => found)
    .sort((a, b) => rank(a) - rank(b))
}

// Orders in the search: by number or ID, by the phone of the customer (also a guest's), and by SKU or product. Each
// part reads a few rows of an index, however many orders there are.

/** Fewer digits end too many phone numbers. */
const minDigits = 7

/** The newest that match, by one statement. `productIds` are public IDs of products that match. */
export async function findOrdersBy(
  { db, store }: { db: Db; store: Store },
  text: string,
  productIds: readonly string[],
  limit: number,
): Promise<Order[]> {
  const parts = [
    ...byNumber(store.id, text),
    ...byPhone(store.id, text, limit),
    ...bySku(store.id, text, limit),
    ...productIds.map((id) => withProduct(store.id, toUuid('prod', id)!, limit)),
  ]
  if (parts.length === 0) return []
  const isFound = sql`orders.id in (${join(
    parts.map((part) => sql`(${part})`),
    ' union all ',
  )})`
  const query = { page: 1, per_page: limit, sort: 'created_at', order: 'desc' } as const
  return (await entityPage(db, order, store, query, isFound)).data
}

function byNumber(storeId: string, text: string): Sql[] {
  const [, number] = /^#?(\d{1,15})$/.exec(text) ?? []
  const id = toUuid('ord', text)
  return [
    ...(number ? [sql`select id from orders where store_id = ${storeId} and order_number = ${number}`] : []),
    ...(id ? [sql`select id from orders where store_id = ${storeId} and id = ${id}`] : []),
  ]
}

/** Notations of a number differ in front: the last eight digits are the same. */
function byPhone(storeId: string, text: string, limit: number): Sql[] {
  const digits = /^[\d\s()+./-]+$/.test(text) ? text.replace(/\D/g, '') : ''
  if (digits.length < minDigits) return []
  return [
    sql`select id
      from orders
      where store_id = ${storeId}
        and right(phone_digits, 8) = right(${digits}, 8)
        and phone_digits is not null
      order by created_at desc
      limit ${limit}`,
  ]
}

/** IDs of orders grow with time, so the last ones are the newest. */
function bySku(storeId: string, text: string, limit: number): Sql[] {
  if (text.length < 2 || text.startsWith('#')) return []
  return [
    sql`select order_id
      from order_items
      where store_id = ${storeId}
        and lower(sku) = lower(${text})
        and sku is not null
      order by order_id desc
      limit ${limit}`,
  ]
}

function withProduct(storeId: string, productId: string, limit: number): Sql {
  return sql`select order_id
      from order_items
      where store_id = ${storeId}
        and product_id = ${productId}
      order by order_id desc
      limit ${limit}`
}
