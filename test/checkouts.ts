// What the tests of the checkout begin with: a shopper without a key at the storefront of one store.
import { client, type Answer } from './client.ts'
import type { TestStore, World } from './world.ts'

export type Shopper = {
  get(path?: string): Promise<Answer>
  begin(body: unknown): Promise<Answer>
  read(token: string): Promise<Answer>
  change(token: string, body: unknown): Promise<Answer>
  complete(token: string, body?: unknown, query?: string): Promise<Answer>
}

/** What the pages of a store need to take orders. */
export async function setUp<S extends TestStore>(shop: S): Promise<S> {
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 0 })
  await shop.api.post('/v1/store/payment-methods', { code: 'cod' })
  return shop
}

let shoppers = 0

export function shopperOf({ url }: World, { store }: TestStore): Shopper {
  // Each comes from an address of their own, for what one address may do.
  const address = ++shoppers
  const http = client(url, { 'x-forwarded-for': `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}` })
  const root = `/storefront/${store.slug}`
  return {
    get: (path = '') => http.get(root + path),
    begin: (body) => http.post(`${root}/checkouts`, body),
    read: (token) => http.get(`${root}/checkouts/${token}`),
    change: (token, body) => http.patch(`${root}/checkouts/${token}`, body),
    complete: (token, body = {}, query = '') => http.post(`${root}/checkouts/${token}/complete${query}`, body),
  }
}

/** A product of the store; tracked when it has a stock. */
export async function productOf(
  { api }: TestStore,
  { stock, ...fields }: { stock?: number } & Record<string, unknown> = {},
) {
  const counted = stock === undefined ? {} : { track_inventory: true, stock_quantity: stock }
  const { data } = await api.post('/v1/products', { name: 'Canvas backpack', price: 20, ...counted, ...fields })
  return data
}

/** `items.0.quantity: is sold out` */
export function faultsOf({ error }: Answer): string[] {
  return error.details.map(({ field, message }: { field: string; message: string }) => `${field}: ${message}`)
}

export const ana = { name: 'Ana Torres', email: 'ana@example.com', phone: '+52 55 1234 5678' }

/** Of somebody who can be sent something. */
export const buyer = (email: string = ana.email) => ({ customer: { ...ana, email }, shipping_address: home })

export const home = {
  address: 'Av. Reforma 222',
  city: 'Ciudad de México',
  province: 'CDMX',
  country_code: 'MX',
  postal_code: '06600',
}
