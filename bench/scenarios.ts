// What is measured. Each request goes to another store in turn, unless the scenario is about one store.
import { keysOfStore, keyOf, scale, smallStores } from './load.ts'
import type { Request } from './generator.ts'

/** A product of each small store, as the API names it. */
export type Ids = {
  /** Without variants, its stock as good as endless. */
  plain: string[]
  /** Every second with two variants. */
  any: string[]
}

export type Scenario = {
  name: string
  /** Each turn over the stores can send another request. */
  request: (store: number, ids: Ids, turn: number) => Request
  /** Of the large store alone. */
  isLarge?: boolean
  /** Compare with node:http serving the first request's bytes. */
  bare?: boolean
  /** pgbench repeats the statements of one request: not where a repetition writes nothing. */
  isReplayed?: boolean
  /** Other requests in each round: a repeated name would cost a slug of its own. */
  isFresh?: boolean
  /** Part of `--quick`. */
  isShort?: boolean
}

/** One after the other, as they are sent. */
export function requestsOf({ request, isLarge, isFresh }: Scenario, ids: Ids): Request[] {
  const turns = isFresh ? Math.ceil(6000 / smallStores) : 3
  if (!isLarge)
    return Array.from({ length: turns }).flatMap((_, turn) => stores.map((store) => request(store, ids, turn)))
  return keysOfStore(0).map((key) => {
    const { headers, ...rest } = request(0, ids, 0)
    return { ...rest, headers: { ...headers, 'x-api-key': key } }
  })
}

const stores = Array.from({ length: smallStores }, (_, index) => index + 1)

function get(path: string, store: number): Request {
  return { method: 'GET', path, headers: { 'x-api-key': keyOf(store) } }
}

function send(method: 'POST' | 'PATCH', path: string, store: number, body: unknown): Request {
  const headers = { 'x-api-key': keyOf(store), 'content-type': 'application/json' }
  return { method, path, headers, body: JSON.stringify(body) }
}

const enamelMug = { name: 'Enamel mug', price: 12.5, sku: 'MUG-1', description: 'Made to last.' }
const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10)
const deepPage = `/v1/products?page=${4000 / scale}`
const rare = '/v1/products?search=backpack%201995'
const filtered = '/v1/products?price[gte]=100&price[lte]=200&sort=price&order=asc'
const orders = `/v1/orders?status=completed&payment_status=paid&date_from=${monthAgo}`

let mugs = 0
const mug = (store: number) =>
  send('POST', '/v1/products', store, { ...enamelMug, name: `Enamel mug ${process.pid}-${mugs++}` })
// A customer whom the store knows: pgbench repeats what one request wrote, and it may not be the one that made them.
const sale = (store: number, { plain }: Ids) =>
  send('POST', '/v1/orders', store, {
    items: [{ product_id: plain[store - 1], quantity: 1 }],
    customer_name: 'Customer 1',
    customer_email: 'customer1@example.com',
  })
const receipt = (store: number, { plain }: Ids) =>
  send('PATCH', `/v1/inventory/products/${plain[store - 1]}`, store, { quantity: 1, reason: 'received' })
const one = (store: number, { any }: Ids) => get(`/v1/products/${any[store - 1]}`, store)
const change = (store: number, { plain }: Ids, turn: number) =>
  send('PATCH', `/v1/products/${plain[store - 1]}`, store, { price: 12.5 + turn, description: `Made to last ${turn}.` })
// Each shopper comes from another address, since each address has a limit of its own.
const page =
  (path: string) =>
  (store: number, _: Ids, turn: number): Request => ({
    method: 'GET',
    path: `/s/bench-${store}${path}`,
    headers: { 'x-forwarded-for': `10.${turn}.${store >> 8}.${store & 255}` },
  })
const found = (store: number) => get(`/v1/products?search=backpack%20${(store % 90) + 10}`, store)

// prettier-ignore
export const scenarios: Scenario[] = [
  { name: 'list products',             bare: true, isShort: true, request: (store) => get('/v1/products', store) },
  { name: 'get product',               bare: true, isShort: true, request: one },
  { name: 'filtered list',             bare: true, request: (store) => get(filtered, store) },
  { name: 'search',                    bare: true, isShort: true, request: found },
  { name: 'page 1 of the large store', bare: true, request: () => get('/v1/products', 0), isLarge: true },
  { name: 'a deep page of it',         bare: true, request: () => get(deepPage, 0), isLarge: true },
  { name: 'search in it',                          request: () => get(rare, 0), isLarge: true },
  { name: 'list orders, filtered',     bare: true, request: (store) => get(orders, store) },
  { name: 'create product',            isShort: true, request: mug, isFresh: true },
  { name: 'create order',              isShort: true, request: sale },
  { name: 'update product',            isShort: true, request: change, isReplayed: false },
  { name: 'adjust inventory',          request: receipt },
  { name: 'home page',                 isShort: true, request: page('') },
  { name: 'product page',              isShort: true, request: page('/products/canvas-backpack-5') },
]

/** Those with the names; without names all, or the short list. */
export function chosen<T extends { name: string; isShort?: boolean }>(
  all: T[],
  names: string[],
  isQuick: boolean,
): T[] {
  return all.filter(({ name, isShort }) => (names.length > 0 ? names.includes(name) : isShort || !isQuick))
}
