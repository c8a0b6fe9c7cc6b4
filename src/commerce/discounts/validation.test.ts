import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newId, toUuid } from '../../kit/values/ids.ts'
import { useDiscounts } from './uses.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'

const world = await openWorld()
const inSeconds = (seconds: number) => new Date(world.clock.now().getTime() + seconds * 1000).toISOString()

async function shop(discounts: object[], options: Parameters<typeof world.newStore>[0] = {}) {
  const store = await world.newStore(options)
  for (const one of discounts) {
    const { status } = await store.api.post('/v1/discounts', { type: 'percentage', value: 10, ...one })
    assert.equal(status, 201)
  }
  return store
}

async function verdict({ api }: TestStore, cart: object) {
  const { status, data } = await api.post('/v1/discounts/validate', cart)
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(data), ['valid', 'discount_amount', 'reason', 'rules'])
  return [data.valid, data.discount_amount, data.reason]
}

test('a valid code answers what it takes off, rounded half-up, in any case, and is not used up', async () => {
  const store = await shop([
    { code: 'TEN', max_uses: 1 },
    { code: 'FIVE', type: 'fixed', value: 5 },
    { code: 'SHIP', type: 'free_shipping', value: 0 },
  ])
  assert.deepEqual(await verdict(store, { code: 'TEN', order_total: 1500.5 }), [true, 150.05, null])
  assert.deepEqual(await verdict(store, { code: ' ten ', order_total: 0.05 }), [true, 0.01, null])
  assert.deepEqual(await verdict(store, { code: 'TEN', order_total: 0 }), [true, 0, null])
  assert.deepEqual(await verdict(store, { code: 'FIVE', order_total: 5.01 }), [true, 5, null])
  assert.deepEqual(await verdict(store, { code: 'FIVE', order_total: 4.99 }), [true, 4.99, null])
  assert.deepEqual(await verdict(store, { code: 'SHIP', order_total: 10 }), [true, 0, null])
  assert.equal((await store.api.get('/v1/discounts?search=ten')).body.data[0].current_uses, 0)
  assert.deepEqual(await store.events(), [])
})

test('a code is found however it was typed or pasted, as that of another is not', async () => {
  const store = await shop([{ code: 'WELCOME10' }])
  for (const code of [
    'welcome10',
    'ｗｅｌｃｏｍｅ１０',
    'WEL\u200dCOME10\u200b',
    '\ufeffWelcome10\u00a0',
    'Wel\u00adcome10',
  ]) {
    assert.deepEqual(await verdict(store, { code, order_total: 10 }), [true, 1, null], JSON.stringify(code))
  }
  assert.equal((await verdict(store, { code: 'WEL COME10', order_total: 10 }))[0], false)
  const blank = { code: '\u200d', order_total: 10 }
  assert.equal((await store.api.post('/v1/discounts/validate', blank)).status, 422)
  const again = { code: 'ＷＥＬＣＯＭＥ１０', type: 'percentage', value: 10 }
  assert.equal((await store.api.post('/v1/discounts', again)).status, 422)
})

test('a percentage of a currency without decimals is whole', async () => {
  const store = await shop([{ code: 'TEN' }], { currency: 'JPY' })
  assert.deepEqual(await verdict(store, { code: 'TEN', order_total: 1005 }), [true, 101, null])
})

test('each refusal has its reason', async () => {
  const store = await shop([
    { code: 'OFF', is_active: false },
    { code: 'SOON', starts_at: inSeconds(60) },
    { code: 'PAST', expires_at: inSeconds(-60) },
    { code: 'ONCE', max_uses: 1 },
    { code: 'OFF-PAST', is_active: false, expires_at: inSeconds(-60) },
    { code: 'BIG', min_order_amount: 100 },
    { code: 'NONE', applies_to_all: false },
  ])
  const {
    data: [once],
  } = (await store.api.get('/v1/discounts?search=once')).body
  await world.app.db.transaction((tx) =>
    useDiscounts(tx, store.store, [{ id: toUuid('disc', once.id)!, once_per_customer: false }], {}),
  )
  for (const [code, reason] of Object.entries({
    MISSING: 'not_found',
    'ÑU %': 'not_found',
    OFF: 'inactive',
    SOON: 'not_started',
    PAST: 'expired',
    'OFF-PAST': 'expired',
    ONCE: 'used_up',
    BIG: 'minimum_not_met',
    NONE: 'not_applicable',
  })) {
    assert.deepEqual(await verdict(store, { code, order_total: 99.99 }), [false, 0, reason], code)
  }
  assert.deepEqual(await verdict(store, { code: 'BIG', order_total: 100 }), [true, 10, null])
  const other = await shop([])
  assert.deepEqual(await verdict(other, { code: 'BIG', order_total: 100 }), [false, 0, 'not_found'])
})

test("a scoped code takes off the items that it covers, at their price or the product's", async () => {
  const store = await shop([])
  const { data: hats } = await store.api.post('/v1/categories', { name: 'Hats' })
  const product = async (name: string, price: number, category_id: string | null) =>
    (await store.api.post('/v1/products', { name, price, category_id })).data.id
  const cap = await product('Cap', 20, hats.id)
  const bag = await product('Bag', 100, null),
    pin = await product('Pin', 5, null)
  for (const one of [
    { code: 'HATS', type: 'percentage', value: 10, applicable_category_ids: [hats.id] },
    { code: 'BAG', type: 'fixed', value: 150, applicable_product_ids: [bag], min_order_amount: 120 },
  ])
    await store.api.post('/v1/discounts', one)
  const items = [
    { product_id: cap, quantity: 2 },
    { product_id: bag, quantity: 1, price: 90 },
  ]
  assert.deepEqual(await verdict(store, { code: 'HATS', order_total: 130, items }), [true, 4, null])
  assert.deepEqual(await verdict(store, { code: 'BAG', order_total: 130, items }), [true, 90, null])
  // The minimum applies to the order total, and the discount never exceeds it.
  assert.deepEqual(await verdict(store, { code: 'BAG', order_total: 119.99, items }), [false, 0, 'minimum_not_met'])
  assert.deepEqual(await verdict(store, { code: 'HATS', order_total: 3, items }), [true, 3, null])
  const pins = [{ product_id: pin, quantity: 1 }]
  assert.deepEqual(await verdict(store, { code: 'HATS', order_total: 5, items: pins }), [false, 0, 'not_applicable'])
  assert.deepEqual(await verdict(store, { code: 'HATS', order_total: 130 }), [false, 0, 'not_applicable'])
  assert.deepEqual(await verdict(store, { code: 'HATS', order_total: 130, items: null }), [false, 0, 'not_applicable'])
  const unpriced = [{ product_id: cap, quantity: 3, price: null }]
  assert.deepEqual(await verdict(store, { code: 'HATS', order_total: 130, items: unpriced }), [true, 6, null])
})

test('faults of a cart are named', async () => {
  const { api } = await shop([{ code: 'TEN' }])
  const faults = async (cart: object) => {
    const { status, error } = await api.post('/v1/discounts/validate', cart)
    assert.equal(status, 422)
    return error.details.map(({ field }: { field: string }) => field).sort()
  }
  assert.deepEqual(await faults({}), ['code', 'order_total'])
  assert.deepEqual(await faults({ code: '', order_total: -1, items: {} }), ['code', 'items', 'order_total'])
  for (const product_id of [newId('prod'), 'x']) {
    const items = [{ product_id, quantity: 1 }]
    assert.deepEqual(await faults({ code: 'TEN', order_total: 1, items }), ['items.0.product_id'])
  }
  assert.deepEqual(await faults({ code: 'TEN', order_total: 1, items: [{ quantity: 0, price: -1 }] }), [
    'items.0.price',
    'items.0.product_id',
    'items.0.quantity',
  ])
})
