// A request to every route of the API, each with every filter and order that it has, in a store that has one of each.
import assert from 'node:assert/strict'
import type { JsonSchema } from '../src/kit/declare/field.ts'
import { newUuid } from '../src/kit/values/ids.ts'
import { storefrontRoutes } from '../src/http/storefrontroutes.ts'
import { routes } from '../src/developer/routes.ts'
import { buyer, home, shopperOf } from './checkouts.ts'
import type { Client } from './client.ts'
import { sql } from '../src/kit/database/sql.ts'
import { holdMoney } from './hold.ts'
import { importIn, upload as uploadRows } from './imports.ts'
import { madeReady, send as upload, sendDownload } from './uploads.ts'
import type { TestStore, World } from './world.ts'

const table = [
  ...routes.map((route) => ({ ...route, name: `${route.method} /v1${route.path}` })),
  ...storefrontRoutes.map((route) => ({ ...route, name: `${route.method} /storefront${route.path}` })),
]

/** `GET /v1/products/{id}` */
export const everyRoute = table.map(({ name }) => name)

export type Known = Awaited<ReturnType<typeof oneOfEach>>

export async function oneOfEach(world: World, shop: TestStore) {
  const create = async (path: string, body: object) => {
    const headers = { 'idempotency-key': newUuid() }
    const { status, data, error } = await shop.api.post(`/v1${path}`, body, { headers })
    assert.equal(status, 201, `${path} ${JSON.stringify(error)}`)
    return data
  }
  const events = ['product.created', 'order.created']
  const webhook = await create('/webhooks', { url: 'https://hooks.example/a', events })
  const category = await create('/categories', { name: 'Hats' })
  await create('/categories', { name: 'Caps', parent_id: category.id })
  const stock = { track_inventory: true, stock_quantity: 500 }
  const product = await create('/products', { name: 'Mug', price: 10, category_id: category.id, ...stock })
  const shirt = await create('/products', {
    name: 'Shirt',
    price: 20,
    variants: [{ option_values: [colour('Red')], stock_quantity: 90, sku: 'S-1' }],
  })
  const collection = await create('/collections', { name: 'Summer' })
  await shop.api.post(`/v1/collections/${collection.id}/products`, { product_ids: [product.id, shirt.id] })
  const { data: picture } = await upload(shop.api)
  await madeReady(shop.api, picture.id)
  await leaveFile(world, shop)
  const addresses = [{ address: 'Av. Reforma 222', city: 'Ciudad de México' }]
  const contact = { name: 'Ana Torres', email: 'ana@example.com', phone: '+525512345678' }
  const customer = await create('/customers', { ...contact, addresses })
  const group = await create('/customer-groups', { name: 'Regulars', min_orders_count: 1 })
  await shop.api.post(`/v1/customer-groups/${group.id}/members`, { customer_ids: [customer.id] })
  const duplicate = await create('/customers', { name: 'Ana T.', accepts_marketing: true })
  const note = await create(`/customers/${customer.id}/notes`, { body: 'Rang about size 44' })
  const discount = await create('/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const rate = await create('/store/shipping-rates', { code: 'standard', price: 5 })
  const zone = await create('/store/tax-zones', { name: 'VAT', country_code: 'DE', rate: 19 })
  const method = await create('/store/payment-methods', { code: 'cod' })
  const bump = await create('/store/order-bumps', { title: 'Wrapping', price: 2, product_id: product.id })
  const field = await create('/store/custom-fields', { applies_to: 'product', key: 'material', label: 'Material' })
  const proposal = await create('/proposals', { method: 'POST', path: '/v1/categories', body: { name: 'Belts' } })
  const fork = await create('/forks', { name: 'Tests' })
  const waiting = await create('/backinstock/requests', { product_id: product.id, email: 'ana@example.com' })
  const download = (await sendDownload(shop.api, { product_id: product.id })).data
  const keys = Array.from({ length: 100 }, () => newUuid()).join('\n')
  await shop.api.post('/v1/downloads/keys', { product_id: product.id, keys })
  const page = await create('/pages', { title: 'About us', body: 'Since **1998**' })
  const redirect = await create('/redirects', { path: '/old-page', target: '/pages/about-us' })
  const items = [{ product_id: product.id, quantity: 1 }]
  const customer_email = 'ana@example.com'
  const order = await create('/orders', { items, customer_email, discount_code: 'TEN', notify_customer: true })
  const edited = await create('/orders', { items, customer_email })
  await shop.api.post(`/v1/orders/${edited.id}/edits`, { shipping_cost: 1 })
  const draftOrder = await create('/draft-orders', { items, customer_email })
  const fulfillment = await create(`/orders/${order.id}/fulfillments`, {})
  const comment = await create(`/orders/${order.id}/comments`, { body: 'Checked' })
  const units = [{ item_id: order.items[0].id, quantity: 1, reason: 'other' }]
  const returned = await create(`/orders/${order.id}/returns`, { items: units, status: 'requested' })
  const [mail] = (await shop.api.get('/v1/mails')).data
  for (const is_active of [false, true]) await shop.api.patch('/v1/store/mails/order_paid', { is_active })
  await shop.api.patch(`/v1/orders/${order.id}`, { payment_status: 'paid' })
  const bought = await create('/orders', { items, customer_email, payment_status: 'paid' })
  const [revocable] = (await shop.api.get(`/v1/downloads/grants?order_id=${bought.id}`)).data
  const [licenseKey] = (await shop.api.get('/v1/downloads/keys?is_handed_out=false')).data
  const refund = await create(`/orders/${order.id}/refunds`, { items: [{ item_id: order.items[0].id, quantity: 1 }] })
  const [payment] = (await shop.api.get('/v1/payments')).data
  const { data: checkout } = await shopperOf(world, shop).begin({ items, ...buyer() })
  const [delivery] = (await shop.api.get(`/v1/webhooks/${webhook.id}/deliveries`)).data
  const [event] = (await shop.api.get('/v1/events')).data
  const [draft] = (await shop.api.get('/v1/checkout-drafts?status=all')).data
  await world.app.requestLog!.flush()
  const [request] = (await shop.api.get('/v1/requests')).data
  const [ready, running, completed] = await Promise.all(
    ['ready', 'running', 'completed'].map((status) => importIn(world, shop, status)),
  )
  return {
    slug: shop.store.slug,
    webhook,
    category,
    product,
    shirt,
    collection,
    picture,
    customer,
    duplicate,
    note,
    discount,
    group,
    rate,
    zone,
    method,
    bump,
    field,
    page,
    redirect,
    waiting,
    download,
    revocable,
    licenseKey,
    fork,
    proposal,
    order,
    draftOrder,
    fulfillment,
    comment,
    mail,
    refund,
    returned,
    payment,
    checkout,
    delivery,
    event,
    draft,
    request,
    imports: { ready: ready!, running: running!, completed: completed! },
  }
}

/** `begin` is told the route of each request before it is sent. What is known is deleted in the end. */
export async function askEveryRoute(
  world: World,
  shop: TestStore,
  known: Known,
  begin: (route: string) => void,
): Promise<void> {
  const api = await shop.withKey({})
  const ask: Ask = async (route, ids, bodyOrQuery) => {
    begin(route)
    // Keys are learned anew, and as many requests may be made as one likes.
    world.clock.advance(60)
    const [method, path] = urlOf(route, shop.store.slug, ids)
    const { status, body, data } = await send(api, method, path, bodyOrQuery)
    assert.ok(status < 300, `${method} ${path} ${JSON.stringify(bodyOrQuery)} ${JSON.stringify(body)}`)
    if (body.pagination?.next_cursor) {
      const next = new URL(path + bodyOrQuery, 'http://here')
      next.searchParams.set('cursor', body.pagination.next_cursor)
      assert.equal((await api.get(next.pathname + next.search)).status, 200)
    }
    return data
  }
  await readAll(ask, known)
  await writeAll(ask, known)
  await placeOrders(ask, known, (id) => holdMoney(world, shop.store.id, id))
  await checkOut(ask, known)
  await deleteAll(ask, known)
}

/** One that an upload may take up again: it is looked for at each. */
async function leaveFile({ app }: World, { store }: TestStore): Promise<void> {
  await app.db.rows(sql`
    insert into media_leftovers (store_id, name, due_at)
    values (${store.id}, 'leftover', '2030-01-01')`)
}

/** `ids` take the places of {id} and the like. A GET has a query in place of a body. */
type Ask = (route: string, ids: string[], bodyOrQuery?: object | string) => Promise<any>

function urlOf(route: string, slug: string, ids: string[]): [method: string, path: string] {
  const rest = [...ids]
  const [method, path] = route.split(' ') as [string, string]
  return [method, path.replace(/\{\w+\}/g, () => rest.shift()!).replace(/^\/storefront/, `/storefront/${slug}`)]
}

function send(api: Client, method: string, path: string, bodyOrQuery: object | string = '') {
  switch (method) {
    case 'GET':
      return api.get(path + bodyOrQuery)
    case 'POST':
      if (path === '/v1/media') return upload(api)
      if (path === '/v1/downloads/files') return sendDownload(api, bodyOrQuery as Record<string, string>)
      if (path === '/v1/imports') return uploadRows(api, 'name,price\nMug,1\n', { kind: 'products' })
      return api.post(path, bodyOrQuery || {}, { headers: { 'idempotency-key': newUuid() } })
    case 'PATCH':
      return api.patch(path, bodyOrQuery)
    default:
      return api.delete(path)
  }
}

/** What takes the places of {id} and the like, for each route that reads. */
export function idsOf(known: Known): Record<string, string[]> {
  const { category, product, customer, order, fulfillment, comment, refund, webhook, delivery, draft, checkout } = known
  const { collection } = known
  return {
    'GET /v1/store/shipping-rates/{id}': [known.rate.id],
    'GET /v1/store/tax-zones/{id}': [known.zone.id],
    'GET /v1/store/payment-methods/{id}': [known.method.id],
    'GET /v1/store/order-bumps/{id}': [known.bump.id],
    'GET /v1/store/custom-fields/{id}': [known.field.id],
    'GET /v1/pages/{id}': [known.page.id],
    'GET /v1/pages/{id}/translations': [known.page.id],
    'GET /v1/redirects/{id}': [known.redirect.id],
    'GET /v1/products/{id}/translations': [known.shirt.id],
    'GET /v1/categories/{id}/translations': [known.category.id],
    'GET /v1/backinstock/requests/{id}': [known.waiting.id],
    'GET /v1/downloads/files/{id}': [known.download.id],
    'GET /v1/downloads/grants/{id}': [known.revocable.id],
    'GET /v1/downloads/keys/{id}': [known.licenseKey.id],
    'GET /v1/forks/{id}': [known.fork.id],
    'GET /v1/proposals/{id}': [known.proposal.id],
    'GET /v1/products/{id}': [product.id],
    'GET /v1/categories/{id}': [category.id],
    'GET /v1/collections/{id}': [collection.id],
    'GET /v1/collections/{id}/products': [collection.id],
    'GET /v1/collections/{id}/translations': [collection.id],
    'GET /v1/media/{id}': [known.picture.id],
    'GET /v1/customers/{id}': [customer.id],
    'GET /v1/customers/{id}/data': [customer.id],
    'GET /v1/customers/{id}/addresses': [customer.id],
    'GET /v1/customers/{id}/addresses/{address_id}': [customer.id, customer.addresses[0].id],
    'GET /v1/customer-groups/{id}': [known.group.id],
    'GET /v1/customer-groups/{id}/members': [known.group.id],
    'GET /v1/discounts/{id}': [known.discount.id],
    'GET /v1/inventory/products/{productId}': [product.id],
    'GET /v1/inventory/products/{productId}/transactions': [product.id],
    'GET /v1/draft-orders/{id}': [known.draftOrder.id],
    'GET /v1/draft-orders/{id}/quote': [known.draftOrder.id],
    'GET /v1/orders/{id}': [order.id],
    'GET /v1/orders/{id}/items': [order.id],
    'GET /v1/orders/{id}/refundable': [order.id],
    'GET /v1/orders/{id}/refunds': [order.id],
    'GET /v1/orders/{id}/refunds/{refund_id}': [order.id, refund.id],
    'GET /v1/orders/{id}/returnable': [order.id],
    'GET /v1/returns/{id}': [known.returned.id],
    'GET /v1/orders/{id}/payments': [order.id],
    'GET /v1/payments/{id}': [known.payment.id],
    'GET /v1/customers/{id}/notes': [customer.id],
    'GET /v1/orders/{id}/comments': [order.id],
    'GET /v1/orders/{id}/comments/{comment_id}': [order.id, comment.id],
    'GET /v1/orders/{id}/fulfillments': [order.id],
    'GET /v1/orders/{id}/fulfillments/{fulfillment_id}': [order.id, fulfillment.id],
    'GET /v1/events/{id}': [known.event.id],
    'GET /v1/mails/{id}': [known.mail.id],
    'GET /v1/store/mails/{kind}': ['order_confirmation'],
    'GET /v1/store/mails/{kind}/preview': ['order_confirmation'],
    'GET /v1/checkout-drafts/{id}': [draft.id],
    'GET /v1/webhooks/{id}': [webhook.id],
    'GET /v1/webhooks/{id}/deliveries': [webhook.id],
    'GET /v1/webhooks/{id}/deliveries/{deliveryId}': [webhook.id, delivery.id],
    'GET /v1/imports/{id}': [known.imports.ready],
    'GET /v1/imports/{id}/rows': [known.imports.ready],
    'GET /v1/imports/{id}/images': [known.imports.ready],
    'GET /v1/requests/{id}': [known.request.id],
    'GET /v1/requests/{id}/explain': [known.request.id],
    'GET /storefront/products/{idOrSlug}': [product.slug],
    'GET /storefront/categories/{idOrSlug}': [category.slug],
    'GET /storefront/collections/{idOrSlug}': [collection.slug],
    'GET /storefront/collections/{idOrSlug}/products': [collection.slug],
    'GET /storefront/checkouts/{token}': [checkout.token],
    'GET /storefront/pages/{page}': [known.page.slug],
  }
}

async function readAll(ask: Ask, known: Known): Promise<void> {
  const { category, product, shirt, customer, order } = known
  const { collection } = known
  const ids = idsOf(known)
  const more: [route: string, queries: string[]][] = [
    [
      'GET /v1/products',
      [
        `category_id=${category.id}`,
        `category_id=${category.id}&search=mug&page=2`,
        `category_id=${category.id}&subtree=true`,
        `collection_id=${collection.id}`,
        'status=all&sort=price&page=2',
        'status=all&search=s-1',
      ],
    ],
    ['GET /v1/customers', ['search=5512345', 'search=ana@example.com', 'search=ana&page=2', `group=${known.group.id}`]],
    ['GET /v1/customer-groups', [`customer_id=${customer.id}`]],
    [
      'GET /v1/backinstock/requests',
      [`product_id=${product.id}`, 'variant_id=x', 'email=ana@example.com', 'sort=created_at'],
    ],
    [
      'GET /v1/inventory/backorders',
      [`product_id=${product.id}`, `variant_id=${shirt.variants[0].id}`, 'sort=created_at&order=desc'],
    ],
    ['GET /v1/downloads/files', [`product_id=${product.id}`, 'variant_id=x', 'sort=created_at']],
    ['GET /v1/downloads/grants', [`order_id=${known.order.id}`, `file_id=${known.download.id}`, 'sort=created_at']],
    ['GET /v1/downloads/keys', [`product_id=${product.id}`, 'variant_id=x', 'is_handed_out=false', 'sort=created_at']],
    ['GET /v1/redirects', ['path=/old-page', 'search=page', 'sort=path']],
    [
      'GET /v1/orders',
      [
        'search=%231001',
        `search=${order.id}`,
        'search=5512345',
        `customer_id=${customer.id}`,
        'discount_code=TEN',
        'status=pending,confirmed',
        'date_from=2026-01-01T00:00:00Z&status=pending',
        'status=pending&payment_status=pending&cursor=&per_page=1',
        'search=ana&cursor=&per_page=1',
        'city=lima&sort=total',
      ],
    ],
    ['GET /v1/draft-orders', [`customer_id=${customer.id}`]],
    ['GET /v1/collections', [`product_id=${product.id}`]],
    [
      'GET /storefront/products',
      [`category=${category.slug}`, `category=${category.id}&page=2`, `collection=${collection.slug}`],
    ],
  ]
  for (const { method, name, query } of table) {
    if (method !== 'GET') continue
    for (const parameters of ['', ...queriesOf(query?.schema)]) await ask(name, ids[name] ?? [], parameters)
  }
  for (const [route, queries] of more) for (const query of queries) await ask(route, [], `?${query}`)
  await ask('GET /storefront/products/{idOrSlug}', [shirt.id])
}

/** Each parameter of a list by itself with each kind of value, each order of the list, and a later page. */
function queriesOf(schema: JsonSchema = {}): string[] {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const sorts = (properties.sort?.enum ?? []) as string[]
  const filters = Object.entries(properties).filter(
    ([name]) => !['page', 'per_page', 'sort', 'order', 'cursor'].includes(name),
  )
  return [
    ...sorts
      .flatMap((sort) => ['asc', 'desc'].map((order) => `?sort=${sort}&order=${order}`))
      .flatMap((query) => [query, `${query}&page=2`]),
    ...('cursor' in properties ? ['?cursor=', '?cursor=&order=asc&per_page=1'] : []),
    ...filters
      .flatMap(([name, filter]) => (filter.type === 'object' ? keyedPairs(name, filter) : pairsOf(name, filter)))
      .map((pair) => pair.map(encodeURIComponent))
      .map((pair) => `?${pair.join('=')}`),
  ]
}

/** `metadata[source]=erp` */
function keyedPairs(name: string, { examples }: JsonSchema): [name: string, value: string][] {
  const [example] = examples as Record<string, string>[]
  return Object.entries(example!).map(([key, value]) => [`${name}[${key}]`, value])
}

function pairsOf(name: string, filter: JsonSchema): [name: string, value: string][] {
  return valuesOf(name, filter).map((value) => [name, value])
}

function valuesOf(name: string, { enum: choices, examples, type, format }: JsonSchema): string[] {
  if (Array.isArray(choices)) return choices.map(String)
  if (Array.isArray(examples)) return examples.map(String)
  if (type === 'boolean') return ['true', 'false']
  if (type === 'integer' || type === 'number') return ['5']
  if (format === 'date-time') return ['2026-11-01T00:00:00Z']
  return name.endsWith('_id') ? ['nobody'] : ['mug']
}

async function writeAll(ask: Ask, known: Known): Promise<void> {
  const { category, collection, product, shirt, webhook } = known
  const [variant] = shirt.variants
  const variants = [{ ...variant, stock_quantity: 80 }, { option_values: [colour('Blue')] }]
  const writes: [route: string, ids: string[], body?: object][] = [
    ['PATCH /v1/store', [], { name: 'Other', slug: 'other', custom_domain: 'shop.example.com' }],
    ['POST /v1/store/verify-domain', [], { custom_domain: 'shop.example.com' }],
    ['PATCH /v1/store', [], { slug: known.slug }],
    ['PATCH /v1/store', [], { notification_email: 'owner@example.com' }],
    ['POST /storefront/messages', [], { email: 'ana@example.com', message: 'Hello' }],
    ['PATCH /v1/store/checkout', [], { company: 'optional' }],
    ['POST /v1/store/shipping-rates', [], { code: 'express', price: 9 }],
    ['PATCH /v1/store/shipping-rates/{id}', [known.rate.id], { position: 2 }],
    [
      'POST /v1/store/tax-zones',
      [],
      { name: 'TVA', country_code: 'FR', rate: 20, category_rates: [{ category_id: category.id, rate: 5.5 }] },
    ],
    ['PATCH /v1/store/tax-zones/{id}', [known.zone.id], { position: 2 }],
    ['POST /v1/store/payment-methods', [], { code: 'cash' }],
    ['PATCH /v1/store/payment-methods/{id}', [known.method.id], { position: 2 }],
    ['POST /v1/store/payment-methods/{id}/test', [known.method.id]],
    ['POST /v1/store/order-bumps', [], { title: 'Socks', product_id: shirt.id, variant_id: variant.id }],
    ['PATCH /v1/store/order-bumps/{id}', [known.bump.id], { position: 2 }],
    ['POST /v1/store/custom-fields', [], { applies_to: 'customer', key: 'size', label: 'Size' }],
    ['PATCH /v1/store/custom-fields/{id}', [known.field.id], { position: 2 }],
    ['PATCH /v1/store/appearance', [], { accent_color: '#aa2200', announcement: 'New' }],
    ['POST /v1/pages', [], { title: 'Returns', kind: 'returns' }],
    ['PATCH /v1/pages/{id}', [known.page.id], { body: 'New' }],
    ['POST /v1/redirects', [], { path: '/other-page', target: '/products/mug' }],
    ['PATCH /v1/redirects/{id}', [known.redirect.id], { target: 'https://journal.example/' }],
    ['PATCH /v1/pages/{id}/translations', [known.page.id], { es: { title: 'Sobre nosotros' } }],
    ['PATCH /v1/store/translations', [], { es: { announcement: 'Nuevo', terms: [{ term: 'Mug', text: 'Taza' }] } }],
    ['PATCH /v1/store/menus', [], { header_menu: [{ label: 'Mug', link: `/products/${product.slug}` }] }],
    ['PATCH /v1/store/mails/{kind}', ['order_paid'], { is_active: true, en: { subject: 'Paid: {number}' } }],
    ['POST /v1/mails/{id}/resend', [known.mail.id]],
    ['POST /v1/products', [], { name: 'Mug', price: 5, category_id: category.id, stock_quantity: 3 }],
    ['POST /v1/products', [], { name: 'Hat', price: 5, variants: [{ option_values: [colour('Red')] }] }],
    [
      'POST /v1/products/batch',
      [],
      {
        products: [{ id: product.id, price: 7, category_id: category.id, product_status: 'draft', tags: ['x'] }],
        variants: [{ id: variant.id, price: 6, sku: 'S-1', expected: { price: variant.price } }],
      },
    ],
    ['PATCH /v1/products/{id}', [product.id], { name: 'Cup', stock_quantity: 400, slug: 'cup', category_id: null }],
    ['PATCH /v1/products/{id}', [product.id], { category_id: category.id, product_status: 'draft' }],
    ['PATCH /v1/products/{id}', [product.id], { product_status: 'active' }],
    ['PATCH /v1/products/{id}', [shirt.id], { options: [{ title: 'Colour', values: ['Red', 'Blue'] }], variants }],
    [
      'PATCH /v1/products/{id}/translations',
      [shirt.id],
      { es: { name: 'Camisa', terms: [{ term: 'Red', text: 'Rojo' }] } },
    ],
    ['POST /v1/categories', [], { name: 'Shoes', parent_id: category.id }],
    ['PATCH /v1/categories/{id}', [category.id], { name: 'Boots', slug: 'boots' }],
    ['PATCH /v1/categories/{id}', [category.id], { slug: 'hats', parent_id: null }],
    ['PATCH /v1/categories/{id}/translations', [category.id], { es: { name: 'Botas' } }],
    ['POST /v1/collections', [], { name: 'Winter' }],
    ['PATCH /v1/collections/{id}', [collection.id], { name: 'Spring', slug: 'spring' }],
    ['PATCH /v1/collections/{id}', [collection.id], { slug: 'summer' }],
    ['PATCH /v1/collections/{id}/translations', [collection.id], { es: { name: 'Verano' } }],
    ['POST /v1/collections/{id}/products', [collection.id], { product_ids: [shirt.id], position: 0 }],
    ['DELETE /v1/collections/{id}/products/{product_id}', [collection.id, shirt.id]],
    ['POST /v1/collections/{id}/products', [collection.id], { product_ids: [shirt.id] }],
    ['POST /v1/media', []],
    ['POST /v1/imports', []],
    ['PATCH /v1/imports/{id}', [known.imports.ready], { on_duplicate: 'update', mapping: '{"price":"price"}' }],
    ['POST /v1/imports/{id}/stop', [known.imports.running]],
    ['POST /v1/imports/{id}/start', [known.imports.running]],
    ['POST /v1/imports/{id}/retry-images', [known.imports.completed]],
    ['POST /v1/imports/{id}/undo', [known.imports.completed]],
    ['PATCH /v1/media/{id}', [known.picture.id], { alt_text: 'A mug' }],
    ['POST /v1/draft-orders', [], { items: [{ product_name: 'Card', unit_price: 1, quantity: 1 }] }],
    ['PATCH /v1/draft-orders/{id}', [known.draftOrder.id], { discount_type: 'percentage', discount_value: 5 }],
    ['POST /v1/draft-orders/{id}/duplicate', [known.draftOrder.id]],
    ['POST /v1/draft-orders/{id}/payment-link', [known.draftOrder.id], {}],
    ['POST /v1/draft-orders/{id}/revoke-link', [known.draftOrder.id]],
    ['POST /v1/draft-orders/{id}/complete', [known.draftOrder.id], { payment_status: 'paid' }],
    ['POST /v1/customers', [], { name: 'Bo', email: 'bo@example.com', tags: ['vip'] }],
    [
      'PATCH /v1/customers/{id}',
      [known.customer.id],
      { name: 'Ana', email: 'ana@example.com', accepts_marketing: true },
    ],
    ['POST /v1/customers/{id}/merge', [known.customer.id], { customer_id: known.duplicate.id }],
    ['POST /v1/customers/{id}/notes', [known.customer.id], { body: 'Rang about size 44' }],
    ['DELETE /v1/customers/{id}/notes/{note_id}', [known.customer.id, known.note.id]],
    ['POST /v1/customers/{id}/addresses', [known.customer.id], { address: 'Calle 60' }],
    ['PATCH /v1/customers/{id}/addresses/{address_id}', addressOf(known), { city: 'Mérida' }],
    ['DELETE /v1/customers/{id}/addresses/{address_id}', addressOf(known)],
    ['POST /v1/customer-groups', [], { name: 'Lapsed', min_days_since_order: 90, provinces: ['MX-CMX'] }],
    ['PATCH /v1/customer-groups/{id}', [known.group.id], { customer_tags: ['vip'], match: 'any' }],
    ['POST /v1/customer-groups/preview', [], { match: 'any', country_codes: ['MX'], min_total_spent: 5 }],
    ['DELETE /v1/customer-groups/{id}/members/{customer_id}', [known.group.id, known.customer.id]],
    ['POST /v1/customer-groups/{id}/members', [known.group.id], { customer_ids: [known.customer.id] }],
    [
      'POST /v1/discounts',
      [],
      {
        code: 'SOME',
        type: 'fixed_amount',
        value: 2,
        once_per_customer: true,
        customer_group_ids: [known.group.id],
        applicable_product_ids: [product.id],
        applicable_category_ids: [category.id],
      },
    ],
    [
      'POST /v1/discounts/validate',
      [],
      { code: 'SOME', order_total: 10, items: [{ product_id: product.id, quantity: 1 }] },
    ],
    ['POST /v1/store/shipping-rates/{id}/rotate-secret', [known.rate.id]],
    ['POST /v1/store/shipping-rates/preview', [], { items: [{ product_id: product.id, quantity: 1 }] }],
    ['PATCH /v1/discounts/{id}', [known.discount.id], { applies_to_all: true, max_uses: 5000 }],
    ['PATCH /v1/inventory/products/{productId}', [product.id], { quantity: 5 }],
    ['PATCH /v1/inventory/products/{productId}', [shirt.id], { quantity: 5, variant_id: variant.id }],
    ['PATCH /v1/inventory/products/{productId}/settings', [product.id], { low_stock_threshold: 3 }],
    ['PATCH /v1/payments/{id}', [known.payment.id], { needs_review: false }],
    ['POST /v1/backinstock/requests', [], { product_id: product.id, email: 'bo@example.com', language: 'de' }],
    ['PATCH /v1/backinstock/settings', [], { is_active: false }],
    ['POST /v1/downloads/files', [], { product_id: product.id, name: 'More.pdf' }],
    ['POST /v1/downloads/keys', [], { product_id: product.id, keys: 'AAAA-1111\nBBBB-2222' }],
    ['POST /v1/downloads/grants/{id}/revoke', [known.revocable.id]],
    ['POST /v1/downloads/grants/{id}/renew', [known.revocable.id], { max_downloads: 3 }],
    ['PATCH /v1/downloads/settings', [], { max_downloads: 3 }],
    ['POST /v1/forks', [], { name: 'More tests' }],
    ['POST /v1/webhooks', [], { url: 'https://hooks.example/b', events: ['order.updated'] }],
    ['PATCH /v1/webhooks/{id}', [webhook.id], { events: ['order.created'], is_active: true }],
    ['POST /v1/webhooks/{id}/rotate-secret', [webhook.id]],
    ['POST /v1/webhooks/{id}/test', [webhook.id]],
    ['POST /v1/webhooks/{id}/examine', [webhook.id]],
    ['POST /v1/webhooks/{id}/replay', [webhook.id], { from: '2026-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }],
    ['POST /v1/webhooks/{id}/replay', [webhook.id], { from_sequence: 1 }],
    ['POST /v1/webhooks/{id}/recover', [webhook.id], { since: '2026-01-01T00:00:00Z' }],
    ['POST /v1/webhooks/{id}/deliveries/{deliveryId}/redeliver', [webhook.id, known.delivery.id]],
  ]
  for (const [route, ids, body] of writes) await ask(route, ids, body)
  const [entry] = await ask('GET /v1/audit', [], '?operation=createCategory')
  await ask('POST /v1/changes/{request_id}/revert', [entry.request_id])
  await ask('POST /v1/proposals/{id}/approve', [known.proposal.id])
  const { id } = await ask('POST /v1/proposals', [], {
    method: 'PATCH',
    path: `/v1/products/${shirt.id}`,
    body: { stock_quantity: 5, name: 'Blouse' },
  })
  await ask('POST /v1/proposals/{id}/refuse', [id], { reason: 'Not now' })
}

async function placeOrders(
  ask: Ask,
  { product, shirt, customer, order }: Known,
  hold: (id: string) => Promise<void>,
): Promise<void> {
  const items = [
    { product_id: product.id, quantity: 1 },
    { product_id: shirt.id, variant_id: shirt.variants[0].id, quantity: 1 },
    { product_name: 'Card', unit_price: 1, quantity: 1 },
  ]
  const place = (body: object) => ask('POST /v1/orders', [], { items, ...body })
  const change = (id: string, body: object) => ask('PATCH /v1/orders/{id}', [id], body)
  const held = await place({})
  await hold(held.id)
  await ask('POST /v1/orders/{id}/capture', [held.id], { amount: 1 })
  await place({ customer_id: customer.id, discount_code: 'TEN', shipping_address: home })
  await place({ customer_phone: '+525512345678', payment_status: 'paid' })
  await place({ customer_email: 'new@example.com', customer_name: 'Cy' })
  const { id } = await place({ customer_email: 'ana@example.com', discount_code: 'SOME' })
  const gift = { product_name: 'Gift', unit_price: 3, quantity: 1 }
  const edited = await ask('POST /v1/orders/{id}/edits', [id], { items: [gift, { ...items[0], quantity: 2 }] })
  const taken = edited.items.map((item: any, at: number) => ({ item_id: item.id, quantity: at === 2 ? 0 : 2 }))
  await ask('POST /v1/orders/{id}/edits', [id], { items: taken, discount_code: 'TEN', shipping_cost: 4 })
  await ask('POST /v1/orders/{id}/payment-link', [id])
  await change(id, { status: 'confirmed', shipping_address: home, internal_notes: 'x' })
  await change(id, { payment_status: 'paid' })
  const parcel = await ask('POST /v1/orders/{id}/fulfillments', [id], { carrier: 'UPS' })
  await ask('PATCH /v1/orders/{id}/fulfillments/{fulfillment_id}', [id, parcel.id], { tracking_number: '1Z' })
  await ask('PATCH /v1/orders/{id}/fulfillments/{fulfillment_id}', [id, parcel.id], { status: 'cancelled' })
  const comment = await ask('POST /v1/orders/{id}/comments', [id], { body: '@ana@example.com, is it sent?' })
  await ask('PATCH /v1/orders/{id}/comments/{comment_id}', [id, comment.id], { body: 'Sent' })
  await ask('DELETE /v1/orders/{id}/comments/{comment_id}', [id, comment.id])
  await change(id, { status: 'completed' })
  const many = [await place({}), await place({ customer_email: 'cy@example.com', notify_customer: true })]
  await ask('POST /v1/orders/batch', [], {
    orders: [{ id: many[0].id, add_tags: ['gift'], remove_tags: ['new'], is_archived: true }],
  })
  const sent = many.map((one) => ({ id: one.id, carrier: 'UPS', tracking_number: '1Z' }))
  await ask('POST /v1/fulfillments/batch', [], { orders: sent })
  await hold(many[1].id)
  await ask('POST /v1/captures/batch', [], { orders: [{ id: many[1].id }] })
  await sendBack(ask, many[0], await place({ payment_status: 'paid' }), items)
  await ask('POST /v1/orders/{id}/refunds', [id], { amount: 1 })
  await ask('POST /v1/orders/{id}/refunds', [id])
  await change(id, { status: 'returned' })
  await change(order.id, { status: 'cancelled' })
}

/** Each end of a return: `first` is shipped, `paid` is paid. */
async function sendBack(ask: Ask, first: any, paid: any, items: object[]): Promise<void> {
  const begin = ({ id, items: sold }: any, at: number, body: object = {}) => {
    const units = [{ item_id: sold[at].id, quantity: 1, reason: 'other', note: 'Too small' }]
    return ask('POST /v1/orders/{id}/returns', [id], { items: units, ...body })
  }
  const received = async (order: any, at: number) => {
    const { id } = await begin(order, at)
    await ask('POST /v1/returns/{id}/receive', [id])
    return id
  }
  const { id } = await begin(first, 0, { status: 'requested' })
  await ask('POST /v1/returns/{id}/decline', [id], { reason: 'Worn' })
  const [declined] = await ask('GET /v1/audit', [], '?operation=declineReturn')
  await ask('POST /v1/changes/{request_id}/revert', [declined.request_id])
  await ask('POST /v1/returns/{id}/approve', [id], { instructions: 'To Dock Street 4' })
  await ask('PATCH /v1/returns/{id}', [id], { metadata: { source: 'erp' } })
  await ask('POST /v1/returns/{id}/cancel', [id])
  await ask('POST /v1/returns/{id}/close', [await received(first, 2)])
  await ask('POST /v1/returns/{id}/exchange', [await received(first, 0)], { items })
  await ask('POST /v1/orders/{id}/fulfillments', [paid.id])
  await ask('POST /v1/returns/{id}/refund', [await received(paid, 0)], { restocking_fee: 1 })
}

async function checkOut(ask: Ask, { product, shirt, bump }: Known): Promise<void> {
  const line = { product_id: product.id, quantity: 1 }
  const { token } = await ask('POST /storefront/checkouts', [], {
    items: [line, { product_id: shirt.id, variant_id: shirt.variants[0].id, quantity: 1 }],
    ...buyer(),
  })
  await ask('PATCH /storefront/checkouts/{token}', [token], {
    items: [line],
    discount_code: 'TEN',
    shipping_method: 'standard',
    payment_method: 'cod',
    shipping_address: home,
    order_bumps: [bump.id],
  })
  const { total } = await ask('GET /storefront/checkouts/{token}', [token])
  await ask('POST /storefront/checkouts/{token}/complete', [token], { total })
}

async function deleteAll(ask: Ask, known: Known): Promise<void> {
  for (const [path, { id }] of [
    ['/webhooks', known.webhook],
    ['/store/shipping-rates', known.rate],
    ['/store/tax-zones', known.zone],
    ['/store/payment-methods', known.method],
    ['/store/order-bumps', known.bump],
    ['/store/custom-fields', known.field],
    ['/pages', known.page],
    ['/redirects', known.redirect],
    ['/backinstock/requests', known.waiting],
    ['/downloads/keys', known.licenseKey],
    ['/downloads/files', known.download],
    ['/forks', known.fork],
    ['/draft-orders', known.draftOrder],
    ['/discounts', known.discount],
    ['/customers', known.customer],
    ['/customer-groups', known.group],
    ['/products', known.shirt],
    ['/products', known.product],
    ['/categories', known.category],
    ['/collections', known.collection],
    ['/media', known.picture],
  ] as const)
    await ask(`DELETE /v1${path}/{id}`, [id])
}

function colour(value: string): object {
  return { option_title: 'Colour', value }
}

function addressOf({ customer }: Known): string[] {
  return [customer.id, customer.addresses[0].id]
}
