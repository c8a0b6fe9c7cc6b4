// The store that the examples of the guides work on: `$BASE`, `$KEY` and one record for each `prod_…`.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after } from 'node:test'
import { sql } from '../src/kit/database/sql.ts'
import { capabilityNames, newest } from '../src/extensions/ucp/releases.ts'
import { ownDatabase } from './database.ts'
import { fakeProvider, payingShop } from './payments.ts'
import { receiver, testAuthority } from './receiver.ts'
import { dataOf } from './shop.ts'
import { platformProfile } from './ucp.ts'
import { noisyPicture } from './uploads.ts'
import { openWorld, secretKey, type TestStore } from './world.ts'

const database = await ownDatabase()
const agents = await receiver()
after(agents.close)
const app = await openWorld(
  { AUTH_URL: 'http://127.0.0.1:4000', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  { database, forks: true, network: { ca: testAuthority.ca } },
)
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'stoa-guides-'))
after(() => rmSync(dataDir, { recursive: true, force: true }))
export const world = { ...app, dataDir }

const psp = fakeProvider()

type Environment = Record<string, string>

/** A store for one guide: the variables of its examples, and the IDs that stand for `prod_…`. */
export async function prepared(guide: string): Promise<{ environment: Environment; ids: Environment }> {
  const shop = await payingShop(app)
  const records = await recordsOf(shop)
  const own = await (special[guide] ?? (async () => ({})))(shop)
  const environment = {
    BASE: app.url,
    AUTH_URL: app.url,
    KEY: shop.api.key,
    AGENT_KEY: (await shop.withKey({ scopes: ['propose:products'] })).key,
    STORE: shop.store.slug,
    STORE_ID: shop.store.id,
    DATABASE_URL: database.url,
    SECRET_KEY: secretKey,
    DATA_DIR: dataDir,
    ...records,
    ...own,
  }
  const ids = Object.values(environment).filter((value) => /^[a-z]+_[0-9a-z]{26}$/.test(value))
  return { environment, ids: Object.fromEntries(ids.map((id) => [id.split('_')[0]!, id])) }
}

async function recordsOf({ api }: TestStore): Promise<Environment> {
  const create = async (address: string, body: object) => dataOf(await api.post(`/v1${address}`, body), 201)
  const category = await create('/categories', { name: 'Bags' })
  const collection = await create('/collections', { name: 'Travel' })
  const product = await create('/products', {
    name: 'Canvas backpack',
    price: 89,
    category_id: category.id,
    track_inventory: true,
    stock_quantity: 9,
  })
  const webhook = await create('/webhooks', { url: 'https://example.com/hooks', events: ['order.created'] })
  await create('/store/payment-methods', { code: 'cod' })
  const order = await create('/orders', {
    items: [{ product_id: product.id, quantity: 2 }],
    customer_name: 'Ana Torres',
    customer_email: 'ana@example.com',
    payment_status: 'paid',
  })
  return {
    PRODUCT: product.id,
    CATEGORY: category.id,
    COLLECTION: collection.id,
    ORDER: order.id,
    ITEM: order.items[0].id,
    CUSTOMER: order.customer_id,
    WEBHOOK: webhook.id,
  }
}

async function backpackOf(api: TestStore['api']) {
  return (await api.get('/v1/products?search=backpack')).data[0]
}

type PayingShop = Awaited<ReturnType<typeof payingShop>>

// What one guide needs beside that.
const special: Record<string, (shop: PayingShop) => Promise<Environment>> = {
  async payments(shop) {
    const { token } = await shop.begin()
    await shop.shopper.complete(token)
    psp.pay(psp.last(), { status: 'authorized', authorized: 20, captured: 0 })
    const { data } = await shop.shopper.complete(token)
    return { ORDER: data.order.id }
  },
  /** Both units are shipped, and one is in a return that waits for approval. */
  async returns({ api }) {
    const [order] = (await api.get('/v1/orders')).data
    dataOf(await api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
    const items = [{ item_id: order.items[0].id, quantity: 1, reason: 'does_not_fit' }]
    const body = { items, status: 'requested' }
    return { RETURN: dataOf(await api.post(`/v1/orders/${order.id}/returns`, body), 201).id }
  },
  async 'draft-orders'({ api, thing }) {
    const draft = await api.post('/v1/draft-orders', { items: [{ product_id: thing.id, quantity: 1 }] })
    return { DRAFT: dataOf(draft, 201).id }
  },
  /** Two shoppers have confirmed that they wait for the product. */
  async 'back-in-stock'({ api, store }) {
    const product = await backpackOf(api)
    for (const email of ['ana@example.com', 'bo@example.com'])
      dataOf(await api.post('/v1/backinstock/requests', { product_id: product.id, email }), 201)
    await app.app.db.rows(sql`
      update backinstock_requests
      set confirmed_at = created_at
      where store_id = ${store.id}`)
    return {}
  },
  async downloads({ api }) {
    writeFileSync(path.join(dataDir, 'manual.pdf'), '%PDF-1.7')
    return { PRODUCT: (await backpackOf(api)).id }
  },
  /** A bundle of two mugs and a tray was sold. */
  async bundles({ api }) {
    const create = async (body: object) => dataOf(await api.post('/v1/products', body), 201)
    const [mug, tray] = [await create({ name: 'Mug', price: 10 }), await create({ name: 'Tray', price: 30 })]
    const bundle_items = [{ product_id: mug.id, quantity: 2 }, { product_id: tray.id }]
    const { id } = await create({ name: 'Tea set', price: 45, bundle_items })
    const sale = { items: [{ product_id: id, quantity: 1 }], payment_status: 'paid', tax_amount: 0 }
    const order = dataOf(await api.post('/v1/orders', sale), 201)
    return { ORDER: order.id, ITEM: order.items[0].id }
  },
  async customers({ api }) {
    return { OTHER: dataOf(await api.post('/v1/customers', { name: 'Ana T.' }), 201).id }
  },
  async discounts({ api }) {
    for (const body of [
      { code: 'WELCOME10', type: 'percentage', value: 10, combines_with: ['shipping'] },
      { code: 'FREESHIP', type: 'free_shipping', value: 0, combines_with: ['order'] },
    ])
      dataOf(await api.post('/v1/discounts', body), 201)
    return {}
  },
  async images() {
    writeFileSync(path.join(dataDir, 'backpack.jpg'), await noisyPicture())
    return {}
  },
  /** curl says which domain it means, as a proxy in front of the service does. */
  async 'agents-shoppers'({ api, store }) {
    const domain = `${store.slug}.example.net`
    await app.app.db.transaction((tx) =>
      tx.rows(sql`update stores set custom_domain = ${domain}, domain_verified = true where id = ${store.id}`),
    )
    await api.post('/v1/store/shipping-rates', { code: 'standard', price: 5 })
    writeFileSync(path.join(dataDir, '.curlrc'), `header = "x-forwarded-host: ${domain}"\n`)
    agents.answer = () => ({ body: JSON.stringify(platformProfile(newest, capabilityNames)) })
    return { SHOP: app.url, PROFILE: `${agents.url}/agent.json`, CURL_HOME: dataDir }
  },
  async importing() {
    writeFileSync(path.join(dataDir, 'products.csv'), 'name,price\nMug,5\n')
    return {}
  },
  async sandbox({ api }) {
    const { url, key } = dataOf(await api.post('/v1/forks'), 201)
    return { FORK: app.url + new URL(url).pathname, FORK_KEY: key }
  },
  async webhooks() {
    writeFileSync(path.join(dataDir, 'body.json'), '{}')
    return { TIMESTAMP: '1772366400', SECRET: 'a secret' }
  },
  async requests(shop) {
    const { headers } = await shop.api.post('/v1/products', { name: 'Mug', price: 10 })
    await app.app.requestLog!.flush()
    return { REQUEST: headers.get('x-request-id')! }
  },
  async audit(shop) {
    const [category] = (await shop.api.get('/v1/categories')).data
    const { headers } = await shop.api.patch(`/v1/categories/${category.id}`, { name: 'Backpacks' })
    return { REQUEST: headers.get('x-request-id')! }
  },
}
