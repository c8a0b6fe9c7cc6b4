// What the people of a store do, each act as often as it comes in `turns`: integrations read and write, shoppers look
// and buy, a merchant goes through the dashboard.
import { newUuid } from '../../src/kit/values/ids.ts'
import type { Shop } from './shops.ts'

export type Asked = { method: string; path: string; headers: Record<string, string>; body?: string | Uint8Array }
export type Answer = { status: number; headers: Record<string, unknown>; text: string }
export type Send = (asked: Asked) => Promise<Answer>

/** `n` is another one each time; whoever answers with an error ends the act. */
export type Act = { name: string; run: (shop: Shop, n: number, send: Send) => Promise<unknown> }

/** An answer that is not a success. */
export class Refused extends Error {
  readonly status: number

  constructor({ method, path }: Asked, { status, text }: Answer) {
    super(`${method} ${path}: ${status} ${text.slice(0, 300)}`)
    this.status = status
  }
}

async function ask(send: Send, asked: Asked): Promise<Answer> {
  const answer = await send(asked)
  if (answer.status < 200 || answer.status > 399) throw new Refused(asked, answer)
  return answer
}

async function api(send: Send, shop: Shop, n: number, method: string, path: string, body?: object): Promise<any> {
  const headers = { 'x-api-key': shop.keys[n % shop.keys.length]!, 'content-type': 'application/json' }
  const asked = { method, path: `/v1${path}`, headers, ...(body ? { body: JSON.stringify(body) } : {}) }
  return JSON.parse((await ask(send, asked)).text).data
}

const get = (name: string, path: string | ((shop: Shop, n: number) => string)): Act => ({
  name,
  run: (shop, n, send) => api(send, shop, n, 'GET', typeof path === 'string' ? path : path(shop, n)),
})

/** Each visitor comes from an address of their own, for what one address may do. */
function visitor(n: number): Record<string, string> {
  return { 'x-forwarded-for': `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` }
}

const shopPage = (name: string, path: (shop: Shop, n: number) => string): Act => ({
  name,
  run: (shop, n, send) => ask(send, { method: 'GET', path: `/s/${shop.slug}${path(shop, n)}`, headers: visitor(n) }),
})

const screen = (path: string): Act => ({
  name: `dashboard ${path}`,
  run: (shop, n, send) =>
    ask(send, {
      method: 'GET',
      path: `/dashboard/${shop.id}${path}`,
      headers: { ...visitor(n), cookie: shop.cookie, accept: 'text/html' },
    }),
})

const productOf = ({ products }: Shop, n: number) => products[n % products.length]!
const emailOf = (n: number) => `shopper${n % 500}@example.com`

const createProduct: Act = {
  name: 'create, change and delete a product',
  async run(shop, n, send) {
    const { id } = await api(send, shop, n, 'POST', '/products', { name: `Mug ${newUuid()}`, price: 12.5 })
    await api(send, shop, n, 'PATCH', `/products/${id}`, { price: 13 })
    await api(send, shop, n, 'DELETE', `/products/${id}`)
  },
}

const changeProduct: Act = {
  name: 'change a product',
  run: (shop, n, send) => api(send, shop, n, 'PATCH', `/products/${productOf(shop, n).id}`, { price: 10 + (n % 90) }),
}

const adjust: Act = {
  name: 'adjust stock',
  run: (shop, n, send) =>
    api(send, shop, n, 'PATCH', `/inventory/products/${productOf(shop, n).id}`, { quantity: 1, reason: 'received' }),
}

const order: Act = {
  name: 'create and complete an order',
  async run(shop, n, send) {
    const items = [{ product_id: productOf(shop, n).id, quantity: 1 }]
    const body = { items, customer_name: 'Ana', customer_email: emailOf(n), notify_customer: n % 5 === 0 }
    const { id } = await api(send, shop, n, 'POST', '/orders', body)
    shop.orders.push(id)
    await api(send, shop, n, 'PATCH', `/orders/${id}`, { status: n % 4 === 0 ? 'cancelled' : 'completed' })
  },
}

const address = { address: 'Main Street 12', city: 'Springfield', province: 'IL', country_code: 'US' }

const checkout = (completes: boolean): Act => ({
  name: completes ? 'check out' : 'abandon a checkout',
  async run(shop, n, send) {
    const post = async (path: string, body: object) => {
      const headers = { ...visitor(n), 'content-type': 'application/json' }
      const asked = { method: 'POST', path: `/storefront/${shop.slug}/checkouts${path}`, headers }
      return JSON.parse((await ask(send, { ...asked, body: JSON.stringify(body) })).text).data
    }
    const { token } = await post('', {
      items: [{ product_id: productOf(shop, n).id, quantity: 1 }],
      customer: { name: 'Ana Torres', email: emailOf(n) },
      shipping_address: { ...address, postal_code: '62701' },
      shipping_method: 'standard',
      payment_method: 'cod',
    })
    if (completes) await post(`/${token}/complete`, {})
  },
})

const cart: Act = {
  name: 'shop cart',
  async run(shop, n, send) {
    const root = `/s/${shop.slug}`
    const headers = {
      ...visitor(n),
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/x-www-form-urlencoded',
    }
    const path = `${root}/products/${productOf(shop, n).slug}`
    const added = await ask(send, { method: 'POST', path, headers, body: 'quantity=1' })
    const cookie = [added.headers['set-cookie'] ?? []]
      .flat()
      .map((line) => String(line).split(';')[0])
      .join('; ')
    await ask(send, { method: 'GET', path: `${root}/cart`, headers: { ...visitor(n), cookie } })
  },
}

// prettier-ignore
const turns: [times: number, act: Act][] = [
  [3, get('list products', '/products')],
  [4, get('get product', (shop, n) => `/products/${productOf(shop, n).id}`)],
  [1, get('search products', (_, n) => `/products?search=bag%20${n % 90}`)],
  [2, get('list orders', '/orders?status=completed')],
  [1, get('count orders', '/orders/count')],
  [1, get('list events', '/events?limit=20')],
  [1, get('list customers', '/customers?search=ana')],
  [1, get('report', '/reports/sales?by=product&period=days_30')],
  [1, createProduct],
  [2, changeProduct],
  [2, adjust],
  [2, order],
  [2, checkout(true)],
  [1, checkout(false)],
  [3, shopPage('shop home', () => '')],
  [3, shopPage('shop product', (shop, n) => `/products/${productOf(shop, n).slug}`)],
  [1, shopPage('shop search', (_, n) => `/search?q=bag%20${n % 90}`)],
  [1, cart],
  ...['', '/orders', '/products', '/customers'].map((path): [number, Act] => [0.5, screen(path)]),
  ...['/reports', '/inventory'].map((path): [number, Act] => [0.5, screen(path)]),
  ...['/settings/audit', '/settings/developer/webhooks'].map((path): [number, Act] => [0.5, screen(path)]),
]

/** Every act twice as often as `turns` says, spread over the whole. */
export const acts: Act[] = turns
  .flatMap(([times, act], row) =>
    Array.from({ length: times * 2 }, (_, n) => ({ act, at: (n + row / turns.length) / times })),
  )
  .toSorted((a, b) => a.at - b.at)
  .map(({ act }) => act)
