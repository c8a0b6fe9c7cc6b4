// Section 7 of the interface: every row of its tables, the envelope, and what a body may be.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { sql } from '../../src/kit/database/sql.ts'
import { client, type Answer, type Client } from '../client.ts'
import { answering } from '../strangers.ts'
import { openWorld, type TestStore } from '../world.ts'

const world = await openWorld({}, { network: { resolver: answering(['93.184.216.34']) } })
// Of its own: a table of it is taken away.
const broken = await openWorld({}, { sweeps: true })

const unknown = '00000000000000000000000000'
const webhook = { url: 'https://hooks.example/stoa', events: ['order.created'] }
const mebibyte = 1024 * 1024
const json = { 'content-type': 'application/json' }

let shop: TestStore, limited: TestStore, api: Client, narrow: Client, used: Client, failing: Client
let productId: string, customerId: string

shop = await world.newStore()
api = shop.api
narrow = await shop.withKey({ scopes: ['read:checkout_drafts'] })
used = await shop.withKey({ mode: 'test' })
productId = (await api.post('/v1/products', { name: 'Mug', price: 10, slug: 'mug' })).data.id
customerId = (await api.post('/v1/customers', { name: 'Ana' })).data.id
for (const [path, body] of [
  ['/v1/categories', { name: 'Hats', slug: 'hats' }],
  ['/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 }],
  ['/v1/webhooks', webhook],
  ['/v1/store/shipping-rates', { code: 'standard', price: 9 }],
  ['/v1/store/tax-zones', { name: 'VAT', country_code: 'DE', rate: 19 }],
  ['/v1/store/payment-methods', { code: 'cod' }],
] as const)
  assert.equal((await api.post(path, body)).status, 201, path)

limited = await world.newStore({ plan: 'free' })
await Promise.all([
  ...Array.from({ length: 50 }, (_, index) => limited.api.post('/v1/products', { name: `Mug ${index}`, price: 1 })),
  ...Array.from({ length: 10 }, (_, index) => limited.api.post('/v1/categories', { name: `Hats ${index}` })),
  ...['A', 'B', 'C'].map((code) => limited.api.post('/v1/discounts', { code, type: 'percentage', value: 5 })),
  ...['1', '2'].map((path) => limited.api.post('/v1/webhooks', { ...webhook, url: `https://hooks.example/${path}` })),
])

failing = (await broken.newStore()).api
await broken.app.db.rows(sql`alter table customers rename to customers_away`)

const product = { name: 'Mug', price: 1 }
const discount = { code: 'NEW', type: 'percentage', value: 5 }
const feature = (name: string) => ({ message: `Your plan does not include ${name}`, details: { feature: name } })

/** Right before: a minute may pass between the loading of this file and its tests. */
async function usedUp(request: () => Promise<Answer>): Promise<Answer> {
  await Promise.all(Array.from({ length: 100 }, () => used.get('/v1/products/none')))
  return request()
}

type Row = [
  what: string,
  request: () => Promise<Answer>,
  status: number,
  code: string,
  error: { message: string; details?: unknown },
]
const rows: Row[] = [
  [
    'without a key',
    () => client(world.url, {}).get('/v1/store'),
    401,
    'AUTHENTICATION_ERROR',
    { message: 'Missing X-API-Key header' },
  ],
  [
    'with a key of no known form',
    () => client(world.url, { 'x-api-key': 'key' }).get('/v1/store'),
    401,
    'AUTHENTICATION_ERROR',
    { message: 'Invalid API key format' },
  ],
  [
    'with a key that nobody has',
    () => client(world.url, { 'x-api-key': 'wk_live_none' }).get('/v1/store'),
    401,
    'AUTHENTICATION_ERROR',
    { message: 'Invalid or inactive API key' },
  ],
  [
    'with an expired key',
    async () => (await shop.withKey({ expires_at: new Date(0) })).get('/v1/store'),
    401,
    'AUTHENTICATION_ERROR',
    { message: 'API key has expired' },
  ],
  [
    'without the scope',
    () => narrow.post('/v1/products', product),
    403,
    'SCOPE_INSUFFICIENT',
    { message: 'This API key lacks the scope write:products' },
  ],
  [
    'without the scope of webhooks',
    () => narrow.get('/v1/webhooks'),
    403,
    'SCOPE_INSUFFICIENT',
    { message: 'This API key lacks the scope read:webhooks' },
  ],
  [
    'beyond the limit of products',
    () => limited.api.post('/v1/products', product),
    403,
    'PLAN_LIMIT_EXCEEDED',
    { message: 'Product limit reached (50/50)' },
  ],
  [
    'beyond the limit of categories',
    () => limited.api.post('/v1/categories', { name: 'Bags' }),
    403,
    'PLAN_LIMIT_EXCEEDED',
    { message: 'Category limit reached (10/10)' },
  ],
  [
    'beyond the limit of discounts',
    () => limited.api.post('/v1/discounts', discount),
    403,
    'PLAN_LIMIT_EXCEEDED',
    { message: 'Discount limit reached (3/3)' },
  ],
  [
    'beyond the limit of webhooks',
    () => limited.api.post('/v1/webhooks', webhook),
    403,
    'PLAN_LIMIT_EXCEEDED',
    { message: 'Webhook limit reached (2/2)' },
  ],
  [
    'tracked stock on a plan without it',
    () => limited.api.post('/v1/products', { ...product, track_inventory: true }),
    403,
    'FEATURE_ACCESS_DENIED',
    feature('inventory'),
  ],
  [
    'a wholesale price on a plan without it',
    () => limited.api.post('/v1/products', { ...product, wholesale_price: 1 }),
    403,
    'FEATURE_ACCESS_DENIED',
    feature('wholesale'),
  ],
  [
    'a scoped discount on a plan without it',
    () => limited.api.post('/v1/discounts', { ...discount, applies_to_all: false }),
    403,
    'FEATURE_ACCESS_DENIED',
    feature('discounts_advanced'),
  ],
  [
    'drafts on a plan without them',
    () => limited.api.get('/v1/checkout-drafts'),
    403,
    'FEATURE_ACCESS_DENIED',
    feature('abandoned_checkouts'),
  ],
  [
    'their count on a plan without them',
    () => limited.api.get('/v1/checkout-drafts/count'),
    403,
    'FEATURE_ACCESS_DENIED',
    feature('abandoned_checkouts'),
  ],
  [
    'checkout.abandoned on a plan without it',
    () => limited.api.post('/v1/webhooks', { ...webhook, events: ['checkout.abandoned'] }),
    403,
    'FEATURE_ACCESS_DENIED',
    feature('abandoned_checkouts'),
  ],
  [
    'a domain on a plan without it',
    () => limited.api.patch('/v1/store', { custom_domain: 'shop.example' }),
    403,
    'FEATURE_ACCESS_DENIED',
    feature('custom_domain'),
  ],
  [
    'an order bump on a plan without it',
    () => limited.api.post('/v1/store/order-bumps', { title: 'Wrap', price: 1 }),
    403,
    'FEATURE_ACCESS_DENIED',
    feature('order_bumps'),
  ],
  [
    'a product that is not there',
    () => api.get(`/v1/products/prod_${unknown}`),
    404,
    'NOT_FOUND',
    { message: 'Product not found' },
  ],
  ['what is no id', () => api.get('/v1/products/1'), 404, 'NOT_FOUND', { message: 'Product not found' }],
  [
    'the id of something else',
    () => api.get(`/v1/products/${customerId}`),
    404,
    'NOT_FOUND',
    { message: 'Product not found' },
  ],
  [
    'a customer that is not there',
    () => api.patch(`/v1/customers/cus_${unknown}`, { name: 'Eva' }),
    404,
    'NOT_FOUND',
    { message: 'Customer not found' },
  ],
  [
    'an order that is not there',
    () => api.get(`/v1/orders/ord_${unknown}/items`),
    404,
    'NOT_FOUND',
    { message: 'Order not found' },
  ],
  [
    'a discount that is not there',
    () => api.delete(`/v1/discounts/disc_${unknown}`),
    404,
    'NOT_FOUND',
    { message: 'Discount not found' },
  ],
  [
    'a category that is not there',
    () => api.delete(`/v1/categories/cat_${unknown}`),
    404,
    'NOT_FOUND',
    { message: 'Category not found' },
  ],
  [
    'the stock of a product that is not there',
    () => api.get(`/v1/inventory/products/prod_${unknown}`),
    404,
    'NOT_FOUND',
    { message: 'Product not found' },
  ],
  [
    'an unknown route',
    () => api.get('/v1/nothing/at/all?page=1'),
    404,
    'NOT_FOUND',
    { message: 'Route GET /v1/nothing/at/all not found' },
  ],
  [
    'an unknown method',
    () => api.send('PUT', '/v1/products'),
    404,
    'NOT_FOUND',
    { message: 'Route PUT /v1/products not found' },
  ],
  [
    'a method that only another path has',
    () => api.delete('/v1/products'),
    404,
    'NOT_FOUND',
    { message: 'Route DELETE /v1/products not found' },
  ],
  [
    'a path with a slash too many',
    () => api.get('/v1/products/'),
    404,
    'NOT_FOUND',
    { message: 'Route GET /v1/products/ not found' },
  ],
  ['another version', () => api.get('/v2/products'), 404, 'NOT_FOUND', { message: 'Route GET /v2/products not found' }],
  [
    "a category's name that is taken",
    () => api.post('/v1/categories', { name: 'HATS' }),
    409,
    'CONFLICT',
    { message: 'A category with the name HATS already exists' },
  ],
  [
    "a category's slug that is taken",
    () => api.post('/v1/categories', { name: 'Other', slug: 'hats' }),
    409,
    'CONFLICT',
    { message: 'A category with the slug hats already exists' },
  ],
  [
    "a product's slug that is taken",
    () => api.post('/v1/products', { ...product, slug: 'mug' }),
    409,
    'CONFLICT',
    { message: 'A product with the slug mug already exists' },
  ],
  [
    'a code that is taken',
    () => api.post('/v1/discounts', { ...discount, code: 'ten' }),
    409,
    'CONFLICT',
    { message: 'A discount with the code TEN already exists' },
  ],
  ['a webhook that is there', () => api.post('/v1/webhooks', webhook), 409, 'CONFLICT', { message: '*' }],
  [
    'a shipping rate that is there',
    () => api.post('/v1/store/shipping-rates', { code: 'standard', price: 1 }),
    409,
    'CONFLICT',
    { message: 'A shipping rate with the code standard already exists' },
  ],
  [
    'a payment method that is there',
    () => api.post('/v1/store/payment-methods', { code: 'cod' }),
    409,
    'CONFLICT',
    { message: 'A payment method with the code cod already exists' },
  ],
  [
    'an invalid field',
    () => api.post('/v1/products', { name: 'Mug', price: 0 }),
    422,
    'VALIDATION_ERROR',
    fault('price', 'must be greater than 0'),
  ],
  [
    'a url that is not https',
    () => api.post('/v1/webhooks', { ...webhook, url: 'http://hooks.example' }),
    422,
    'VALIDATION_ERROR',
    fault('url', 'must start with https://'),
  ],
  [
    'a reference to what is not there',
    () => api.post('/v1/products', { ...product, category_id: `cat_${unknown}` }),
    422,
    'VALIDATION_ERROR',
    fault('category_id', 'does not exist'),
  ],
  [
    'a body over 1 MiB',
    () => send(' '.repeat(mebibyte + 1)),
    413,
    'PAYLOAD_TOO_LARGE',
    { message: 'The request body is larger than 1048576 bytes' },
  ],
  ['a minute used up', () => usedUp(() => used.get('/v1/store')), 429, 'RATE_LIMITED', { message: '*' }],
  [
    'what the server did not expect',
    () => failing.get('/v1/customers'),
    500,
    'INTERNAL_ERROR',
    { message: 'An unexpected error occurred' },
  ],
  [
    'what the server did not expect of a write',
    () => failing.post('/v1/customers', { name: 'Ana' }),
    500,
    'INTERNAL_ERROR',
    { message: 'An unexpected error occurred' },
  ],
]

for (const [what, request, status, code, { message, details }] of rows) {
  test(`${what}: ${status} ${code}`, async () => {
    const answer = await request()
    assert.deepEqual([answer.status, answer.error?.code], [status, code], JSON.stringify(answer.body))
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.deepEqual(Object.keys(answer.body), ['error'])
    // Codes other than these two omit details.
    assert.deepEqual(answer.error.details, details)
    if (message === '*') assert.ok(answer.error.message.length > 0)
    else assert.equal(answer.error.message, message)
  })
}

test('what is no HTTP is refused in the envelope too, with the headers of every response', async () => {
  for (const [bytes, status, code] of [
    ['GARBAGE\r\n\r\n', 400, 'BAD_REQUEST'],
    ['FOO /v1/products HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'BAD_REQUEST'],
    [`GET /v1/products HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ] as const) {
    const answer = await told(bytes)
    const [head, body] = answer.split('\r\n\r\n')
    assert.match(head!, new RegExp(`^HTTP/1.1 ${status} `))
    for (const name of [
      'content-type: application/json',
      'x-request-id',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
    ]) {
      assert.ok(head!.includes(`\r\n${name}`), `${name} in ${head}`)
    }
    const { error } = JSON.parse(body!)
    assert.deepEqual([Object.keys(error), error.code], [['code', 'message'], code])
  }
})

/** What the server answers to these bytes until it closes the connection. */
async function told(bytes: string): Promise<string> {
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  return answer
}

function fault(field: string, message: string) {
  return { message: `${field}: ${message}`, details: [{ field, message }] }
}

function send(body: string | Uint8Array, headers: Record<string, string> = json): Promise<Answer> {
  return api.send('POST', '/v1/categories', { body, headers })
}

const noObject = 'must be a JSON object',
  noJson = 'is not valid UTF-8 JSON'
const wrongType = 'must be sent with Content-Type: application/json'
const name = '{"name":"Caps"}'

for (const [what, body, headers, message] of [
  ['cut short', '{"name":"Ca', json, noJson],
  ['with a comma too many', '{"name":"Caps",}', json, noJson],
  ['of two values', '{}{}', json, noJson],
  ['that is no UTF-8', Uint8Array.of(0x22, 0xff, 0xfe, 0x22), json, noJson],
  ['that is a list', '[]', json, noObject],
  ['that is null', 'null', json, noObject],
  ['that is a number', '1', json, noObject],
  ['that is a string', '"name"', json, noObject],
  ['sent as a form', 'name=Caps', { 'content-type': 'application/x-www-form-urlencoded' }, wrongType],
  ['sent as text', name, { 'content-type': 'text/plain' }, wrongType],
  ['of no type that there is', name, { 'content-type': 'nonsense' }, wrongType],
  ['of a type that only begins like JSON', name, { 'content-type': 'application/jsonlines' }, wrongType],
] as [string, string | Uint8Array, Record<string, string>, string][]) {
  test(`a body ${what} is 422 on the field body`, async () => {
    const { status, error } = await send(body, headers)
    assert.deepEqual([status, error], [422, { code: 'VALIDATION_ERROR', ...fault('body', message) }])
  })
}

test('a body of exactly 1 MiB is read, and JSON may be announced in any way that means it', async () => {
  const padded = (text: string) => text + ' '.repeat(mebibyte - text.length)
  assert.equal((await send(padded('{"name":"Size"}'))).status, 201)
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.api+json']) {
    assert.equal((await send(JSON.stringify({ name: type.slice(0, 30) }), { 'content-type': type })).status, 201, type)
  }
})

test('a request without a body is an empty object', async () => {
  for (const headers of [json, {}]) {
    const { status, error } = await api.send('POST', '/v1/categories', { headers })
    assert.deepEqual([status, error.details], [422, [{ field: 'name', message: 'is required' }]])
  }
})

test('all faults of a body come at once, nested ones in dot notation', async () => {
  const { status, error } = await api.post('/v1/orders', {
    items: [{ product_id: productId, quantity: 0 }, { quantity: 1 }, 'mug'],
    customer: { email: 'nobody' },
    shipping_address: { city: 5 },
    currency: 'usd',
    status: 'gone',
    tax_amount: -1,
  })
  assert.equal(status, 422)
  assert.equal(error.message, `The request has ${error.details.length} errors`)
  const fields = error.details.map(({ field }: { field: string }) => field).sort()
  assert.deepEqual(fields, [
    'currency',
    'customer.email',
    'items.0.quantity',
    'items.2',
    'shipping_address.city',
    'status',
    'tax_amount',
  ])
  for (const detail of error.details) assert.deepEqual(Object.keys(detail), ['field', 'message'])
})

test('a fault of one element hides none of the others, nor those of its own other fields', async () => {
  const item = { product_id: productId, quantity: 1 }
  const fieldsOf = ({ error }: Answer) => error.details.map(({ field }: { field: string }) => field).sort()
  assert.deepEqual(
    fieldsOf(
      await api.post('/v1/orders', {
        items: [
          { product_id: 'none', quantity: 0 },
          item,
          'mug',
          { product_id: 'none', quantity: 1, variant_id: 'none' },
        ],
      }),
    ),
    ['items.0.product_id', 'items.0.quantity', 'items.2', 'items.3.product_id', 'items.3.variant_id'],
  )
  assert.deepEqual(
    fieldsOf(
      await api.post('/v1/products', {
        name: 'Mug',
        price: 1,
        gallery: ['https://img.example/1.jpg', 'nowhere', { alt_text: 'Side' }],
      }),
    ),
    ['gallery.1.url', 'gallery.2'],
  )
})

test('more faults than are listed are a 422 too', async () => {
  const items = Array.from({ length: 150 }, () => ({ product_id: 5, product_name: 5, quantity: 'x' }))
  const { status, error } = await api.post('/v1/orders', { items, customer_name: 5, country_code: 5 })
  assert.deepEqual([status, error.details.length], [422, 101])
  assert.deepEqual(error.details.at(-1), { field: 'body', message: 'has 352 more errors' })
})

test('all faults of a query come at once', async () => {
  const { error } = await api.get(
    '/v1/products?page=0&per_page=101&sort=color&order=up&status=gone&price[gte]=-1&is_featured=perhaps',
  )
  assert.deepEqual(error.details.map(({ field }: { field: string }) => field).sort(), [
    'is_featured',
    'order',
    'page',
    'per_page',
    'price[gte]',
    'sort',
    'status',
  ])
})

test('what the database says never leaves the server', async () => {
  const { body, headers } = await failing.get('/v1/customers')
  assert.deepEqual(body, { error: { code: 'INTERNAL_ERROR', message: 'An unexpected error occurred' } })
  assert.match(headers.get('x-request-id')!, /./)
})

test('a value that no table can hold is a fault, not a 500', async () => {
  for (const value of ['\u0000', 'a\u0000b']) {
    const { status, error } = await api.post('/v1/customers', { name: `Ana${value}` })
    assert.deepEqual([status, error.details[0].field], [422, 'name'])
  }
  assert.equal((await send('{"name":"\\ud800"}')).status, 422)
  assert.equal((await api.get('/v1/customers?search=%00')).status, 422)
  assert.equal((await send(`{"name":${'['.repeat(5000)}${']'.repeat(5000)}}`)).status, 422)
})
