// One record of every noun of the route table, made as its user makes it: for tests that go through the whole table.
import assert from 'node:assert/strict'
import { newUuid, publicId } from '../src/kit/values/ids.ts'
import { routes } from '../src/developer/routes.ts'
import { createView } from '../src/dashboard/savedviews/operations.ts'
import { ana, home, shopperOf } from './checkouts.ts'
import { holdMoney } from './hold.ts'
import { dataOf, red } from './shop.ts'
import { staffOf } from './staff.ts'
import { importIn } from './imports.ts'
import { madeReady, send as upload, sendDownload } from './uploads.ts'
import type { TestStore, World } from './world.ts'

/** The id of the store's record of a noun, e.g. "Product"; made when it is first asked for. */
export type Records = (noun: string) => Promise<string>

export function recordsOf(world: World, shop: TestStore): Records {
  const made = new Map<string, Promise<string>>()
  const of: Records = (noun) => {
    const create = creators[noun]
    assert.ok(create, `${noun} has no creator in test/records.ts`)
    const id = made.get(noun) ?? create({ world, shop, of })
    made.set(noun, id)
    return id
  }
  return of
}

type Creator = (context: { world: World; shop: TestStore; of: Records }) => Promise<string>

const posted =
  (path: string, bodyOf: (of: Records) => object | Promise<object>): Creator =>
  async ({ shop, of }) =>
    dataOf(await shop.api.post(path, await bodyOf(of)), 201).id

/** Some name that no other record has. */
const some = (name: string) => `${name}-${newUuid().slice(-12)}`

const creators: Record<string, Creator> = {
  Category: posted('/v1/categories', () => ({ name: some('Shirts') })),
  Collection: async ({ shop, of }) => {
    const path = '/v1/collections'
    const body = { name: some('Summer'), description: 'Of linen', image: 'https://img.example/4.jpg' }
    const { id } = dataOf(await shop.api.post(path, body), 201)
    const product_ids = [await of('Product')]
    return dataOf(await shop.api.post(`${path}/${id}/products`, { product_ids }), 200).id
  },
  Product: posted('/v1/products', async (of) => ({
    name: 'Shirt',
    description: 'Of linen',
    price: 20,
    compare_price: 25,
    sku: some('SH'),
    track_inventory: true,
    category_id: await of('Category'),
    main_image: 'https://img.example/1.jpg',
    gallery: ['https://img.example/1.jpg'],
    supplier_cost: 8,
    wholesale_price: 15,
    wholesale_min_quantity: 12,
    warranty_months: 6,
    variants: [
      {
        sku: some('SH-R'),
        price: 21,
        compare_price: 26,
        stock_quantity: 50,
        image: 'https://img.example/2.jpg',
        option_values: [red],
      },
    ],
  })),
  Variant: async ({ shop, of }) => (await shop.api.get(`/v1/products/${await of('Product')}`)).data.variants[0].id,
  Image: async ({ shop }) => madeReady(shop.api, dataOf(await upload(shop.api), 201).id),
  Customer: posted('/v1/customers', () => ({
    ...ana,
    email: `${some('ana')}@example.com`,
    notes: 'Regular',
    addresses: [{ id: 'addr_01j4ppgy1yf81r8stpc70j8epm', address: 'Av. Reforma 222', city: 'Ciudad de México' }],
  })),
  'Customer group': async ({ shop, of }) => {
    const path = '/v1/customer-groups'
    const body = { name: some('VIP'), description: 'Of the year', min_total_spent: 500, country_codes: ['MX'] }
    const { id } = dataOf(await shop.api.post(path, body), 201)
    await shop.api.post(`${path}/${id}/members`, { customer_ids: [await of('Customer')] })
    return id
  },
  Discount: posted('/v1/discounts', async (of) => ({
    code: some('TEN'),
    type: 'percentage',
    value: 10,
    min_order_amount: 5,
    max_uses: 100,
    starts_at: '2020-01-01T00:00:00Z',
    expires_at: '2100-01-01T00:00:00Z',
    applicable_product_ids: [await of('Product')],
    applicable_category_ids: [await of('Category')],
  })),
  Order: posted('/v1/orders', async (of) => ({
    items: [
      { product_id: await of('Product'), variant_id: await of('Variant'), quantity: 2 },
      { product_name: 'Gift wrapping', unit_price: 5, quantity: 1 },
    ],
    customer_id: await of('Customer'),
    notify_customer: true,
    customer_notes: 'Ring twice',
    internal_notes: 'Regular',
    payment_method: 'cod',
    shipping_method: 'standard',
    shipping_address: { ...home, country_code: undefined, country: 'Mexico' },
  })),
  'Draft order': posted('/v1/draft-orders', async (of) => ({
    items: [{ product_id: await of('Product'), variant_id: await of('Variant'), quantity: 1 }],
    customer_id: await of('Customer'),
    customer_notes: 'Ring twice',
    internal_notes: 'By phone',
    shipping_address: { ...home, country_code: undefined, country: 'Mexico' },
  })),
  Fulfillment: async ({ shop, of }) => {
    const path = `/v1/orders/${await of('Order')}`
    const [{ id: item_id }] = (await shop.api.get(path)).data.items
    const tracking = { carrier: 'DHL', tracking_number: '00340434161094042557' }
    const body = { items: [{ item_id, quantity: 1 }], ...tracking, delivered_at: '2026-11-21T10:00:00Z' }
    return dataOf(await shop.api.post(`${path}/fulfillments`, body), 201).id
  },
  'Other product': posted('/v1/products', () => ({ name: 'Belt', price: 9 })),
  'Other customer': posted('/v1/customers', () => ({ name: 'Ana T.' })),
  Note: async ({ shop, of }) => {
    const path = `/v1/customers/${await of('Customer')}/notes`
    return dataOf(await shop.api.post(path, { body: 'Rang about size 44' }), 201).id
  },
  'Marketing consent': async ({ shop, of }) => {
    const customerId = await of('Customer')
    await shop.api.patch(`/v1/customers/${customerId}`, { accepts_marketing: true })
    return (await shop.api.get(`/v1/marketing-consents?customer_id=${customerId}`)).data[0].id
  },
  'Back-in-stock request': posted('/v1/backinstock/requests', async (of) => ({
    product_id: await of('Product'),
    variant_id: await of('Variant'),
    email: `${some('ana')}@example.com`,
  })),
  Download: async ({ shop, of }) => {
    const fields = { product_id: await of('Product'), variant_id: await of('Variant') }
    return dataOf(await sendDownload(shop.api, fields), 201).id
  },
  'Download grant': async ({ shop, of }) => {
    await of('Download')
    const items = [{ product_id: await of('Product'), variant_id: await of('Variant'), quantity: 1 }]
    const order = dataOf(await shop.api.post('/v1/orders', { items, payment_status: 'paid' }), 201)
    const grants = (await shop.api.get(`/v1/downloads/grants?order_id=${order.id}`)).data
    return grants.find(({ file_id }: any) => file_id !== null).id
  },
  'License key': async ({ shop, of }) => {
    const body = { product_id: await of('Product'), variant_id: await of('Variant'), keys: some('AAAA') }
    await shop.api.post('/v1/downloads/keys', body)
    return (await shop.api.get(`/v1/downloads/keys?variant_id=${body.variant_id}`)).data[0].id
  },
  Comment: async ({ shop, of }) => {
    const path = `/v1/orders/${await of('Order')}/comments`
    return dataOf(await shop.api.post(path, { body: 'Call first' }), 201).id
  },
  Email: async ({ shop, of }) => (await shop.api.get(`/v1/mails?order_id=${await of('Order')}`)).data[0].id,
  Refund: async ({ shop, of }) => {
    const path = `/v1/orders/${await of('Order')}`
    await shop.api.patch(path, { payment_status: 'paid' })
    return dataOf(await shop.api.post(`${path}/refunds`, { amount: 3, reason: 'Scratched' }), 201).id
  },
  /** Not an id of its own: an item of that fulfillment. */
  'Shipped item': async ({ shop, of }) => {
    await of('Fulfillment')
    return (await shop.api.get(`/v1/orders/${await of('Order')}`)).data.items[0].id
  },
  Return: async ({ shop, of }) => {
    const units = { item_id: await of('Shipped item'), quantity: 1, reason: 'damaged', note: 'The zipper is stuck' }
    const body = { items: [units], status: 'requested' }
    return dataOf(await shop.api.post(`/v1/orders/${await of('Order')}/returns`, body), 201).id
  },
  /** The same return, further on. */
  'Approved return': async ({ shop, of }) => {
    const body = { instructions: 'Send it to Dock Street 4' }
    return dataOf(await shop.api.post(`/v1/returns/${await of('Return')}/approve`, body), 200).id
  },
  'Received return': async ({ shop, of }) => {
    dataOf(await shop.api.patch(`/v1/orders/${await of('Order')}`, { payment_status: 'paid' }), 200)
    return dataOf(await shop.api.post(`/v1/returns/${await of('Approved return')}/receive`, {}), 200).id
  },
  Payment: async ({ shop, of }) => {
    const path = `/v1/orders/${await of('Order')}`
    dataOf(await shop.api.patch(path, { payment_status: 'paid' }), 200)
    return (await shop.api.get(`${path}/payments`)).data[0].id
  },
  /** Not an id of its own: the order of that payment. */
  Hold: async ({ world, shop, of }) => {
    const id = await of('Order')
    await holdMoney(world, shop.store.id, id)
    return id
  },
  Fork: posted('/v1/forks', () => ({ name: some('Tests') })),
  Webhook: posted('/v1/webhooks', () => ({
    url: `https://hooks.example/${some('stoa')}`,
    events: ['order.created'],
    description: 'Sync',
  })),
  Event: async ({ shop, of }) => {
    await of('Product')
    return (await shop.api.get('/v1/events')).data[0].id
  },
  Delivery: async ({ shop, of }) => dataOf(await shop.api.post(`/v1/webhooks/${await of('Webhook')}/test`), 200).id,
  'Checkout draft': async ({ world, shop, of }) => {
    const items = [{ product_id: await of('Product'), variant_id: await of('Variant'), quantity: 1 }]
    const { status, error } = await shopperOf(world, shop).begin({ items, customer: ana, shipping_address: home })
    assert.equal(status, 201, JSON.stringify(error))
    return (await shop.api.get('/v1/checkout-drafts?status=active')).data[0].id
  },
  'Tax zone': posted('/v1/store/tax-zones', async (of) => ({
    name: 'VAT Germany',
    country_code: 'DE',
    provinces: ['DE-BY'],
    postal_codes: ['80'],
    rate: 19,
    included: true,
    shipping: true,
    category_rates: [{ category_id: await of('Category'), rate: 7 }],
  })),
  'Shipping rate': posted('/v1/store/shipping-rates', () => ({
    code: 'express',
    name: 'Our van',
    description: '2 days',
    price: 9,
    free_from: 100,
    country_codes: ['MX', 'US'],
  })),
  'Payment method': posted('/v1/store/payment-methods', () => ({
    code: 'card',
    name: 'By card',
    instructions: 'Within 30 days',
  })),
  Request: async ({ world, shop }) => {
    // Those that wait may be too many for one more.
    await world.app.requestLog!.flush()
    const { headers } = await shop.api.get('/v1/store')
    await world.app.requestLog!.flush()
    return headers.get('x-request-id')!
  },
  Import: ({ world, shop }) => importIn(world, shop, 'ready'),
  Proposal: posted('/v1/proposals', () => ({
    method: 'POST',
    path: '/v1/categories',
    body: { name: some('Belts') },
    note: 'Asked for by Ana',
  })),
  'Saved view': async ({ world, shop: { store } }) => {
    const { db } = world.app
    const { userId } = await staffOf(world, [{ store }])
    const view = { list: 'orders', name: 'To be sent', query: 'status=pending', is_default: false } as const
    const actor = { kind: 'user', id: publicId('usr', userId) } as const
    return (await db.transaction((tx) => createView(tx, store, view, actor))).id
  },
  Redirect: posted('/v1/redirects', () => ({ path: `/${some('old')}`, target: '/products/mug' })),
  Page: posted('/v1/pages', () => ({
    title: 'About us',
    slug: some('about'),
    body: 'We have been here since **1998**.',
    seo_title: 'Who we are',
    seo_description: 'Since 1998',
  })),
  'Custom field': posted('/v1/store/custom-fields', () => ({
    applies_to: 'product',
    key: some('material')
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '_'),
    label: 'Material',
    description: 'Of the outside',
    type: 'choice',
    choices: ['Cotton', 'Linen'],
    visibility: 'shop',
  })),
  'Order bump': posted('/v1/store/order-bumps', async (of) => ({
    title: 'One more',
    description: 'At half the price',
    price: 10,
    image: 'https://img.example/3.jpg',
    product_id: await of('Product'),
    variant_id: await of('Variant'),
  })),
}

/** What an id stands for, by its prefix. */
export const nounOfPrefix = new Map(
  routes.flatMap(({ params = {} }) =>
    Object.values(params).flatMap(({ prefix, noun }) => (prefix ? [[prefix as string, noun] as const] : [])),
  ),
)

/** A route's path with the store's own records in its braces. */
export async function pathOf(
  { path, params = {}, words = {} }: Pick<(typeof routes)[number], 'path' | 'params' | 'words'>,
  of: Records,
): Promise<string> {
  let filled = `/v1${path}`
  for (const [name, { example }] of Object.entries(words)) filled = filled.replace(`{${name}}`, example)
  for (const [name, { noun }] of Object.entries(params)) filled = filled.replace(`{${name}}`, await of(noun))
  return filled
}
