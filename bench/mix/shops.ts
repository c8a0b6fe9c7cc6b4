// Stores with everything on, for loads that mix all that the product does: products, ways to pay and to ship, a webhook
// for every event, keys, and an owner who is signed in.
import { systemClock } from '../../src/kit/values/clock.ts'
import { openDatabase } from '../../src/kit/database/open.ts'
import { addMember, createUser } from '../../src/identity/accounts/operations.ts'
import { openSession, sessionCookie } from '../../src/identity/accounts/session.ts'
import { createKey } from '../../src/identity/apikeys/operations.ts'
import { scopes } from '../../src/identity/apikeys/scopes.ts'
import { createStore } from '../../src/tenancy/stores/operations.ts'
import { loadStore } from '../../src/tenancy/stores/store.ts'

export type Shop = {
  id: string
  slug: string
  keys: string[]
  /** Of its owner's session. */
  cookie: string
  products: { id: string; slug: string }[]
  /** Orders whose creation was acknowledged, by id. */
  orders: string[]
}

const productsPerShop = 100
const webhookEvents = [
  'product.created',
  'product.updated',
  'product.deleted',
  'order.created',
  'order.updated',
  'order.completed',
  'order.cancelled',
  'checkout.abandoned',
  'checkout.completed',
]

export async function openShops(
  { database, server, receiver }: { database: string; server: string; receiver: string },
  count: number,
  keysPerShop: number,
): Promise<Shop[]> {
  const shops: Shop[] = []
  for (let n = 0; n < count; n++) {
    const shop = await openShop(database, server, keysPerShop)
    await fill(server, shop, `${receiver}/${n}`)
    shops.push(shop)
  }
  return shops
}

async function openShop(database: string, server: string, numberOfKeys: number): Promise<Shop> {
  const db = openDatabase({ url: database, clock: systemClock, connections: 1 })
  try {
    return await db.transaction(async (tx) => {
      const id = await createStore(tx, { name: 'Casa Nogal', currency: 'USD', country_code: 'US', timezone: 'UTC' })
      const store = (await loadStore(tx, id))!
      const wanted = { name: 'bench', mode: 'live' as const, scopes: [...scopes], expires_at: null, is_active: true }
      const keys: string[] = []
      for (let n = 0; n < numberOfKeys; n++) keys.push((await createKey(tx, store, wanted)).key)
      const email = `owner-${store.slug}@example.com`
      const owner = await createUser(tx, { email, password: 'correct horse battery', name: 'Ana' })
      await addMember(tx, store, owner, 'owner')
      const session = await openSession(tx, owner, { ip: '10.0.0.1', userAgent: 'bench', how: 'password' })
      const cookie = `${sessionCookie(server)}=${session}`
      return { id, slug: store.slug, keys, cookie, products: [], orders: [] }
    })
  } finally {
    await db.close()
  }
}

async function fill(server: string, shop: Shop, receiver: string): Promise<void> {
  const post = async (path: string, body: object) => {
    const headers = { 'x-api-key': shop.keys[0]!, 'content-type': 'application/json' }
    const answer = await fetch(`${server}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return ((await answer.json()) as { data: { id: string; slug: string } }).data
  }
  await post('/categories', { name: 'Bags' })
  for (let n = 0; n < productsPerShop; n++) {
    const product = { name: `Bag ${n}`, price: 10 + n, track_inventory: true, stock_quantity: 1_000_000 }
    const { id, slug } = await post('/products', { ...product, description: 'Waxed canvas. '.repeat(20) })
    shop.products.push({ id, slug })
  }
  await post('/store/shipping-rates', { code: 'standard', price: 5 })
  await post('/store/payment-methods', { code: 'cod' })
  await post('/webhooks', { url: receiver, events: webhookEvents })
}
