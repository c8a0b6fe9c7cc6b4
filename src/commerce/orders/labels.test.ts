// Tags and archiving of many orders at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../test/shop.ts'
import { statementsOf } from '../../../test/statements.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'

const world = await openWorld()

const items = [{ product_name: 'Mug', unit_price: 20, quantity: 1 }]

async function shopWith(...orders: object[]) {
  const shop = await world.newStore()
  const made: any[] = []
  for (const body of orders) made.push(dataOf(await shop.api.post('/v1/orders', { items, ...body }), 201))
  await shop.events()
  return { shop, orders: made, batch: (rows: object[], headers = {}) => batchOf(shop, rows, headers) }
}

const batchOf = ({ api }: TestStore, orders: object[], headers: Record<string, string> = {}) =>
  api.post('/v1/orders/batch', { orders }, { headers })

const tagsOf = async ({ api }: TestStore, { id }: any) => (await api.get(`/v1/orders/${id}`)).data.tags

test('tags are added and removed whatever their case, and orders archived; each is reported', async () => {
  const { shop, orders, batch } = await shopWith({ tags: ['VIP', 'old'] }, { tags: ['gift'] }, {})
  const [first, second, third] = orders
  world.clock.advance(1)
  const { status, data } = await batch([
    { id: third.id, add_tags: ['a "quoted" \\ {tag}'], is_archived: true },
    { id: first.id, add_tags: ['vip', 'gift'], remove_tags: ['OLD'] },
    { id: second.id, add_tags: ['GIFT'], is_archived: false },
  ])
  assert.equal(status, 200)
  assert.deepEqual([data.done, data.unchanged, data.failed], [2, 1, 0])
  assert.deepEqual(
    data.orders.map(({ order_number, result, error }: any) => [order_number, result, error]),
    [
      [1003, 'done', null],
      [1001, 'done', null],
      [1002, 'unchanged', null],
    ],
  )
  assert.deepEqual(await tagsOf(shop, first), ['VIP', 'gift'])
  assert.deepEqual(await tagsOf(shop, second), ['gift'])
  assert.deepEqual(await tagsOf(shop, third), ['a "quoted" \\ {tag}'])
  const archived = await shop.api.get('/v1/orders?is_archived=true')
  assert.deepEqual([archived.data[0].id, archived.body.pagination.total], [third.id, 1])
  assert.ok(archived.data[0].archived_at)
  assert.deepEqual(
    (await shop.events()).map(({ event, body }) => [event, body.order]),
    [
      ['order.updated', { id: third.id }],
      ['order.updated', { id: first.id }],
    ],
  )
  await assertSums(world, shop)
})

test('an order that would have more than 50 tags fails alone', async () => {
  const full = Array.from({ length: 50 }, (_, index) => `t${index}`)
  const { shop, orders, batch } = await shopWith({ tags: full }, {})
  const { data } = await batch(orders.map(({ id }) => ({ id, add_tags: ['more'] })))
  assert.deepEqual([data.done, data.failed], [1, 1])
  const error = { field: 'add_tags', code: 'too_many_elements', message: 'must contain at most 50 items' }
  assert.deepEqual(data.orders[0].error, error)
  assert.deepEqual(await tagsOf(shop, orders[0]), full)
  assert.deepEqual(await tagsOf(shop, orders[1]), ['more'])
})

test('unknown orders, one named twice, none, 1,001 and a tag of 500 characters change nothing', async () => {
  const { shop, orders, batch } = await shopWith({})
  const [{ id }] = orders
  const unknown = 'ord_01jd0000000000000000000000'
  const faultsOf = async (rows: object[]) => {
    const { status, error } = await batch(rows)
    assert.equal(status, 422)
    return error.details.map(({ field, message }: any) => `${field} ${message}`)
  }
  const add_tags = ['x']
  assert.deepEqual(
    await faultsOf([
      { id, add_tags },
      { id: unknown, add_tags },
    ]),
    ['orders.1.id does not exist'],
  )
  assert.deepEqual(
    await faultsOf([
      { id, add_tags },
      { id, is_archived: true },
    ]),
    ['orders must name each order once'],
  )
  assert.deepEqual(await faultsOf([]), ['orders must contain at least 1 item'])
  const many = Array.from({ length: 1001 }, () => ({ id }))
  assert.deepEqual(await faultsOf(many), ['orders must contain at most 1000 items'])
  assert.deepEqual(await faultsOf([{ id, add_tags: ['x'.repeat(500)] }]), [
    'orders.0.add_tags.0 must be at most 255 characters long',
  ])
  assert.deepEqual(await tagsOf(shop, orders[0]), [])
  assert.deepEqual(await shop.events(), [])
})

test('a dry run reports the same and changes nothing; a repeat with its key gets the first answer', async () => {
  const { shop, orders, batch } = await shopWith({}, {})
  const rows = orders.map(({ id }) => ({ id, add_tags: ['x'], is_archived: true }))
  const tried = await batch(rows, { prefer: 'dry-run' })
  assert.deepEqual([tried.status, tried.data.done], [200, 2])
  assert.deepEqual(await tagsOf(shop, orders[0]), [])
  const key = { 'idempotency-key': 'batch-1' }
  const first = await batch(rows, key)
  assert.deepEqual((await batch(rows, key)).data, first.data)
  assert.equal(first.data.done, 2)
  assert.equal((await batch(rows)).data.unchanged, 2)
})

test('all orders of a batch are one entry of the audit log, and are undone together', async () => {
  const { shop, orders, batch } = await shopWith({ tags: ['a'] }, {}, { is_archived: true })
  world.clock.advance(1)
  await batch(
    orders.map(({ id }) => ({ id, add_tags: ['x'], is_archived: true })),
    { 'x-request-id': 'many-1' },
  )
  const { data: entries } = await shop.api.get('/v1/audit?request_id=many-1')
  assert.deepEqual([entries.length, entries[0].operation, entries[0].changes.length], [1, 'batchUpdateOrders', 3])
  assert.equal((await shop.api.post('/v1/changes/many-1/revert', {})).status, 200)
  const now = (await shop.api.get('/v1/orders?sort=order_number&order=asc')).data
  assert.deepEqual(
    now.map(({ tags, is_archived }: any) => [tags, is_archived]),
    [
      [['a'], false],
      [[], false],
      [[], true],
    ],
  )
  await assertSums(world, shop)
})

test('batches at once all count, and the number of statements is that of one order', async () => {
  const { shop, orders, batch } = await shopWith({}, {}, {}, {}, {})
  const backwards = orders.toReversed()
  const rows = (list: any[], tag: string) => list.map(({ id }) => ({ id, add_tags: [tag], is_archived: true }))
  const answers = await Promise.all([batch(rows(orders, 'a')), batch(rows(backwards, 'b')), batch(rows(orders, 'c'))])
  assert.deepEqual(
    answers.map(({ data }) => data.done),
    [5, 5, 5],
  )
  for (const one of orders) assert.deepEqual((await tagsOf(shop, one)).toSorted(), ['a', 'b', 'c'])
  await assertSums(world, shop)
  const one = await statementsOf(() => batch(rows(orders.slice(0, 1), 'd')))
  const all = await statementsOf(() => batch(rows(orders, 'e')))
  assert.equal(all.length, one.length)
})
