// Section 4 of the interface: every parameter of every list, with its default, its bounds and what it refuses. Counts
// take the filters of their lists.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes } from '../../src/developer/webhooks/events.ts'
import { nounNames } from '../../src/developer/auditlog/nouns.ts'
import { sql } from '../../src/kit/database/sql.ts'
import { until } from '../deliveries.ts'
import { customFieldKinds } from '../../src/tenancy/stores/customfieldkind.ts'
import { mailKinds, statuses } from '../../src/tenancy/emails/kinds.ts'
import { returnStatuses } from '../../src/commerce/returns/states.ts'
import { routes } from '../../src/developer/routes.ts'
import { ana, shopperOf } from '../checkouts.ts'
import { importIn } from '../imports.ts'
import { pathOf, recordsOf } from '../records.ts'
import { dataOf } from '../shop.ts'
import { answering } from '../strangers.ts'
import { madeReady, noisyPicture, send as upload, sendDownload } from '../uploads.ts'
import { openWorld, type TestStore } from '../world.ts'

const world = await openWorld({}, { network: { resolver: answering(['93.184.216.34']) } })

/** `initial`: what it is unless given. Values that are refused are refused on the parameter itself. */
type Parameter = { initial?: string; takes: string[]; refuses: string[] }
type Table = Record<string, Parameter>

const free = (max: number): Parameter => ({
  takes: ['a', 'a'.repeat(max), '100%', '_', '\\'],
  refuses: ['a'.repeat(max + 1), '\0'],
})
const flag: Parameter = { takes: ['true', 'false', '1', '0'], refuses: ['yes', 'TRUE', '2'] }
const amount: Parameter = {
  takes: ['0', '0.01', '1', '999999999999'],
  refuses: ['-0.01', '-1', 'x', '1,5', 'NaN', '0x1'],
}
const dateTime: Parameter = {
  takes: ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00.123+05:30', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'],
  refuses: ['2026-11-21', 'yesterday', '2026-13-01T00:00:00Z', '2026-11-21T25:00:00Z', '1763719200'],
}
const day: Parameter = {
  takes: ['2026-11-21', '0001-01-01'],
  refuses: ['2026-02-30', 'yesterday', '2026-11-21T10:00:00Z', '1763719200'],
}
const dateOrTime: Parameter = {
  takes: ['2026-11-21', ...dateTime.takes],
  refuses: ['2026-02-30', 'yesterday', '2026-13-01T00:00:00Z', '1763719200'],
}

function base64url(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function oneOf(values: string[], initial?: string): Parameter {
  return { initial, takes: values, refuses: ['nonsense', values[0]!.toUpperCase(), ' ', `${values[0]} `] }
}

function paged(sorts: string[], sort = 'created_at', order = 'desc'): Table {
  return {
    page: { initial: '1', takes: ['1', '2', '2147483647'], refuses: ['0', '-1', '1.5', 'x', '2147483648'] },
    per_page: { initial: '25', takes: ['1', '25', '100'], refuses: ['0', '101', '-1', '2.5', 'all'] },
    sort: { ...oneOf(sorts, sort), refuses: ['nonsense', 'id', 'created_at,name', `${sort};`] },
    order: oneOf(['asc', 'desc'], order),
    cursor: { takes: [''], refuses: ['x', 'bm8', ' ', 'a'.repeat(4001), base64url('2026-02-30T00:00:00.000Z\nx')] },
  }
}

const settings = paged(['position'], 'position', 'asc')

const payments: Table = {
  ...paged(['created_at']),
  status: oneOf(
    [
      'pending',
      'requires_action',
      'processing',
      'authorized',
      'captured',
      'failed',
      'cancelled',
      'canceled',
      'expired',
      'all',
    ],
    'all',
  ),
  needs_review: flag,
  needs_attention: flag,
  needs_capture: flag,
  needs_response: flag,
}

/** A text alone is not the text of a key. */
const ofFields: Table = { custom_fields: { takes: [], refuses: ['nonsense', '{}'] } }
const ofIntegrations: Table = { external_id: free(255), metadata: { takes: [], refuses: ['nonsense', '{}'] } }

const customerList = {
  ...paged(['name', 'created_at', 'updated_at', 'orders_count', 'total_spent', 'last_order_at']),
  search: free(200),
  'total_spent[gte]': amount,
  'total_spent[lte]': amount,
  'orders_count[gte]': amount,
  'orders_count[lte]': amount,
  'last_order_at[gte]': dateTime,
  'last_order_at[lte]': dateTime,
  accepts_marketing: flag,
  has_orders: flag,
  tag: { takes: ['vip', 'VIP,new', 'a'.repeat(4000)], refuses: ['a'.repeat(4001)] },
  group: free(100),
  ...ofFields,
  ...ofIntegrations,
}

const lists: Record<string, Table> = {
  '/products': {
    ...paged(['name', 'price', 'stock_quantity', 'created_at', 'updated_at']),
    search: free(200),
    status: oneOf(['draft', 'active', 'archived', 'all'], 'active'),
    category_id: { takes: ['none', 'a,b', 'a'.repeat(4000)], refuses: ['a'.repeat(4001)] },
    collection_id: { takes: ['none', 'a,b', 'a'.repeat(4000)], refuses: ['a'.repeat(4001)] },
    is_featured: flag,
    'price[gte]': amount,
    'price[lte]': amount,
    'available_on[gte]': day,
    'available_on[lte]': day,
    stock_status: oneOf(['in_stock', 'low_stock', 'out_of_stock']),
    subtree: flag,
    tag: { takes: ['gift', 'Gift,summer', 'a'.repeat(4000)], refuses: ['a'.repeat(4001)] },
    ...ofFields,
    ...ofIntegrations,
    variant_external_id: free(255),
  },
  '/orders': {
    ...paged(['order_number', 'total', 'created_at', 'updated_at', 'customer_name', 'fulfillment_status']),
    status: {
      initial: 'all',
      takes: [
        'all',
        'pending',
        'confirmed',
        'in_progress',
        'completed',
        'cancelled',
        'returned',
        'pending,completed',
        'all,pending',
      ],
      refuses: ['nonsense', 'pending,nonsense', 'PENDING', 'pending,', ',', ' '],
    },
    payment_status: oneOf(['pending', 'paid', 'refunded', 'failed', 'all'], 'all'),
    fulfillment_status: oneOf(['unfulfilled', 'partial', 'fulfilled', 'all'], 'all'),
    needs_fulfillment: flag,
    needs_payment: flag,
    is_archived: flag,
    channel: oneOf(['shop', 'api', 'dashboard', 'agent']),
    agent: free(200),
    tag: free(4000),
    search: free(200),
    customer_id: { takes: ['none', 'a'.repeat(100)], refuses: ['a'.repeat(101)] },
    discount_code: free(255),
    payment_method: free(50),
    product_id: { takes: ['none', 'a'.repeat(100)], refuses: ['a'.repeat(101)] },
    category_id: { takes: ['none', 'a'.repeat(100)], refuses: ['a'.repeat(101)] },
    date_from: dateOrTime,
    date_to: dateOrTime,
    'total[gte]': amount,
    'total[lte]': amount,
    'updated_at[gte]': dateTime,
    'updated_at[lte]': dateTime,
    city: free(200),
    province: free(200),
    country: free(200),
    country_code: { takes: ['MX', 'mx', 'ZZ'], refuses: ['a'.repeat(11)] },
    ...ofIntegrations,
    item_external_id: free(255),
  },
  '/draft-orders': {
    ...paged(['created_at']),
    status: oneOf(['open', 'sent', 'expired', 'completed', 'all'], 'all'),
    customer_id: { takes: ['none', 'a'.repeat(100)], refuses: ['a'.repeat(101)] },
    search: free(200),
    draft_number: free(20),
    ...ofIntegrations,
  },
  '/customers': customerList,
  '/customer-groups': {
    ...paged(['name', 'created_at', 'updated_at'], 'name', 'asc'),
    search: free(120),
    customer_id: free(100),
  },
  '/customer-groups/{id}/members': customerList,
  '/customers/{id}/notes': paged(['created_at']),
  '/marketing-consents': { ...paged(['created_at']), customer_id: free(100), email: free(254) },
  '/backinstock/requests': { ...paged(['created_at']), product_id: free(100), variant_id: free(64), email: free(254) },
  '/downloads/files': { ...paged(['created_at']), product_id: free(100), variant_id: free(64) },
  '/downloads/grants': { ...paged(['created_at']), order_id: free(100), file_id: free(100) },
  '/downloads/keys': { ...paged(['created_at']), product_id: free(100), variant_id: free(64), is_handed_out: flag },
  '/inventory/backorders': {
    ...paged(['created_at'], 'created_at', 'asc'),
    product_id: free(100),
    variant_id: free(64),
  },
  '/discounts': {
    ...paged(['code', 'created_at', 'updated_at']),
    status: oneOf(['active', 'inactive', 'expired', 'all'], 'active'),
    search: free(255),
    is_automatic: flag,
    ...ofIntegrations,
  },
  '/categories': {
    ...paged(['name', 'path', 'created_at', 'updated_at']),
    parent_id: free(100),
    search: free(200),
    is_active: flag,
    ...ofIntegrations,
  },
  '/collections': {
    ...paged(['name', 'position', 'created_at', 'updated_at']),
    search: free(200),
    is_active: flag,
    product_id: free(100),
    ...ofIntegrations,
  },
  '/redirects': { ...paged(['path', 'created_at']), path: free(1000), search: free(200) },
  '/collections/{id}/products': settings,
  '/media': {
    ...paged(['bytes', 'created_at', 'updated_at']),
    status: oneOf(['processing', 'ready', 'failed', 'all'], 'all'),
  },
  '/checkout-drafts': {
    ...paged(['created_at']),
    status: oneOf(['active', 'abandoned', 'recovered', 'expired', 'all'], 'abandoned'),
    channel: oneOf(['shop', 'api', 'dashboard', 'agent']),
    email: free(254),
  },
  '/requests': {
    ...paged(['created_at']),
    status: oneOf(['2xx', '3xx', '4xx', '5xx', 'all'], 'all'),
    method: { takes: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'], refuses: ['nonsense', 'get', 'PUT', ' '] },
    route: free(200),
    credential: free(100),
    code: free(64),
    tool: free(64),
    agent: free(200),
    request_id: free(128),
    is_rehearsal: flag,
    from: dateTime,
    to: dateTime,
    before: free(64),
    after: free(64),
  },
  '/audit': {
    ...paged(['created_at']),
    actor: free(128),
    resource: oneOf([...nounNames]),
    id: free(64),
    operation: free(128),
    request_id: free(128),
    from: dateTime,
    to: dateTime,
    before: free(64),
  },
  '/webhooks': { ...paged(['created_at', 'updated_at']), is_failing: flag, ...ofIntegrations },
  '/webhooks/{id}/deliveries': {
    ...paged(['created_at']),
    status: oneOf(['pending', 'held', 'delivered', 'failed', 'skipped']),
    event: oneOf([...eventTypes]),
  },
  '/inventory/products': {
    ...paged(['name', 'stock_quantity', 'created_at', 'updated_at'], 'name', 'asc'),
    search: free(200),
    status: oneOf(['draft', 'active', 'archived', 'all'], 'active'),
    category_id: { takes: ['none', 'a,b', 'a'.repeat(4000)], refuses: ['a'.repeat(4001)] },
    collection_id: { takes: ['none', 'a,b', 'a'.repeat(4000)], refuses: ['a'.repeat(4001)] },
    stock_status: oneOf(['in_stock', 'low_stock', 'out_of_stock']),
  },
  '/inventory/products/{productId}/transactions': { ...paged(['created_at']), variant_id: free(64) },
  '/orders/{id}/items': paged(['created_at'], 'created_at', 'asc'),
  '/orders/{id}/comments': paged(['created_at']),
  '/orders/{id}/fulfillments': paged(['created_at']),
  '/orders/{id}/refunds': paged(['created_at']),
  '/returns': {
    ...paged(['created_at']),
    status: oneOf([...returnStatuses, 'all'], 'all'),
    order_id: free(100),
    ...ofIntegrations,
  },
  '/orders/{id}/payments': payments,
  '/payments': payments,
  '/mails': {
    ...paged(['created_at']),
    status: oneOf([...statuses, 'all'], 'all'),
    kind: oneOf([...mailKinds, 'all'], 'all'),
    order_id: free(100),
    checkout_id: free(100),
    recipient: free(254),
  },
  '/store/shipping-rates': settings,
  '/store/tax-zones': settings,
  '/store/payment-methods': settings,
  '/store/order-bumps': settings,
  '/store/custom-fields': { ...settings, applies_to: oneOf([...customFieldKinds]) },
  '/proposals': { ...paged(['created_at']), status: oneOf(['open', 'approved', 'refused', 'expired', 'all'], 'open') },
  '/imports': {
    ...paged(['created_at']),
    kind: oneOf(['products', 'customers', 'orders', 'discounts']),
    status: oneOf(
      ['reading', 'previewing', 'ready', 'running', 'stopped', 'completed', 'undoing', 'undone', 'failed', 'all'],
      'all',
    ),
  },
  '/imports/{id}/rows': {
    ...paged(['number'], 'number', 'asc'),
    outcome: oneOf(['to_create', 'to_update', 'created', 'updated', 'skipped', 'rejected', 'undone']),
  },
  '/imports/{id}/images': {
    ...paged(['product_id'], 'product_id', 'asc'),
    status: oneOf(['pending', 'fetched', 'failed', 'all'], 'all'),
  },
  '/forks': { ...paged(['created_at']), status: oneOf(['creating', 'ready', 'failed', 'all'], 'all') },
  '/pages': {
    ...paged(['title', 'created_at'], 'created_at', 'asc'),
    kind: oneOf(['page', 'terms', 'privacy', 'returns', 'shipping']),
  },
}

const gift = { product_name: 'Gift', unit_price: 5, quantity: 1 }
const pages = ['page', 'per_page', 'sort', 'order', 'cursor']
const listAt = (path: string) => routes.find((route) => route.method === 'GET' && route.path === path)!
const hasCount = (path: string) => routes.some((route) => route.path === `${path}/count`)

let shop: TestStore
const paths: Record<string, string> = {}

/** Some of everything, each in more than one state, one a second, with names in another order than time. */
shop = await world.newStore()
const { api, store } = shop
/** A store with some requests in its log; those that follow are not written any more. */
async function openLogged(): Promise<TestStore> {
  const logged = await world.newStore()
  for (const path of ['/v1/store', '/v1/products', '/v1/products?per_page=none']) await logged.api.get(path)
  await until(async () => {
    await world.app.requestLog!.flush()
    return (await world.app.db.rows(sql`select from requests where store_id = ${logged.store.id}`)).length === 3
  })
  return logged
}

let logged: TestStore
const create = async (path: string, ...bodies: object[]) => {
  for (const body of bodies) {
    world.clock.advance(1)
    dataOf(await api.post(`/v1${path}`, body), 201)
  }
}
const of = recordsOf(world, shop)
for (const noun of [
  'Order',
  'Fulfillment',
  'Comment',
  'Refund',
  'Return',
  'Payment',
  'Delivery',
  'Checkout draft',
  'Shipping rate',
  'Tax zone',
  'Payment method',
  'Order bump',
  'Page',
  'Proposal',
  'Discount',
  'Collection',
  'Customer group',
  'Redirect',
  'Import',
  'Fork',
]) {
  world.clock.advance(1)
  await of(noun)
}
world.clock.advance(1)
await importIn(world, shop, 'completed')
const [product_id, variant_id] = [await of('Product'), await of('Variant')]
await create(
  '/products',
  { name: 'apron', price: 3, is_featured: true, track_inventory: true, stock_quantity: 0 },
  { name: 'bowl', price: 30, product_status: 'draft', track_inventory: true, stock_quantity: 2 },
  { name: 'cap', price: 2, product_status: 'archived' },
)
await create('/customers', { name: 'ben' }, { name: 'abel', email: 'abel@example.com' }, { name: 'cora' })
await create('/customer-groups', { name: 'beta', min_orders_count: 0 }, { name: 'alpha' })
await create('/categories', { name: 'bags' }, { name: 'aprons', is_active: false })
await create('/redirects', { path: '/b', target: '/' }, { path: '/a', target: 'https://shop.example/' })
await create('/collections', { name: 'spring', position: 2 }, { name: 'autumn', is_active: false })
await create(
  '/discounts',
  { code: 'B', type: 'percentage', value: 5, is_active: false },
  { code: 'A', type: 'free_shipping', value: 0 },
  { code: 'C', type: 'percentage', value: 5, expires_at: '2020-01-01T00:00:00Z' },
)
await create(
  '/orders',
  { items: [gift, { product_id, variant_id, quantity: 1 }], customer_name: 'ben', payment_status: 'paid' },
  { items: [{ ...gift, quantity: 9 }], status: 'completed', customer_name: 'abel', customer_email: 'abel@example.com' },
)
await create('/draft-orders', { items: [gift], customer_name: 'ben' }, { items: [gift], customer_name: 'abel' })
await create('/webhooks', { url: 'https://hooks.example/2', events: ['order.updated'] })
await create('/store/shipping-rates', { code: 'standard', price: 9, position: 2 })
await create('/store/tax-zones', { name: 'TVA', country_code: 'FR', rate: 20, position: 2 })
await create('/store/payment-methods', { code: 'cash', position: 2 })
await create('/forks', { name: 'Second' })
await create('/pages', { title: 'Returns', kind: 'returns' }, { title: 'Bags' })
const tag = (name: string) => ({ method: 'POST', path: '/v1/categories', body: { name } })
await create('/proposals', tag('belts'), tag('scarves'), tag('gloves'))
const [first, second] = (await api.get('/v1/proposals')).data
await api.post(`/v1/proposals/${first.id}/approve`)
await api.post(`/v1/proposals/${second.id}/refuse`)
await create('/store/order-bumps', { title: 'Wrap', price: 2, position: 2 })
await create(
  '/store/custom-fields',
  { applies_to: 'customer', key: 'size', label: 'Size', position: 2 },
  { applies_to: 'product', key: 'material', label: 'Material', position: 1 },
)
await create(`/customers/${await of('Customer')}/notes`, { body: 'Rang' }, { body: 'Wrote' })
for (const accepts_marketing of [true, false]) {
  world.clock.advance(1)
  await api.patch(`/v1/customers/${await of('Customer')}`, { accepts_marketing })
}
const waiting = { product_id, variant_id }
await create('/backinstock/requests', { ...waiting, email: 'bo@example.com' }, { ...waiting, email: 'cy@example.com' })
for (const _ of [1, 2]) {
  world.clock.advance(1)
  dataOf(await sendDownload(api, { product_id }), 201)
}
dataOf(await api.post('/v1/downloads/keys', { product_id, keys: 'a\nb\nc' }), 200)
dataOf(await api.post('/v1/orders', { items: [{ ...waiting, quantity: 1 }], payment_status: 'paid' }), 201)
const rare = { name: 'quilt', price: 9, track_inventory: true, stock_quantity: 0, continue_selling: true }
const quilt = dataOf(await api.post('/v1/products', rare), 201)
const short = { items: [{ product_id: quilt.id, quantity: 1 }] }
await create('/orders', short, short)
for (const file of [await noisyPicture(), undefined, undefined]) {
  world.clock.advance(1)
  await madeReady(api, dataOf(await upload(api, file), 201).id)
}
for (const quantity of [5, -2]) {
  world.clock.advance(1)
  await api.patch(`/v1/inventory/products/${product_id}`, { quantity, variant_id })
}
world.clock.advance(1)
await api.post(`/v1/orders/${await of('Order')}/fulfillments`, {})
await api.post(`/v1/orders/${await of('Order')}/comments`, { body: 'Sent' })
const units = [{ item_id: await of('Shipped item'), quantity: 1, reason: 'other' }]
await create(`/orders/${await of('Order')}/returns`, { items: units })
await api.post(`/v1/orders/${await of('Order')}/refunds`, {})
await world.app.db.rows(sql`
  insert into payment_sessions (store_id, id, order_id, provider, status, purpose, amount, currency, needs_review,
    created_at, updated_at)
  select store_id, gen_random_uuid(), order_id, 'test', 'failed', purpose, amount, currency, true,
    ${world.clock.now()}, ${world.clock.now()}
  from payment_sessions
  where store_id = ${store.id}`)
await api.post(`/v1/webhooks/${await of('Webhook')}/test`, {})
await api.patch(`/v1/webhooks/${await of('Webhook')}`, { description: 'Stock' })
for (const status of ['abandoned', 'abandoned', 'recovered', 'expired']) {
  world.clock.advance(1)
  const items = [{ product_id, variant_id, quantity: 1 }]
  const { data } = await shopperOf(world, shop).begin({ items, customer: ana })
  assert.ok(data.token)
  await world.app.db.rows(sql`
    update checkouts
    set status = ${status}, abandoned_at = ${world.clock.now()}
    where store_id = ${store.id}
      and status = 'active'
      and created_at = (select max(created_at) from checkouts where store_id = ${store.id})`)
}
const { data: things } = await api.get('/v1/products?status=all')
const product_ids = things.map(({ id }: { id: string }) => id)
await api.post(`/v1/collections/${await of('Collection')}/products`, { product_ids })
const { data: people } = await api.get('/v1/customers')
const customer_ids = people.map(({ id }: { id: string }) => id)
await api.post(`/v1/customer-groups/${await of('Customer group')}/members`, { customer_ids })
for (const path of Object.keys(lists)) paths[path] = await pathOf(listAt(path), of)

async function ask(path: string, query: Record<string, string> = {}) {
  const { api } = path === paths['/requests'] ? logged : shop
  return api.get(`${path}?${new URLSearchParams(query)}`)
}

/** Jobs of others delete old requests: those of the log are written just before they are read. */
async function begin(path: string) {
  world.clock.advance(60)
  if (path === '/requests') logged = await openLogged()
}

test('the tables name every list, and every parameter of it and of its count', () => {
  // The log of events comes in no pages: src/developer/eventlog/feed.test.ts.
  const named = routes.filter(({ list, beside }) => list && !beside).map(({ path }) => path)
  assert.deepEqual(Object.keys(lists).sort(), named.sort())
  for (const [path, table] of Object.entries(lists)) {
    const parametersOf = (wanted: string) => Object.keys(listAt(wanted).query!.schema.properties as object).sort()
    assert.deepEqual(parametersOf(path), Object.keys(table).sort(), path)
    const filters = Object.keys(table)
      .filter((name) => !pages.includes(name))
      .sort()
    if (hasCount(path)) assert.deepEqual(parametersOf(`${path}/count`), filters, `${path}/count`)
  }
  for (const path of ['/products', '/orders', '/customers', '/checkout-drafts']) assert.ok(hasCount(path), path)
})

for (const [path, table] of Object.entries(lists)) {
  for (const [name, { initial, takes, refuses }] of Object.entries(table)) {
    test(`GET /v1${path}: ${name} takes what its table says, and nothing else`, async () => {
      await begin(path)
      const at = paths[path]!
      const isCounted = hasCount(path) && !pages.includes(name)
      const bodies = new Map<string, string>()
      for (const value of takes) {
        const { status, body } = await ask(at, { [name]: value })
        assert.equal(status, 200, `${name}=${value.slice(0, 50)}: ${JSON.stringify(body)}`)
        bodies.set(value, JSON.stringify(body))
        if (!isCounted) continue
        const { data } = await ask(`${at}/count`, { [name]: value })
        assert.deepEqual(data, { count: body.pagination.total }, `${name}=${value.slice(0, 50)}`)
      }
      for (const value of refuses) {
        for (const one of isCounted ? [at, `${at}/count`] : [at]) {
          const { status, error } = await ask(one, { [name]: value })
          const fields = error?.details?.map(({ field }: { field: string }) => field)
          const what = `${one}?${name}=${value.slice(0, 50)}`
          assert.deepEqual([status, error?.code, fields], [422, 'VALIDATION_ERROR', [name]], what)
        }
      }
      if (initial === undefined) return
      assert.equal(JSON.stringify((await ask(at)).body), bodies.get(initial), `${name} is ${initial} unless given`)
      // It would be seen if it were another.
      if (takes.length > 1) assert.ok(new Set(bodies.values()).size > 1)
    })
  }

  test(`GET /v1${path}: pages have their numbers, and one after the last is empty`, async () => {
    await begin(path)
    const at = paths[path]!
    const { data, pagination } = (await ask(at, { per_page: '100' })).body
    const total = data.length
    assert.ok(total >= 2)
    assert.deepEqual(pagination, { page: 1, per_page: 100, total, total_pages: 1 })
    const first = (await ask(at)).body
    assert.deepEqual(first, {
      data: data.slice(0, 25),
      pagination: { page: 1, per_page: 25, total, total_pages: Math.ceil(total / 25) },
    })
    for (let page = 1; page <= total + 1; page++) {
      const { body } = await ask(at, { per_page: '1', page: String(page) })
      assert.deepEqual(body, {
        data: data.slice(page - 1, page),
        pagination: { page, per_page: 1, total, total_pages: total },
      })
    }
  })

  test(`GET /v1${path}: a cursor meets each record once, by creation, up and down`, async () => {
    await begin(path)
    const at = paths[path]!
    const everything: Record<string, string> = table.status?.takes.includes('all') ? { status: 'all' } : {}
    const all = (await ask(at, { ...everything, per_page: '100' })).body
    const walk = async (order: string, per_page: string) => {
      const records = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const { body }: { body: any } = await ask(at, { ...everything, cursor, order, per_page })
        assert.deepEqual(Object.keys(body.pagination), ['per_page', 'next_cursor'])
        records.push(...body.data)
        cursor = body.pagination.next_cursor
      }
      return records
    }
    const [up, down] = [await walk('asc', '1'), await walk('desc', '2')]
    const sorted = (records: object[]) => records.map((record) => JSON.stringify(record)).toSorted()
    assert.equal(up.length, all.pagination.total)
    assert.deepEqual(sorted(up), sorted(all.data))
    assert.deepEqual(down, up.toReversed())
    const times = up.map(({ created_at }: any) => created_at)
    assert.deepEqual(times, times.toSorted())
    const others: Record<string, string>[] = [{ page: '1' }, { sort: table.sort!.takes[0]! }]
    for (const other of others) {
      const { status, error } = await ask(at, { cursor: '', ...other })
      const fields = error?.details?.map(({ field }: { field: string }) => field)
      assert.deepEqual([status, fields], [422, Object.keys(other)])
    }
  })

  test(`GET /v1${path}: each sort goes up and down, with what is empty last`, async () => {
    await begin(path)
    const everything: Record<string, string> = table.status?.takes.includes('all') ? { status: 'all' } : {}
    for (const sort of table.sort!.takes) {
      const valuesOf = async (order: string) =>
        (await ask(paths[path]!, { ...everything, sort, order, per_page: '100' })).data.map((one: any) => one[sort])
      const [up, down] = [await valuesOf('asc'), await valuesOf('desc')]
      const filled = up.filter((value: unknown) => value !== null)
      const empty = up.slice(filled.length)
      assert.ok(
        empty.every((value: unknown) => value === null),
        `${sort} asc: ${up}`,
      )
      const compare = (a: any, b: any) => (typeof a === 'number' ? a - b : a < b ? -1 : a > b ? 1 : 0)
      assert.deepEqual(filled, [...filled].sort(compare), sort)
      assert.deepEqual(down, [...filled.toReversed(), ...empty], sort)
    }
  })

  test(`GET /v1${path}: a parameter that comes twice is refused`, async () => {
    world.clock.advance(60)
    for (const [name, { takes }] of Object.entries(table)) {
      const pair = `${encodeURIComponent(name)}=${encodeURIComponent(takes[0]!)}`
      const { status, error } = await shop.api.get(`${paths[path]}?${pair}&${pair}`)
      assert.deepEqual([status, error?.details?.map(({ field }: { field: string }) => field)], [422, [name]], name)
    }
  })
}
