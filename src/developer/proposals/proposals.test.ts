import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld, type TestStore } from '../../../test/world.ts'
import type { Client } from '../../../test/client.ts'
import { verifyAudit } from '../../tenancy/audit/verify.ts'
import { sql } from '../../kit/database/sql.ts'

const world = await openWorld({}, { sweeps: true })
const { db, jobs } = world.app

type Shop = TestStore & { product: any; agent: Client; path: string }

/** A store with a product, and a key that may propose and read. */
async function shopWithAgent(): Promise<Shop> {
  const shop = await world.newStore()
  const body = { name: 'Mug', price: 5, track_inventory: true, stock_quantity: 9 }
  const { data: product } = await shop.api.post('/v1/products', body)
  const agent = await shop.withKey({ scopes: ['propose:products', 'propose:orders'] })
  return { ...shop, product, agent, path: `/v1/products/${product.id}` }
}

async function proposed({ agent, path }: Shop, more: object = {}): Promise<any> {
  const { status, data, error } = await agent.post('/v1/proposals', {
    method: 'PATCH',
    path,
    body: { price: 6 },
    ...more,
  })
  assert.equal(status, 201, JSON.stringify(error))
  return data
}

const approve = (api: Client, { id }: { id: string }) => api.post(`/v1/proposals/${id}/approve`)

test('a key that may only propose is told how, may rehearse, and changes nothing', async () => {
  const { agent, api, path } = await shopWithAgent()
  const { status, error } = await agent.patch(path, { price: 6 })
  assert.deepEqual([status, error.code], [403, 'SCOPE_INSUFFICIENT'])
  assert.match(error.message, /write:products.*POST \/v1\/proposals/)
  const rehearsed = await agent.patch(path, { price: 6 }, { headers: { prefer: 'dry-run' } })
  assert.deepEqual([rehearsed.status, rehearsed.data.price], [200, 6])
  assert.equal((await agent.get(path)).data.price, 5)
  const other = await agent.post('/v1/customers', { name: 'Ana' }, { headers: { prefer: 'dry-run' } })
  assert.deepEqual([other.status, other.error.code], [403, 'SCOPE_INSUFFICIENT'])
  assert.doesNotMatch(other.error.message, /POST \//)
  assert.equal((await api.get(path)).data.price, 5)
})

test('a proposal keeps what the write would answer and do; approved, it is done once, with its events', async () => {
  const shop = await shopWithAgent()
  await shop.events()
  const { data: kept, headers } = await shop.agent.post('/v1/proposals', {
    method: 'PATCH',
    path: shop.path,
    body: { price: 6 },
    note: 'Costs have risen',
  })
  assert.equal(headers.get('location'), `/v1/proposals/${kept.id}`)
  assert.deepEqual([kept.status, kept.operation, kept.note], ['open', 'updateProduct', 'Costs have risen'])
  assert.deepEqual([kept.answer.status, kept.answer.data.price, kept.result], [200, 6, null])
  assert.deepEqual(kept.request, { method: 'PATCH', path: shop.path, body: { price: 6 } })
  assert.deepEqual(kept.rehearsal.withheld, ['read:webhooks'], 'its event')
  assert.deepEqual(await shop.events(), [])

  const { status, data } = await approve(shop.api, kept)
  assert.deepEqual([status, data.status, data.result.status, data.result.data.price], [200, 'approved', 200, 6])
  assert.match(data.decided_by, /^key:key_/)
  assert.notEqual(data.decided_by, data.proposed_by)
  assert.equal((await shop.api.get(shop.path)).data.price, 6)
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['product.updated'],
  )
  const again = await approve(shop.api, kept)
  assert.deepEqual([again.status, again.error.message], [409, 'The proposal has already been approved'])
})

test('forty who approve at once do it once', async () => {
  const shop = await shopWithAgent()
  const items = [{ product_id: shop.product.id, quantity: 1 }]
  const order = await proposed(shop, { method: 'POST', path: '/v1/orders', body: { items } })
  const answers = await Promise.all(Array.from({ length: 40 }, () => approve(shop.api, order)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const { status } of answers) assert.ok([200, 409].includes(status), String(status))
  const { data: orders } = await shop.api.get('/v1/orders')
  assert.equal(orders.length, 1)
  assert.equal((await shop.api.get(shop.path)).data.stock_quantity, 8)
})

test('what has changed since stands in the way, and is named', async () => {
  const shop = await shopWithAgent()
  const kept = await proposed(shop)
  await shop.api.patch(shop.path, { name: 'Cup' })
  const { status, error } = await approve(shop.api, kept)
  assert.deepEqual([status, error.code], [409, 'OUTDATED'])
  assert.ok(
    error.details.changed.some(({ field }: any) => field === 'name'),
    JSON.stringify(error),
  )
  assert.deepEqual(
    [(await shop.api.get(shop.path)).data.price, (await shop.agent.get(`/v1/proposals/${kept.id}`)).data.status],
    [5, 'open'],
  )
  await shop.api.patch(shop.path, { name: 'Mug' })
  assert.equal((await approve(shop.api, kept)).status, 200, 'as it was is as it was')
})

test('a record that would be deleted and has changed since stays', async () => {
  const shop = await shopWithAgent()
  const kept = await proposed(shop, { method: 'DELETE', body: null })
  await shop.api.patch(shop.path, { stock_quantity: 3 })
  const { status, error } = await approve(shop.api, kept)
  assert.deepEqual([status, error.code], [409, 'OUTDATED'])
  assert.deepEqual(error.details.changed, [{ resource: 'product', id: shop.product.id, field: 'stock_quantity' }])
  assert.equal((await shop.api.get(shop.path)).status, 200)
})

test('what was read and not changed stands in the way too: the answer would be another', async () => {
  const shop = await shopWithAgent()
  const items = [{ product_id: shop.product.id, quantity: 1 }]
  const body = { items }
  const order = await proposed(shop, { method: 'POST', path: '/v1/orders', body })
  await shop.api.patch('/v1/store', { tax_rate: 16, tax_included: true })
  const { status, error } = await approve(shop.api, order)
  assert.deepEqual([status, error.code], [409, 'OUTDATED'])
  assert.ok(
    error.details.changed.some(({ field }: any) => field === 'included_tax'),
    JSON.stringify(error),
  )
  assert.deepEqual((await shop.api.get('/v1/orders')).data, [])
})

test('an order that another has overtaken is placed with the next number', async () => {
  const shop = await shopWithAgent()
  const { data: cup } = await shop.api.post('/v1/products', { name: 'Cup', price: 3 })
  const order = (id: string) => ({ items: [{ product_id: id, quantity: 1 }] })
  const kept = await proposed(shop, { method: 'POST', path: '/v1/orders', body: order(shop.product.id) })
  await shop.api.post('/v1/orders', order(cup.id))
  const { status, data, error } = await approve(shop.api, kept)
  assert.equal(status, 200, JSON.stringify(error))
  assert.deepEqual([kept.answer.data.order_number, data.result.data.order_number], [1001, 1002])
})

test('who may not do it may not approve it; who may, and who proposed it, may refuse it', async () => {
  const shop = await shopWithAgent()
  const kept = await proposed(shop)
  const refused = await approve(shop.agent, kept)
  assert.deepEqual([refused.status, refused.error.code], [403, 'SCOPE_INSUFFICIENT'])
  const orders = await shop.withKey({ scopes: ['write:orders'] })
  assert.equal((await approve(orders, kept)).status, 404, 'not seen by who may not propose it')
  const proposer = await shop.withKey({ scopes: ['propose:products', 'write:orders'] })
  const refusedToo = await approve(proposer, kept)
  assert.deepEqual([refusedToo.status, refusedToo.error.code], [403, 'SCOPE_INSUFFICIENT'])
  assert.equal((await proposer.post(`/v1/proposals/${kept.id}/refuse`)).status, 403)
  const { status, data } = await shop.api.post(`/v1/proposals/${kept.id}/refuse`, { reason: 'Too early' })
  assert.deepEqual([status, data.status, data.reason], [200, 'refused', 'Too early'])
  assert.equal((await approve(shop.api, kept)).error.message, 'The proposal has already been refused')
  const own = await proposed(shop)
  assert.equal((await shop.agent.post(`/v1/proposals/${own.id}/refuse`)).data.status, 'refused')
})

test('a proposal expires after seven days, and goes after thirty', async () => {
  const shop = await shopWithAgent()
  const kept = await proposed(shop)
  world.clock.advance(7 * 24 * 3600)
  const { status, error } = await approve(shop.api, kept)
  assert.deepEqual([status, error.message], [409, 'The proposal has expired'])
  assert.equal((await shop.api.get(`/v1/proposals/${kept.id}`)).data.status, 'expired')
  assert.deepEqual((await shop.api.get('/v1/proposals')).data, [])
  assert.equal((await shop.api.get('/v1/proposals?status=expired')).data.length, 1)
  world.clock.advance(23 * 24 * 3600)
  await jobs.run('drop old proposals')
  assert.equal((await shop.api.get(`/v1/proposals/${kept.id}`)).status, 404)
})

test("another store's proposal is not found by anything", async () => {
  const [shop, other] = [await shopWithAgent(), await shopWithAgent()]
  const kept = await proposed(shop)
  for (const path of ['', '/approve', '/refuse']) {
    const { status } = await other.api.send(path ? 'POST' : 'GET', `/v1/proposals/${kept.id}${path}`)
    assert.equal(status, 404, path)
  }
  assert.deepEqual((await other.api.get('/v1/proposals?status=all')).data, [])
})

test('what would be refused, has a secret, brings a file or is no write is refused, and nothing is kept', async () => {
  const shop = await shopWithAgent()
  const propose = (body: object, by = shop.api) => by.post('/v1/proposals', body)
  const cases: [object, number, string][] = [
    [{ method: 'PATCH', path: shop.path, body: { price: -1 } }, 422, 'price'],
    [{ method: 'PATCH', path: shop.path, body: { prize: 6 } }, 422, 'prize'],
    [{ method: 'DELETE', path: '/v1/products/prod_none' }, 404, ''],
    [
      { method: 'POST', path: '/v1/webhooks', body: { url: 'https://93.184.216.34/', events: ['order.created'] } },
      422,
      'path',
    ],
    [{ method: 'POST', path: '/v1/media' }, 422, 'path'],
    [{ method: 'POST', path: '/v1/proposals', body: {} }, 422, 'path'],
    [{ method: 'PATCH', path: '/v1/nothing' }, 422, 'path'],
    [{ method: 'GET', path: shop.path }, 422, 'method'],
    [{ path: shop.path }, 422, 'method'],
  ]
  for (const [body, status, field] of cases) {
    const answer = await propose(body)
    assert.equal(answer.status, status, JSON.stringify([body, answer.body]))
    if (field) assert.equal(answer.error.details[0].field, field)
  }
  const categories = await propose({ method: 'POST', path: '/v1/customers', body: { name: 'Ana' } }, shop.agent)
  assert.deepEqual([categories.status, categories.error.code], [403, 'SCOPE_INSUFFICIENT'])
  assert.deepEqual((await shop.api.get('/v1/proposals?status=all')).data, [])
})

test('proposals that tell of a person go with the customer', async () => {
  const shop = await shopWithAgent()
  const { data: ana } = await shop.api.post('/v1/customers', { name: 'Ana', email: 'ana@example.com' })
  const body = { items: [{ product_id: shop.product.id, quantity: 1 }], customer_email: 'Ana@example.com' }
  await proposed(shop, { method: 'POST', path: '/v1/orders', body })
  const kept = await proposed(shop)
  await shop.api.delete(`/v1/customers/${ana.id}`)
  const { data } = await shop.api.get('/v1/proposals?status=all')
  assert.deepEqual(
    data.map(({ id }: any) => id),
    [kept.id],
  )
})

test('a proposal can be rehearsed, and so can its approval', async () => {
  const shop = await shopWithAgent()
  const dry = { headers: { prefer: 'dry-run' } }
  const body = { method: 'PATCH', path: shop.path, body: { price: 6 } }
  assert.equal((await shop.agent.post('/v1/proposals', body, dry)).status, 201)
  const [{ count }] = (await db.rows<{ count: number }>(sql`
    select count(*) as count from proposals where store_id = ${shop.store.id}`)) as [{ count: number }]
  assert.equal(count, 0)
  const kept = await proposed(shop)
  const { status, body: rehearsed } = await shop.api.post(`/v1/proposals/${kept.id}/approve`, {}, dry)
  assert.deepEqual([status, rehearsed.data.result.data.price], [200, 6])
  assert.deepEqual(
    rehearsed.rehearsal.events.map(({ event }: any) => event),
    ['product.updated'],
  )
  assert.equal((await shop.api.get(shop.path)).data.price, 5)
})

test('who may not read customers learns nothing of one by a rehearsed or proposed order', async () => {
  const shop = await shopWithAgent()
  const ana = { name: 'Zelma Quirke', email: 'zelma@example.com', phone: '+52 55 1234 9876', tax_id: 'XAXX010101000' }
  const { data: customer } = await shop.api.post('/v1/customers', ana)
  const traces = /Zelma|zelma@|9876|XAXX/
  const items = [{ product_id: shop.product.id, quantity: 1 }]
  const body = { customer_id: customer.id, items, notify_customer: true, shipping_address: { city: 'Puebla' } }
  const agent = await shop.withKey({ scopes: ['propose:orders', 'read:webhooks', 'read:products', 'read:inventory'] })
  const dry = { headers: { prefer: 'dry-run' } }
  const rehearsed = await agent.post('/v1/orders', body, dry)
  assert.equal(rehearsed.status, 201, JSON.stringify(rehearsed.error))
  assert.equal(rehearsed.data.shipping_address.city, 'Puebla')
  assert.doesNotMatch(JSON.stringify(rehearsed.body), traces)
  const proposed = await agent.post('/v1/proposals', { method: 'POST', path: '/v1/orders', body })
  assert.equal(proposed.status, 201, JSON.stringify(proposed.error))
  for (const path of ['', `/${proposed.data.id}`]) {
    assert.doesNotMatch(JSON.stringify((await agent.get(`/v1/proposals${path}`)).body), traces)
  }
  assert.match(JSON.stringify((await shop.api.get('/v1/proposals')).data), traces, 'who decides sees for whom it is')
  assert.match(JSON.stringify((await shop.api.post('/v1/orders', body, dry)).body), traces)
  const own = await agent.post('/v1/orders', { ...body, customer_email: ana.email }, dry)
  assert.equal(own.data.customer_email, ana.email, 'what the caller said itself is answered')
  assert.equal((await approve(shop.api, proposed.data)).status, 200)
})

test('the log names who proposed what was approved, and keeps it longer than the proposal', async () => {
  const shop = await shopWithAgent()
  const proposal = await proposed(shop)
  const approver = await shop.withKey({ scopes: ['write:products', 'read:audit'] })
  assert.equal((await approve(approver, proposal)).status, 200)
  world.clock.advance(40 * 24 * 3600)
  assert.ok(await jobs.run('drop old proposals'))
  assert.ok(await jobs.run('seal the audit log'))
  assert.deepEqual((await shop.api.get('/v1/proposals?status=all')).data, [])
  const agentKey = proposal.proposed_by.split(':')[1]
  for (const query of [`actor=${agentKey}`, `id=${proposal.id}`, 'operation=updateProduct']) {
    const { data } = await shop.api.get(`/v1/audit?${query}`)
    assert.equal(data.length, 1, query)
    const [entry] = data
    assert.deepEqual(
      [entry.operation, entry.proposal_id, entry.proposed_by, entry.actor.kind, entry.actor.id === agentKey],
      ['updateProduct', proposal.id, `key:${agentKey}`, 'key', false],
    )
    assert.deepEqual([entry.changes[0].before.price, entry.changes[0].after.price], [5, 6])
  }
  const headers = { 'x-api-key': shop.api.key }
  const csv = await (await fetch(`${world.url}/v1/audit.csv?id=${proposal.id}`, { headers })).text()
  assert.ok(csv.includes(`,${proposal.id},key:${agentKey}`), csv)
  const text = await (await fetch(`${world.url}/v1/audit?id=${proposal.id}`, { headers })).text()
  assert.match(text, /"actor":\{"kind":"key","id":"key_\w+","user":null\}/, 'written as all other JSON is')
  const [{ broken } = { broken: null }] = await verifyAudit(db, shop.store.id)
  assert.equal(broken, null)
  const { data: others } = await shop.api.get('/v1/audit?operation=createProduct')
  assert.deepEqual([others[0].proposal_id, others[0].proposed_by], [null, null])
})
