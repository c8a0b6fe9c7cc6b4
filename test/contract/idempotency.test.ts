// Idempotency-Key on POST and PATCH: one effect, and one answer for 24 hours.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/kit/database/sql.ts'
import type { Answer } from '../client.ts'
import { answering } from '../strangers.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({}, { sweeps: true, network: { resolver: answering(['93.184.216.34']) } })

const key = (value: string) => ({ headers: { 'idempotency-key': value } })
const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed')
const json = { 'content-type': 'application/json' }

function assertFaultOfKey({ status, error }: Answer, message: string): void {
  assert.equal(status, 422)
  assert.deepEqual(error.details, [{ field: 'Idempotency-Key', message }])
}

test('a create that comes again gets the first answer, to the byte, with its Location', async () => {
  const { api, events } = await world.newStore()
  const {
    data: { id: product_id },
  } = await api.post('/v1/products', { name: 'Mug', price: 10 })
  const creates: [string, object, string[]][] = [
    ['/v1/products', { name: 'Cup', price: 10 }, ['product.created']],
    ['/v1/categories', { name: 'Cups' }, []],
    ['/v1/collections', { name: 'Cups' }, []],
    ['/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 }, []],
    ['/v1/customers', { name: 'Ana Torres' }, ['customer.created']],
    ['/v1/orders', { items: [{ product_id, quantity: 1 }] }, ['order.created']],
    ['/v1/webhooks', { url: 'https://hooks.example/stoa', events: ['order.created'] }, []],
    ['/v1/store/shipping-rates', { code: 'standard', price: 9 }, []],
    ['/v1/store/tax-zones', { name: 'VAT', country_code: 'DE', rate: 19 }, []],
  ]
  await events()
  for (const [path, body, emitted] of creates) {
    const first = await api.post(path, body, key(path))
    assert.deepEqual([first.status, isReplayed(first)], [201, null], JSON.stringify(first.body))
    const again = await api.post(path, body, key(path))
    assert.deepEqual([again.status, isReplayed(again)], [201, 'true'])
    assert.equal(JSON.stringify(again.body), JSON.stringify(first.body))
    assert.equal(again.headers.get('location'), first.headers.get('location'))
    assert.deepEqual(
      (await events()).map(({ event }) => event),
      emitted,
    )
  }
})

test('a change that comes again is not made again, also when another came between', async () => {
  const { api, events } = await world.newStore()
  const {
    data: { id },
  } = await api.post('/v1/customers', { name: 'Ana' })
  const rename = () => api.patch(`/v1/customers/${id}`, { name: 'Ana Torres' }, key('rename'))
  const first = await rename()
  assert.deepEqual([first.status, isReplayed(first)], [200, null])
  await api.patch(`/v1/customers/${id}`, { name: 'Eva' })
  await events()
  const again = await rename()
  assert.deepEqual([again.status, isReplayed(again), again.body], [200, 'true', first.body])
  assert.equal((await api.get(`/v1/customers/${id}`)).data.name, 'Eva')
  assert.deepEqual(await events(), [])
})

test('one key for another body, path or method is 422, and has no effect', async () => {
  const { api } = await world.newStore()
  const {
    data: { id },
  } = await api.post('/v1/categories', { name: 'Hats' }, key('one'))
  const used = 'has already been used with a different request'
  assertFaultOfKey(await api.post('/v1/categories', { name: 'Bags' }, key('one')), used)
  assertFaultOfKey(await api.post('/v1/customers', { name: 'Hats' }, key('one')), used)
  assertFaultOfKey(await api.patch(`/v1/categories/${id}`, { name: 'Hats' }, key('one')), used)
  assert.equal((await api.get('/v1/categories')).body.pagination.total, 1)
  assert.equal((await api.get('/v1/customers')).body.pagination.total, 0)
})

test('the body counts as what it says, not how it is spaced', async () => {
  const { api } = await world.newStore()
  const headers = { ...json, 'idempotency-key': 'spaced' }
  const send = (body: string) => api.send('POST', '/v1/categories', { body, headers })
  assert.equal((await send('{"name":"Hats"}')).status, 201)
  assert.equal(isReplayed(await send('{ "name" : "Hats" }\n')), 'true')
})

test('a key belongs to the credential that sent it: another, of the same store or not, has its own', async () => {
  const { api, withKey } = await world.newStore()
  const { api: elsewhere } = await world.newStore()
  const other = await withKey({ mode: 'test' })
  const ids = new Set<string>()
  for (const one of [api, other, elsewhere]) {
    const { status, data, headers } = await one.post('/v1/customers', { name: 'Ana' }, key('shared'))
    assert.deepEqual([status, headers.get('idempotent-replayed')], [201, null])
    ids.add(data.id)
  }
  assert.equal(ids.size, 3)
  // Nor does it tell that another used it for something else.
  assert.equal((await other.post('/v1/customers', { name: 'Ben' }, key('mine'))).status, 201)
  assert.equal((await api.post('/v1/categories', { name: 'Hats' }, key('mine'))).status, 201)
})

test('after 24 hours a key is new', async () => {
  const { api } = await world.newStore()
  const create = (name: string) => api.post('/v1/customers', { name }, key('daily'))
  const first = await create('Ana')
  world.clock.advance(24 * 3600 - 60)
  assert.deepEqual([isReplayed(await create('Ana')), (await create('Ben')).status], ['true', 422])
  world.clock.advance(60)
  const next = await create('Ben')
  assert.deepEqual([next.status, isReplayed(next)], [201, null])
  assert.notEqual(next.data.id, first.data.id)
  assert.deepEqual((await create('Ben')).body, next.body)
})

test('50 changes in parallel with one key have one effect', async () => {
  const { api, events } = await world.newStore()
  const stock = { stock_quantity: 100, track_inventory: true }
  const {
    data: { id },
  } = await api.post('/v1/products', { name: 'Mug', price: 10, ...stock })
  await events()
  const path = `/v1/inventory/products/${id}`
  const take = () => api.patch(path, { quantity: -3 }, key('take'))
  const answers = await Promise.all(Array.from({ length: 50 }, take))
  const done = answers.filter(({ status }) => status === 200)
  assert.equal(done.filter((answer) => isReplayed(answer) === null).length, 1)
  for (const { data } of done) assert.equal(data.stock_quantity, 97)
  for (const { status, error } of answers.filter((answer) => !done.includes(answer))) {
    const message = 'A request with the same Idempotency-Key is still being processed'
    assert.equal(status, 409)
    assert.deepEqual(error, { code: 'CONFLICT', message })
  }
  assert.equal((await take()).data.stock_quantity, 97)
  assert.equal((await api.get(path)).data.stock_quantity, 97)
  assert.deepEqual(
    (await events()).map(({ event }) => event),
    ['product.updated'],
  )
})

test('a key has 1 to 255 characters', async () => {
  const { api } = await world.newStore()
  const create = (value: string) => api.post('/v1/customers', { name: 'Ana' }, key(value))
  const wrong = 'must be 1 to 255 characters long'
  assertFaultOfKey(await create(''), wrong)
  assertFaultOfKey(await create('k'.repeat(256)), wrong)
  assert.equal((await create('k')).status, 201)
  assert.equal((await create('k'.repeat(255))).status, 201)
  assert.equal((await create('k'.repeat(254))).status, 201)
  assert.equal((await api.get('/v1/customers')).body.pagination.total, 3)
})

test('a refusal is not kept: what is mended may come with the same key', async () => {
  const { api } = await world.newStore()
  assert.equal((await api.post('/v1/customers', {}, key('mended'))).status, 422)
  assert.equal((await api.patch('/v1/customers/none', {}, key('mended'))).status, 404)
  const made = await api.post('/v1/customers', { name: 'Ana' }, key('mended'))
  assert.deepEqual([made.status, isReplayed(made)], [201, null])
})

test('reading and deleting take no notice of it', async () => {
  const { api } = await world.newStore()
  const {
    data: { id },
  } = await api.post('/v1/customers', { name: 'Ana' })
  const path = `/v1/customers/${id}`
  for (const status of [200, 200]) assert.equal((await api.get(path, key('same'))).status, status)
  for (const status of [200, 404]) assert.equal((await api.delete(path, key('same'))).status, status)
})

test('answers are forgotten when nobody can ask for them any more, and not before', async () => {
  const { api, store } = await world.newStore()
  const kept = async () =>
    (
      await world.app.db.rows(sql`
    select key
    from idempotency_keys
    where store_id = ${store.id}
    order by key`)
    ).map((row) => (row as { key: string }).key)
  await api.post('/v1/categories', { name: 'First' }, key('a'))
  world.clock.advance(23 * 3600)
  await api.post('/v1/categories', { name: 'Second' }, key('b'))
  await world.app.jobs.run('forget idempotent answers')
  assert.deepEqual(await kept(), ['a', 'b'])
  world.clock.advance(3600)
  await world.app.jobs.run('forget idempotent answers')
  assert.deepEqual(await kept(), ['b'])
})
