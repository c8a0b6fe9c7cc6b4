// What is measured. Each request goes to another store in turn, unless the scenario is about one store.
import type { Db } from '../src/kit/database/database.ts'
import { find, page } from '../src/kit/declare/page.ts'
import type { Resource } from '../src/kit/declare/resource.ts'
import { uuidOf } from '../src/kit/values/ids.ts'
import { product } from '../src/catalog/product.ts'
import { order } from '../src/orders/order.ts'
import { keysOfStore, keyOf, smallStores, storeId } from './load.ts'
import type { Request } from './measure.ts'

/** First product of each small store and of the large one, as the API names it. */
export type Ids = { products: string[]; large: string }

export type Scenario = {
  name: string
  requests: (ids: Ids) => Request[]
  /** The same read as SQL, for one store of many, to be run by pgbench. */
  read?: (db: Db, store: number, ids: Ids) => Promise<unknown>
  /** SQL for pgbench where it is no read. */
  sql?: (store: number, ids: Ids) => string
  /** Compare with node:http serving the first request's bytes. */
  bare?: boolean
}

const stores = Array.from({ length: smallStores }, (_, index) => index + 1)
const json = { 'content-type': 'application/json' }

const list =
  (resource: Resource<any, any>, query: Record<string, unknown> = {}) =>
  (db: Db, store: number) =>
    page(db, resource, storeOf(store), resource.query.read(query, { ...storeOf(store), now: new Date() }))

function storeOf(n: number) {
  return { id: storeId(n), currency: 'USD', timezone: 'UTC', country_code: 'US' }
}

const everyStore =
  (path: (n: number, ids: Ids) => string, method: Request['method'] = 'GET', body?: unknown) =>
  (ids: Ids) =>
    stores.map((n): Request => requestOf(path(n, ids), keyOf(n), method, body))

const largeStore = (path: string) => () => keysOfStore(0).map((key) => requestOf(path, key))

function requestOf(path: string, key: string, method: Request['method'] = 'GET', body?: unknown): Request {
  const headers = { 'x-api-key': key, ...(body ? json : {}) }
  return { method, path, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
}

const enamelMug = { name: 'Enamel mug', price: 12.5, sku: 'MUG-1', description: 'Made to last.' }
const received = { quantity: 1, reason: 'received' }
const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10)

export const scenarios: Scenario[] = [
  { name: 'list products', requests: everyStore(() => '/v1/products'), read: list(product), bare: true },
  {
    name: 'get product',
    requests: everyStore((n, { products }) => `/v1/products/${products[n - 1]}`),
    read: (db, store, { products }) => find(db, product, storeId(store), uuidOf('prod', products[store - 1]!)!),
    bare: true,
  },
  {
    name: 'filtered list',
    requests: everyStore(() => '/v1/products?price[gte]=100&price[lte]=200&sort=price&order=asc'),
    read: list(product, { 'price[gte]': '100', 'price[lte]': '200', sort: 'price', order: 'asc' }),
    bare: true,
  },
  {
    name: 'search',
    requests: everyStore((n) => `/v1/products?search=backpack%20${(n % 90) + 10}`),
    read: (db, store) => list(product, { search: `backpack ${(store % 90) + 10}` })(db, store),
    bare: true,
  },
  { name: 'page 1 of 200,000', requests: largeStore('/v1/products'), read: (db) => list(product)(db, 0), bare: true },
  {
    name: 'page 4,000 of 200,000',
    requests: largeStore('/v1/products?page=4000'),
    read: (db) => list(product, { page: '4000' })(db, 0),
    bare: true,
  },
  {
    name: 'search in 200,000',
    requests: largeStore('/v1/products?search=backpack%201995'),
    read: (db) => list(product, { search: 'backpack 1995' })(db, 0),
  },
  {
    name: 'list orders, filtered',
    requests: everyStore(() => `/v1/orders?status=completed&payment_status=paid&date_from=${monthAgo}`),
    read: list(order, { status: 'completed', payment_status: 'paid', date_from: monthAgo }),
    bare: true,
  },
  {
    name: 'create product',
    requests: everyStore(() => '/v1/products', 'POST', enamelMug),
    sql: (store) => `
      insert into products (store_id, id, name, slug, description, price, sku, search_text, created_at, updated_at)
      values ('${storeId(store)}', uuidv7(), 'Enamel mug', 'enamel-mug-' || gen_random_uuid(), 'Made to last.', 12.5,
        'MUG-1', 'enamel mug mug-1 enamel-mug', now(), now())`,
  },
  {
    name: 'create order',
    requests: (ids) =>
      everyStore(
        () => '/v1/orders',
        'POST',
        null,
      )(ids).map((request, index) => ({
        ...request,
        headers: { ...request.headers, ...json },
        body: JSON.stringify({
          items: [{ product_id: ids.products[index], quantity: 1 }],
          customer_name: 'Ana Ruiz',
          customer_email: `ana${index}@example.com`,
        }),
      })),
  },
  {
    name: 'adjust inventory',
    requests: everyStore((n, { products }) => `/v1/inventory/products/${products[n - 1]}`, 'PATCH', received),
    sql: (store, { products }) => `
      with moved as (
        update products set stock_quantity = stock_quantity + 1, updated_at = now()
        where store_id = '${storeId(store)}' and id = '${uuidOf('prod', products[store - 1]!)}'
        returning store_id, id, stock_quantity
      )
      insert into inventory_transactions (store_id, id, product_id, quantity, stock_after, reason, created_at)
      select store_id, uuidv7(), id, 1, stock_quantity, 'received', now() from moved`,
  },
]
