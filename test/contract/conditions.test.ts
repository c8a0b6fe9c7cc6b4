// ETag on every record; If-None-Match when it is read, If-Match when it is changed or deleted (RFC 9110 §13).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { storefrontRoutes } from '../../src/http/storefrontroutes.ts'
import type { Route } from '../../src/kit/declare/route.ts'
import { oneRecord } from '../../src/kit/declare/conditions.ts'
import { routes } from '../../src/developer/routes.ts'
import { shopperOf } from '../checkouts.ts'
import type { Answer, Client } from '../client.ts'
import { oneOfEach } from '../everyroute.ts'
import { dataOf, newShop, sold } from '../shop.ts'
import { assertSums } from '../sums.ts'
import { answering } from '../strangers.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({}, { network: { resolver: answering(['93.184.216.34']) } })

const etagOf = ({ headers }: Answer) => headers.get('etag')
const ifMatch = (etag: string | null) => ({ headers: { 'if-match': etag ?? 'none' } })
const ifNoneMatch = (etag: string | null) => ({ headers: { 'if-none-match': etag ?? 'none' } })

function assertRefused({ status, error }: Answer): void {
  assert.deepEqual([status, error?.code, error?.details], [412, 'PRECONDITION_FAILED', undefined])
}

const table = [
  ...routes.map((route) => ({ route, prefix: '/v1', ...oneRecord(route, routes) })),
  ...storefrontRoutes.map((route) => ({ route, prefix: '/storefront/{slug}', ...oneRecord(route, storefrontRoutes) })),
]

/** What there is one of, by the path that names it. */
async function records() {
  const shop = await world.newStore()
  const known = await oneOfEach(world, shop)
  const ids: Record<string, string> = {
    '/products/{id}': known.product.id,
    '/categories/{id}': known.category.id,
    '/collections/{id}': known.collection.id,
    '/media/{id}': known.picture.id,
    '/customers/{id}': known.customer.id,
    '/customer-groups/{id}': known.group.id,
    '/customers/{id}/data': known.customer.id,
    '/discounts/{id}': known.discount.id,
    '/inventory/products/{productId}': known.product.id,
    '/orders/{id}': known.order.id,
    '/draft-orders/{id}': known.draftOrder.id,
    '/returns/{id}': known.returned.id,
    '/payments/{id}': known.payment.id,
    '/checkout-drafts/{id}': known.draft.id,
    '/webhooks/{id}': known.webhook.id,
    '/events/{id}': known.event.id,
    '/mails/{id}': known.mail.id,
    '/store/shipping-rates/{id}': known.rate.id,
    '/store/tax-zones/{id}': known.zone.id,
    '/store/payment-methods/{id}': known.method.id,
    '/store/order-bumps/{id}': known.bump.id,
    '/store/custom-fields/{id}': known.field.id,
    '/backinstock/requests/{id}': known.waiting.id,
    '/downloads/files/{id}': known.download.id,
    '/downloads/grants/{id}': known.revocable.id,
    '/downloads/keys/{id}': known.licenseKey.id,
    '/proposals/{id}': known.proposal.id,
    '/pages/{id}': known.page.id,
    '/redirects/{id}': known.redirect.id,
    '/forks/{id}': known.fork.id,
    '/imports/{id}': known.imports.ready,
    '/requests/{id}': known.request.id,
    '/requests/{id}/explain': known.request.id,
    '/products/{idOrSlug}': known.product.slug,
    '/categories/{idOrSlug}': known.category.slug,
    '/collections/{idOrSlug}': known.collection.slug,
    '/checkouts/{token}': known.checkout.token,
    '/pages/{page}': known.page.slug,
  }
  // Of what belongs to another, and of what has a name.
  const inner: Record<string, string> = {
    deliveryId: known.delivery.id,
    fulfillment_id: known.fulfillment.id,
    comment_id: known.comment.id,
    refund_id: known.refund.id,
    address_id: known.customer.addresses[0].id,
    kind: 'order_confirmation',
  }
  const pathOf = (prefix: string, path: string) => {
    const [first] = /^[^}]*\}/.exec(path) ?? []
    const own = path.replace(/\{(id|productId|idOrSlug|token|page)\}/, () => ids[first!]!)
    return `${prefix.replace('{slug}', known.slug)}${own.replace(/\{(\w+)\}/, (_, name) => inner[name]!)}`
  }
  return { shop, known, pathOf }
}

test('every record that is read has an ETag, and 304 answers who has it', async () => {
  const { shop, pathOf } = await records()
  const read = table.filter(({ route, isAnswered }) => route.method === 'GET' && isAnswered)
  assert.ok(read.length > 14)
  for (const { prefix, route } of read) {
    if (route.path === '/store/domain') await shop.api.patch('/v1/store', { custom_domain: 'shop.example' })
    const path = pathOf(prefix, route.path)
    const first = await shop.api.get(path)
    assert.equal(first.status, 200, path)
    assert.match(etagOf(first) ?? '', /^"[\w-]{22}"$/, path)
    for (const known of [etagOf(first), `W/${etagOf(first)}`, `"a,b", ${etagOf(first)}`, '*']) {
      const again = await shop.api.get(path, ifNoneMatch(known))
      assert.deepEqual([again.status, again.body, etagOf(again)], [304, undefined, etagOf(first)], path)
    }
    assert.equal((await shop.api.get(path, ifNoneMatch('"other"'))).status, 200)
  }
  assert.equal(etagOf(await shop.api.get('/v1/events')), null)
})

test('whoever makes or changes a record is told the ETag with which it is then read', async () => {
  const { shop, known, pathOf } = await records()
  const { api } = shop
  const bodies: Record<string, object> = {
    '/inventory/products/{productId}': { quantity: 1 },
    '/inventory/products/{productId}/settings': { low_stock_threshold: 3 },
    '/orders/{id}': { internal_notes: 'Gift' },
    '/draft-orders/{id}': { internal_notes: 'Gift' },
  }
  const written = table.filter(({ route, isAnswered }) => route.method === 'PATCH' && isAnswered)
  assert.ok(written.length > 10)
  for (const { prefix, route, read } of written) {
    const path = pathOf(prefix, route.path)
    const other = { name: 'Other', title: 'Other', position: 2 }
    const body = route.path.endsWith('/translations') ? { es: other } : (bodies[route.path] ?? other)
    const changed = await api.patch(path, body)
    assert.equal(changed.status, 200, path)
    assert.equal(etagOf(changed), etagOf(await api.get(pathOf(prefix, read!.path))), path)
  }
  const made: [string, object][] = [
    ['/v1/products', { name: 'Cup', price: 10.5 }],
    [
      '/v1/products',
      { name: 'Shirt', price: 10, variants: [{ option_values: [{ option_title: 'Size', value: 'M' }] }] },
    ],
    ['/v1/categories', { name: 'Cups' }],
    ['/v1/customers', { name: 'Eva' }],
    ['/v1/discounts', { code: 'FIVE', type: 'fixed_amount', value: 5 }],
    ['/v1/orders', { items: [{ product_id: known.product.id, quantity: 1 }], customer_email: 'eva@example.com' }],
    ['/v1/store/shipping-rates', { code: 'express', price: 9 }],
    // The secret, which only this answer has, is not part of the record.
    ['/v1/webhooks', { url: 'https://hooks.example/b', events: ['order.created'] }],
  ]
  for (const [path, body] of made) {
    const created = await api.post(path, body)
    assert.equal(created.status, 201, path)
    assert.equal(etagOf(created), etagOf(await api.get(created.headers.get('location')!)), path)
  }
})

test('a record that is no longer as If-Match says is neither changed nor deleted', async () => {
  const { shop, pathOf } = await records()
  const writes = table.filter(({ read }) => read)
  assert.ok(writes.length > 18)
  const before = await snapshot(shop.api, pathOf)
  for (const { prefix, route, read } of writes) {
    const path = pathOf(prefix, route.path)
    const current = await shop.api.get(pathOf(prefix, read!.path))
    const etag = etagOf(current)
    assert.equal(current.status, 200)
    for (const other of ['"other"', 'W/"other"', `W/${etag}`, etag!.slice(1, -1), '']) {
      assertRefused(await send(shop.api, route.method, path, bodyOf(route), other))
    }
  }
  assert.deepEqual(await snapshot(shop.api, pathOf), before)
  for (const { prefix, route, read } of writes) {
    const path = pathOf(prefix, route.path)
    const etag = etagOf(await shop.api.get(pathOf(prefix, read!.path)))
    if (route.method === 'PATCH')
      assert.equal((await send(shop.api, 'PATCH', path, bodyOf(route), `"a", ${etag}`)).status, 200, path)
  }
  // What is below a record goes before it.
  const depth = ({ route }: (typeof writes)[number]) => route.path.split('/').length
  const deletes = writes.filter(({ route }) => route.method === 'DELETE').toSorted((a, b) => depth(b) - depth(a))
  for (const { prefix, route } of deletes) {
    const path = pathOf(prefix, route.path)
    assert.equal((await send(shop.api, 'DELETE', path, undefined, '*')).status, 200, path)
    assert.equal((await send(shop.api, 'DELETE', path, undefined, '*')).status, 404, path)
  }
})

/** An adjustment of stock has to say how much. */
function bodyOf({ body }: Route): object {
  return body?.schema.required ? { quantity: 1 } : {}
}

async function snapshot(api: Client, pathOf: (prefix: string, path: string) => string): Promise<object> {
  const read = table.filter(
    ({ route, isAnswered }) => route.method === 'GET' && isAnswered && route.path !== '/store/domain',
  )
  return Promise.all(read.map(async ({ prefix, route }) => (await api.get(pathOf(prefix, route.path))).data))
}

function send(api: Client, method: string, path: string, body: object | undefined, etag: string): Promise<Answer> {
  return method === 'PATCH' ? api.patch(path, body, ifMatch(etag)) : api.delete(path, ifMatch(etag))
}

test('a whole product that is read, edited and sent back does not undo the sales between, with If-Match', async () => {
  const shop = await newShop(world)
  const { id } = await shop.product({ stock_quantity: 10 })
  const path = `/v1/products/${id}`
  const read = await shop.api.get(path)
  await shop.order([sold({ id }, 4)])
  assertRefused(await shop.api.patch(path, { ...read.data, name: 'Cup' }, ifMatch(etagOf(read))))
  assert.equal(await shop.stockOf({ id }), 6)
  assert.deepEqual(await shop.events(), [])

  const again = await shop.api.get(path)
  const changed = await shop.api.patch(path, { ...again.data, name: 'Cup' }, ifMatch(etagOf(again)))
  assert.deepEqual([dataOf(changed, 200).name, changed.data.stock_quantity], ['Cup', 6])
  await assertSums(world, shop)
})

test('of 20 who change what they have read, or sell it, the first wins and no other undoes it', async () => {
  const shop = await newShop(world)
  const { id } = await shop.product({ stock_quantity: 100 })
  for (let round = 0; round < 5; round++) {
    const read = await shop.api.get(`/v1/products/${id}`)
    const before = read.data.stock_quantity
    const [orders, changes] = await Promise.all([
      Promise.all(Array.from({ length: 3 }, () => shop.api.post('/v1/orders', { items: [sold({ id })] }))),
      Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          shop.api.patch(`/v1/products/${id}`, { ...read.data, name: `Mug ${round} ${index}` }, ifMatch(etagOf(read))),
        ),
      ),
    ])
    orders.forEach((order) => dataOf(order, 201))
    assert.ok(changes.filter(({ status }) => status === 200).length <= 1)
    changes.filter(({ status }) => status !== 200).forEach(assertRefused)
    assert.equal(await shop.stockOf({ id }), before - 3)
  }
  await assertSums(world, shop)
})

test('a repetition with an Idempotency-Key gets the first answer, though the record has changed by it', async () => {
  const { api } = await world.newStore()
  const made = await api.post('/v1/categories', { name: 'Hats' })
  const path = `/v1/categories/${made.data.id}`
  const headers = { 'if-match': etagOf(made)!, 'idempotency-key': 'once' }
  const first = await api.patch(path, { name: 'Caps' }, { headers })
  const again = await api.patch(path, { name: 'Caps' }, { headers })
  assert.deepEqual([first.status, again.status, again.headers.get('idempotent-replayed')], [200, 200, 'true'])
  assert.equal(etagOf(again), etagOf(first))
  assertRefused(await api.patch(path, { name: 'Berets' }, ifMatch(etagOf(made))))
})

test('other faults are told before, an unknown record is unknown', async () => {
  const { api } = await world.newStore()
  const { data } = await api.post('/v1/categories', { name: 'Hats' })
  assert.equal((await api.patch(`/v1/categories/${data.id}`, { name: 5 }, ifMatch('"other"'))).status, 422)
  await api.delete(`/v1/categories/${data.id}`)
  assert.equal((await api.patch(`/v1/categories/${data.id}`, { name: 'Caps' }, ifMatch('*'))).status, 404)
})

test('a checkout is changed as its shopper saw it, and other origins may read the ETag', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const { begin, change } = shopperOf(world, shop)
  const { data } = await begin({ items: [sold(mug)] })
  const path = `/storefront/${shop.store.slug}/checkouts/${data.token}`
  const read = await shop.api.get(path)
  assert.match(read.headers.get('access-control-expose-headers')!, /\betag\b/)
  await change(data.token, { items: [sold(mug, 2)] })
  assertRefused(await shop.api.patch(path, { items: [sold(mug, 3)] }, ifMatch(etagOf(read))))
})
