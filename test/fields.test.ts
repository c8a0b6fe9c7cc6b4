// Generated from the declarations: what a body may say is read again, and what is personal goes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderFieldNames, inputFields, personalFieldNames } from '../src/storefront/checkout/checkout.ts'
import type { Field, Fields, JsonSchema } from '../src/kit/declare/field.ts'
import { buildFieldSchema } from '../src/kit/declare/field.ts'
import { sql } from '../src/kit/database/sql.ts'
import { variant } from '../src/commerce/catalog/variant.ts'
import { lineInput } from '../src/commerce/orders/item.ts'
import { newOrder, order, orderChanges } from '../src/commerce/orders/order.ts'
import { routes } from '../src/developer/routes.ts'
import { buyer, productOf, shopperOf } from './checkouts.ts'
import type { Client } from './client.ts'
import { send as upload } from './uploads.ts'
import { openWorld, type TestStore } from './world.ts'

const world = await openWorld({}, { sweeps: true })
const day = 24 * 60 * 60

type Ids = Record<string, unknown>

/** Values that no schema tells: ids of the store, and what fits to something else. */
async function idsOf({ api, store }: TestStore): Promise<Ids> {
  const category = (await api.post('/v1/categories', { name: 'Hats' })).data
  const product = (await api.post('/v1/products', { name: 'Mug', price: 10 })).data
  const customer = (await api.post('/v1/customers', { name: 'Berta' })).data
  return {
    category_id: category.id,
    parent_id: category.id,
    product_id: product.id,
    customer_id: customer.id,
    applicable_product_ids: [product.id],
    applicable_category_ids: [category.id],
    currency: store.currency,
    country_code: 'CA',
    country: 'Canada',
    province: 'Quebec',
    postal_code: 'H2X 1Y4',
    country_of_origin: 'CA',
    hs_code: '4202.92',
    unit_pricing_measure: '750 ml',
    available_on: '2031-01-05',
    country_codes: ['CA'],
    timezone: 'America/Bogota',
    email: 'new@example.com',
    customer_email: 'new@example.com',
    url: 'https://hooks.example/new',
    quote_url: 'https://quotes.example/new',
    secret: 'a new secret of the tests',
    events: ['order.created'],
    custom_domain: 'shop.example.org',
    path: '/old-page',
    target: '/pages/about',
    type: 'fixed_amount',
    expires_at: '2099-01-02T03:04:05.000Z',
    starts_at: '2020-01-02T03:04:05.000Z',
    consented_at: '2020-01-02T03:04:05.000Z',
    accent_color: '#aa2200',
    accent_color_dark: '#ffaa88',
    announcement_link: '/pages/about',
    logo: 'https://images.example/logo.png',
    favicon: 'https://images.example/icon.png',
    hero_image: 'https://images.example/hero.jpg',
    social_links: ['https://social.example/shop'],
    header_menu: [{ label: 'About', link: '/pages/about' }],
    footer_menu: [{ label: 'Search', link: 'https://search.example/' }],
    main_image: 'https://images.example/1.jpg',
    image: 'https://images.example/2.jpg',
    gallery: [{ url: 'https://images.example/3.jpg', alt_text: 'Mug', position: 0 }],
    custom_fields: [{ a: 1 }],
    bundle_items: null,
    bundle_discount_percentage: null,
    metadata: { source: 'erp' },
  }
}

/** A value that the field takes; `turn` makes it another one than before. */
function sample(name: string, schema: JsonSchema, turn: number, ids: Ids): unknown {
  if (name in ids) return ids[name]
  const { type, enum: values, format, pattern, minimum = 0, minLength = 0 } = schema as Record<string, any>
  const kind = [type].flat().find((one) => one !== 'null')
  if (values) return values.filter((one: unknown) => one !== null)[turn % 2]
  if (kind === 'boolean') return turn % 2 === 0
  if (kind === 'integer' || kind === 'number') return Math.max(minimum, 1) + 10 + turn
  if (format === 'email') return `new${turn}@example.com`
  if (format === 'date-time') return `2030-01-0${turn + 1}T00:00:00.000Z`
  if (format === 'phone' || name.endsWith('phone')) return `+52 55 1234 567${turn}`
  if (pattern) return `code-${turn}`
  return kind === 'string' ? `${name} ${turn}`.padEnd(minLength, 'x') : undefined
}

// Their form is another, or they move something: tests of their own send them.
// prettier-ignore
const apart = new Set([
  'items', 'options', 'variants', 'option_values', 'stock_quantity', 'adjustments', 'status', 'payment_status',
  'customer', 'discount_amount', 'discount_code', 'cancel_reason', 'restock', 'refund', 'order_bumps', 'secret',
  'automatic_discounts',
  'is_active', 'variant_id', 'product_id', 'publish_at', 'unpublish_at',
])

function bodyFor(schema: JsonSchema, turn: number, ids: Ids): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const entries = Object.entries(properties).map(([name, part]): [string, unknown] => {
    if (apart.has(name) || 'x-custom-fields' in part) return [name, undefined]
    if (part.properties && !(name in ids)) return [name, bodyFor(part, turn, ids)]
    return [name, sample(name, part, turn, ids)]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** Every part of what was sent stands in what is read; codes and names may come back in capitals. */
function assertKept(sent: any, read: any, at: string): void {
  if (typeof sent === 'object' && sent !== null) {
    for (const [name, part] of Object.entries(sent)) assertKept(part, read?.[name], `${at}.${name}`)
  } else if (typeof sent === 'string') assert.equal(String(read).toUpperCase(), sent.toUpperCase(), at)
  else assert.equal(read, sent, at)
}

/** Of what can be read again under its own address; of a proposal it is the request, and keys come many at once. */
const written = routes.filter(({ method, path, body, file }) => {
  const record = path === '/store' ? path : `${path.replace('/{id}', '')}/{id}`
  const isRead = routes.some((route) => route.method === 'GET' && route.path === record)
  const isMade =
    path === '/store' || routes.some((route) => route.method === 'POST' && record.startsWith(`${route.path}/{`))
  // An import is made of a file, and its mapping is of the file's columns.
  const isOwn = !['/proposals', '/imports/{id}', '/downloads/keys'].includes(path)
  return ['POST', 'PATCH'].includes(method) && body && !file && isRead && isMade && isOwn
})

/** What fits together; a key is never changed. */
const ownField = { applies_to: 'order', key: 'own', type: 'text', choices: [], visibility: 'staff' }

test('every field that a POST or PATCH of /v1 takes is read again', async () => {
  const created = new Map<string, string>()
  const shop = await world.newStore()
  // Without them there is no second provider that asks for nothing.
  await shop.api.patch('/v1/store', { test_payments: true })
  const ids: Ids = { ...(await idsOf(shop)), test_payments: true }
  created.set('/media', (await upload(shop.api)).data.id)
  const items = [{ product_name: 'Own', unit_price: 30, quantity: 1 }]
  const extra: Record<string, object> = {
    '/orders': { items },
    '/draft-orders': { items },
    '/backinstock/requests': { product_id: ids.product_id },
    '/store/shipping-rates': { name: 'Own' },
    '/store/payment-methods': { name: 'Own' },
  }
  for (const { method, path, body } of written) {
    const turn = method === 'POST' ? 0 : 1
    const given = path.startsWith('/store/custom-fields') ? ownField : method === 'POST' ? extra[path] : {}
    const sent = { ...bodyFor(body!.schema, turn, ids), ...given }
    if (path === '/orders') delete (sent as any).customer_id
    // An order has the code of its country beside its address.
    if (/^\/(draft-)?orders/.test(path)) delete (sent as any).shipping_address.country_code
    if (path === '/discounts/{id}') delete (sent as any).type
    const address = path.replace('{id}', created.get(path.replace('/{id}', '')) ?? '')
    const answer = await send(shop.api, method, `/v1${address}`, sent)
    assert.ok([200, 201].includes(answer.status), `${method} ${path} ${JSON.stringify(answer.body)}`)
    if (method === 'POST') created.set(path, answer.data.id)
    const found =
      path === '/store' ? '/store' : `${path.replace('/{id}', '')}/${created.get(path.replace('/{id}', ''))}`
    const { items: _, ...plain } = sent as Record<string, unknown>
    assertKept(plain, (await shop.api.get(`/v1${found}`)).data, `${method} ${path}`)
  }
  assert.ok(created.size >= 7, [...created.keys()].join())
})

function send(api: Client, method: string, path: string, body: object) {
  return method === 'POST' ? api.post(path, body) : api.patch(path, body)
}

/** A value for each writable field of an object. */
function filled(fields: Fields, turn: number, ids: Ids): Record<string, unknown> {
  return bodyFor(
    {
      properties: Object.fromEntries(
        Object.entries(fields)
          .filter(([, { spec }]) => spec.role !== 'readonly')
          .map(([name, { spec }]) => [name, buildFieldSchema((spec.input as Field | undefined)?.spec ?? spec)]),
      ),
    },
    turn,
    ids,
  )
}

test('every field of a variant and of an order line is read again', async () => {
  const shop = await world.newStore()
  const ids = await idsOf(shop)
  const option_values = [{ option_title: 'Size', value: 'M' }]
  const { id: _, ...first } = filled(variant.fields, 0, ids)
  const sent = { ...first, option_values, stock_quantity: 7 }
  const { data } = await shop.api.post('/v1/products', { name: 'Shirt', price: 5, variants: [sent] })
  assertKept(sent, data.variants[0], 'POST variants')
  const again = { ...filled(variant.fields, 1, ids), id: data.variants[0].id, stock_quantity: 9 }
  await shop.api.patch(`/v1/products/${data.id}`, { variants: [again] })
  assertKept(again, (await shop.api.get(`/v1/products/${data.id}`)).data.variants[0], 'PATCH variants')

  const line = { ...filled(lineInput().spec.fields!, 0, {}), quantity: 3, unit_price: 4 }
  const { data: placed } = await shop.api.post('/v1/orders', { items: [line] })
  assertKept(line, placed.items[0], 'POST orders.items')
  assert.ok(Object.keys(newOrder.schema.properties as object).length > Object.keys(orderChanges.schema).length)
})

const canada = { country: 'Canada', country_code: 'CA', postal_code: 'H2X 1Y4', province: 'Quebec' }

const askedField = { applies_to: 'order', key: 'own', label: 'Own', asked_at_checkout: true }

test('every field of a checkout is read again by shopper and merchant, and what is ordered by its order', async () => {
  const shop = await world.newStore({ country_code: 'CA' })
  const shopper = shopperOf(world, shop)
  await shop.api.post('/v1/store/shipping-rates', { code: 'code-0', name: 'Own', price: 5 })
  await shop.api.post('/v1/store/shipping-rates', { code: 'code-1', name: 'Own', price: 6 })
  for (const code of ['code-0', 'code-1']) await shop.api.post('/v1/store/payment-methods', { code, name: 'Own' })
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  await shop.api.post('/v1/store/custom-fields', askedField)
  const bump = (await shop.api.post('/v1/store/order-bumps', { title: 'Wrapping', price: 2 })).data
  const items = [{ product_id: (await productOf(shop)).id, quantity: 2 }]
  const body = (turn: number) => ({
    ...filled(inputFields, turn, { ...canada, email: 'ana@example.com' }),
    customer: { name: `Ana ${turn}`, email: `ana${turn}@example.com`, phone: `+52 55 1234 567${turn}` },
    discount_code: 'TEN',
    discount_codes: ['TEN'],
    custom_fields: { own: `Own ${turn}` },
    items,
  })
  const { data: begun } = await shopper.begin({ ...body(0), order_bumps: [bump.id] })
  assertKept(body(0), begun, 'POST checkouts')
  assert.equal(begun.order_bumps[0].bump_id, bump.id)
  assert.equal((await shopper.change(begun.token, body(1))).status, 200)
  const seen = (await shopper.read(begun.token)).data
  assertKept(body(1), seen, 'PATCH checkouts')
  assertKept(body(1), (await shop.api.get(`/v1/checkout-drafts/${begun.id}`)).data, 'GET checkout-drafts')
  const { data } = await shopper.complete(begun.token, { total: seen.total })
  const placed = (await shop.api.get(`/v1/orders/${data.order.id}`)).data
  // An order names each code beside what it took off.
  assert.deepEqual(
    placed.discounts.map(({ code }: { code: string }) => code),
    body(1).discount_codes,
  )
  for (const name of orderFieldNames.filter((one) => one !== 'discount_codes')) {
    const contact = /^customer_(name|email|phone)$/.exec(name)?.[1]
    const sent: any = body(1)
    assert.ok(name in order.fields, name)
    assertKept(contact ? sent.customer[contact] : sent[name], placed[name], `order.${name}`)
  }
  assert.equal(placed.shipping_address.city, seen.shipping_address.city)
})

async function personOf(shop: TestStore): Promise<Record<string, unknown>[]> {
  return world.app.db.rows(sql`
    select * from checkouts
    where store_id = ${shop.store.id}
    order by id`)
}

test('what is personal of a checkout is gone after the purge, and after its customer is deleted', async () => {
  const shop = await world.newStore()
  const shopper = shopperOf(world, shop)
  const items = [{ product_id: (await productOf(shop)).id, quantity: 1 }]
  const whole = {
    ...buyer(),
    ...filled(inputFields, 0, { country_code: 'MX', country: 'Mexico' }),
    discount_code: null,
    discount_codes: [],
    custom_fields: { own: 'Ring twice' },
    items,
  }
  await shop.api.post('/v1/store/custom-fields', askedField)
  const begin = async () => {
    const { status, error } = await shopper.begin({ ...whole, shipping_method: null, payment_method: null, ...buyer() })
    assert.equal(status, 201, JSON.stringify(error))
  }
  await begin()
  const [full] = await personOf(shop)
  for (const name of personalFieldNames) assert.notEqual(full![name], null, name)
  world.clock.advance(30 * day)
  await world.app.jobs.run('sweep checkouts')
  world.clock.advance(90 * day)
  await world.app.jobs.run('sweep checkouts')
  const customer = (await shop.api.post('/v1/customers', { name: 'Ana', email: buyer().customer.email.toUpperCase() }))
    .data
  await begin()
  assert.equal((await shop.api.delete(`/v1/customers/${customer.id}`)).status, 200)
  const rows = await personOf(shop)
  assert.equal(rows.length, 2)
  for (const row of rows) for (const name of personalFieldNames) assert.equal(row[name], null, name)
})
