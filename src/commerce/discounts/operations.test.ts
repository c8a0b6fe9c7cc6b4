// Operations on discounts for orders: taking a use, and returning it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid, toUuid } from '../../kit/values/ids.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { findDiscountByCode, useDiscounts } from './uses.ts'

const world = await openWorld()
const { db } = world.app
const inSeconds = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000).toISOString()

async function discount({ api }: TestStore, more: object = {}) {
  const { data } = await api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10, ...more })
  const path = `/v1/discounts/${data.id}`
  return { id: toUuid('disc', data.id)!, path, seen: async () => (await api.get(path)).data }
}

const use = ({ store }: TestStore, id: string) =>
  db.transaction((tx) => useDiscounts(tx, store, [{ id, once_per_customer: false }], {}))

test('one use left among 20 at once is taken once', async () => {
  const shop = await world.newStore()
  const { id, seen } = await discount(shop, { max_uses: 3 })
  assert.deepEqual([await use(shop, id), await use(shop, id)], [true, true])
  const taken = await Promise.all(Array.from({ length: 20 }, () => use(shop, id)))
  assert.equal(taken.filter(Boolean).length, 1)
  const { current_uses, is_usable, has_usage_limit } = await seen()
  assert.deepEqual([current_uses, is_usable, has_usage_limit], [3, false, true])
})

test('a use that was given back can be taken again', async () => {
  const shop = await world.newStore()
  const { seen } = await discount(shop, { max_uses: 1 })
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 1 }]
  const order = () => shop.api.post('/v1/orders', { items, discount_code: 'TEN' })
  for (const status of ['cancelled', 'returned']) {
    const { data } = await order()
    assert.equal((await order()).status, 422)
    if (status === 'returned') await shop.api.patch(`/v1/orders/${data.id}`, { status: 'in_progress' })
    assert.equal((await shop.api.patch(`/v1/orders/${data.id}`, { status })).status, 200)
    assert.deepEqual([(await seen()).current_uses, (await seen()).is_usable], [0, true])
  }
  assert.equal((await order()).status, 201)
})

test('without a limit every use counts', async () => {
  const shop = await world.newStore()
  const { id, seen } = await discount(shop)
  assert.ok((await Promise.all(Array.from({ length: 20 }, () => use(shop, id)))).every(Boolean))
  assert.deepEqual([(await seen()).current_uses, (await seen()).is_usable], [20, true])
})

test('a limit below the uses so far leaves none', async () => {
  const shop = await world.newStore()
  const { id, path } = await discount(shop)
  await use(shop, id)
  await use(shop, id)
  const { status, data } = await shop.api.patch(path, { max_uses: 1 })
  assert.deepEqual([status, data.current_uses, data.is_usable], [200, 2, false])
  assert.equal(await use(shop, id), false)
})

test("no use is taken of what is off, not started, expired, unknown or another store's", async () => {
  const shop = await world.newStore(),
    other = await world.newStore()
  const off = await discount(shop, { code: 'OFF', is_active: false })
  const soon = await discount(shop, { code: 'SOON', starts_at: inSeconds(3600) })
  const brief = await discount(shop, { code: 'BRIEF', expires_at: inSeconds(3600) })
  const foreign = await discount(other)
  for (const id of [off.id, soon.id, foreign.id, newUuid()]) assert.equal(await use(shop, id), false)
  assert.equal(await use(shop, brief.id), true)
  world.clock.advance(3601)
  assert.deepEqual([await use(shop, soon.id), await use(shop, brief.id)], [true, false])
})

test('a code is found in any case, with its values, in its store only', async () => {
  const shop = await world.newStore(),
    other = await world.newStore()
  const { id } = await discount(shop, { max_uses: 2 })
  const { is_active, value, ...row } = (await findDiscountByCode(db, shop.store, ' Ten '))!
  assert.deepEqual([row.id, value, is_active, row.max_uses, row.applicable_product_ids], [id, '10', true, 2, []])
  assert.equal(await findDiscountByCode(db, other.store, 'TEN'), undefined)
  assert.equal(await findDiscountByCode(db, shop.store, 'T'), undefined)
})
