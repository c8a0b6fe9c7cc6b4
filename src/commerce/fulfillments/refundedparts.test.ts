// Bundles of which parts were refunded: what is left to fulfill, as for units of any other item.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { findUnsentParts } from './unsentparts.ts'

const world = await openWorld()
const paid = { payment_status: 'paid', payment_method: 'cash' }
const stocked = 20

/** Sets of two mugs at 10.00 and a tray at 30.00, and a lamp that is never sent if `more` has it. */
async function sellSets(quantity: number, more: object[] = []) {
  const shop = await newShop(world)
  const mug = await shop.product({ name: 'Mug', stock_quantity: stocked })
  const tray = await shop.product({ name: 'Tray', price: 30, stock_quantity: stocked })
  const set = await shop.product({
    name: 'Set',
    price: 50,
    bundle_items: [{ product_id: mug.id, quantity: 2 }, { product_id: tray.id }],
  })
  const order = await shop.order([sold(set, quantity), ...more], paid)
  const at = `/v1/orders/${order.id}`
  const item_id = order.items[0].id as string
  return {
    shop,
    order,
    item_id,
    send: (path: string, body: object = {}) => shop.api.post(`${at}/${path}`, body),
    ship: (count: number) => shop.api.post(`${at}/fulfillments`, { items: [{ item_id, quantity: count }] }),
    shipBatch: async () => dataOf(await shop.api.post('/v1/fulfillments/batch', { orders: [{ id: order.id }] }), 200),
    refund: async (pieces: object[]) =>
      dataOf(await shop.api.post(`${at}/refunds`, { items: pieces.map((piece) => ({ item_id, ...piece })) }), 201),
    read: async () => {
      const { fulfillment_status, items } = dataOf(await shop.api.get(at), 200)
      return { fulfillment_status, left: items[0].fulfillable_quantity, sent: items[0].fulfilled_quantity }
    },
    stock: async () => [await shop.stockOf(mug), await shop.stockOf(tray)],
  }
}

const unsentOf = ({ store }: Shop, { id }: { id: string }) =>
  findUnsentParts(world.app.db, store.id, [toUuid('ord', id)!])

const all = (sets: number, more: object = {}) => [
  { part: 0, quantity: 2 * sets, ...more },
  { part: 1, quantity: sets, ...more },
]

// prettier-ignore
const refunds: { what: string; pieces: (more: object) => object[]; sets: number }[] = [
  { what: 'a mug',               pieces: (more) => [{ part: 0, quantity: 1, ...more }], sets: 0 },
  { what: 'both mugs of a set',  pieces: (more) => [{ part: 0, quantity: 2, ...more }], sets: 0 },
  { what: 'a tray',              pieces: (more) => [{ part: 1, quantity: 1, ...more }], sets: 0 },
  { what: 'every part of a set', pieces: (more) => all(1, more), sets: 1 },
  { what: 'a set and a mug',     pieces: (more) => [{ part: 0, quantity: 3, ...more }, all(1, more)[1]!], sets: 1 },
  { what: 'every part of two',   pieces: (more) => all(2, more), sets: 2 },
]

/** Refunds of units that were not shipped: the sets of `sets` have nothing left to send. */
const cases = refunds.flatMap(({ what, pieces, sets }) =>
  [1, 2, 3].flatMap((quantity) =>
    [0, 1].flatMap((shipped) => {
      const units = pieces({}) as { part: number; quantity: number }[]
      const isThere = units.every((one) => one.quantity <= (quantity - shipped) * (one.part === 0 ? 2 : 1))
      return isThere ? [{ what, pieces, quantity, shipped, left: quantity - shipped - sets }] : []
    }),
  ),
)

for (const { what, pieces, quantity, shipped, left } of cases) {
  test(`${quantity} sets, ${shipped} shipped, then ${what} refunded: ${left} left to fulfill`, async () => {
    const { shop, order, item_id, send, ship, shipBatch, refund, read, stock } = await sellSets(quantity)
    if (shipped > 0) dataOf(await ship(shipped), 201)
    await refund(pieces({ returned: 0 }))
    const status = shipped === 0 ? 'unfulfilled' : left > 0 ? 'partial' : 'fulfilled'
    assert.deepEqual(await read(), { fulfillment_status: status, left, sent: shipped })
    assert.deepEqual(faultsOf(await ship(left + 1)), { 'items.0.quantity': `exceeds the quantity left (${left})` })
    if (left === 0) {
      assert.deepEqual(faultsOf(await send('fulfillments')), { items: 'has nothing left to fulfill' })
      const [{ error }] = (await shipBatch()).orders
      assert.equal(error.message, 'has nothing left to fulfill')
    } else if (quantity === 2) {
      await shipBatch()
    } else {
      const { items } = dataOf(await send('fulfillments'), 201)
      assert.deepEqual(items, [{ item_id, quantity: left }])
    }
    const sent = shipped + left
    const isSent = sent > 0 ? 'fulfilled' : 'unfulfilled'
    assert.deepEqual(await read(), { fulfillment_status: isSent, left: 0, sent })
    const { refunded_amount } = dataOf(await shop.api.get(`/v1/orders/${order.id}`), 200)
    if (refunded_amount < order.total) dataOf(await send('refunds'), 201)
    assert.deepEqual(await stock(), [stocked, stocked])
    await assertSums(world, shop)
  })
}

test('parts that came back from a shipped set leave the other set to be fulfilled, whole or in parts', async () => {
  const { ship, refund, read, send, shop, stock } = await sellSets(2)
  dataOf(await ship(1), 201)
  await refund([
    { part: 0, quantity: 2, returned: 2 },
    { part: 1, quantity: 1, returned: 1 },
  ])
  assert.deepEqual(await read(), { fulfillment_status: 'partial', left: 1, sent: 1 })
  await refund([{ part: 1, quantity: 1 }])
  assert.deepEqual(await read(), { fulfillment_status: 'partial', left: 1, sent: 1 })
  await refund([{ part: 0, quantity: 2 }])
  assert.deepEqual(await read(), { fulfillment_status: 'fulfilled', left: 0, sent: 1 })
  assert.deepEqual(faultsOf(await send('fulfillments')), { items: 'has nothing left to fulfill' })
  assert.deepEqual(await stock(), [stocked, stocked])
  await assertSums(world, shop)
})

test('once a part was refunded before shipping, a whole set that is refunded is one that was shipped', async () => {
  const { shop, order, item_id, ship, refund, read, send, stock } = await sellSets(2)
  await refund([{ part: 0, quantity: 1 }])
  dataOf(await ship(1), 201)
  const whole = { item_id, quantity: 1 }
  assert.deepEqual(faultsOf(await send('refunds', { items: [{ ...whole, returned: 0 }] })), {
    'items.0.returned': 'must be at least 1',
  })
  const { items } = await refund([{ quantity: 1 }])
  assert.equal(items[0].returned, 1)
  assert.deepEqual(await read(), { fulfillment_status: 'partial', left: 1, sent: 1 })
  const tooMany = { item_id, part: 1, quantity: 1, returned: 1 }
  assert.deepEqual(faultsOf(await send('refunds', { items: [tooMany] })), { 'items.0.returned': 'must be at most 0' })
  await refund([
    { part: 0, quantity: 1 },
    { part: 1, quantity: 1 },
  ])
  assert.deepEqual(await read(), { fulfillment_status: 'fulfilled', left: 0, sent: 1 })
  dataOf(await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }), 200)
  assert.deepEqual(await stock(), [stocked, stocked])
  await assertSums(world, shop)
})

test('everything is refunded after a part: what was shipped is back once, and the rest is not sent', async () => {
  const { ship, refund, read, send, shop, order, stock } = await sellSets(2)
  await refund([{ part: 0, quantity: 1 }])
  dataOf(await ship(1), 201)
  const { items } = dataOf(await send('refunds'), 201)
  assert.deepEqual(
    items.map(({ part, quantity, returned }: any) => [part, quantity, returned]),
    [
      [null, 1, 1],
      [0, 1, 0],
      [1, 1, 0],
    ],
  )
  assert.deepEqual(await read(), { fulfillment_status: 'fulfilled', left: 0, sent: 1 })
  dataOf(await shop.api.patch(`/v1/orders/${order.id}`, { status: 'cancelled' }), 200)
  assert.deepEqual(await stock(), [stocked, stocked])
})

test('a set without parts left does not hold back its order, and other items do', async () => {
  const lamp = { product_name: 'Lamp', unit_price: 5, quantity: 1 }
  const { order, refund, read, send } = await sellSets(1, [lamp])
  await refund(all(1))
  assert.deepEqual(await read(), { fulfillment_status: 'unfulfilled', left: 0, sent: 0 })
  const { items } = dataOf(await send('fulfillments'), 201)
  assert.deepEqual(items, [{ item_id: order.items[1].id, quantity: 1 }])
  assert.deepEqual(await read(), { fulfillment_status: 'fulfilled', left: 0, sent: 0 })
})

// prettier-ignore
const defaults: { sets: number; shipped: number; mugs: number; returned: number; slip: number[]; left: number[] }[] = [
  { sets: 2, shipped: 1, mugs: 1, returned: 0, slip: [1, 1], left: [1, 2, 1] },
  { sets: 2, shipped: 1, mugs: 2, returned: 0, slip: [0, 1], left: [1, 2, 1] },
  { sets: 2, shipped: 1, mugs: 3, returned: 1, slip: [0, 1], left: [0, 1, 1] },
  { sets: 2, shipped: 1, mugs: 4, returned: 2, slip: [0, 1], left: [0, 0, 1] },
  { sets: 2, shipped: 0, mugs: 3, returned: 0, slip: [1, 2], left: [0, 0, 0] },
  { sets: 2, shipped: 2, mugs: 1, returned: 1, slip: [0, 0], left: [1, 3, 2] },
  { sets: 3, shipped: 1, mugs: 4, returned: 0, slip: [0, 2], left: [1, 2, 1] },
]

for (const { sets, shipped, mugs, returned, slip, left } of defaults) {
  test(`${sets} sets, ${shipped} shipped, ${mugs} mugs refunded: ${returned} of those that were shipped`, async () => {
    const { shop, order, item_id, send, ship, refund, stock } = await sellSets(sets)
    if (shipped > 0) dataOf(await ship(shipped), 201)
    const piece = { item_id, part: 0, quantity: mugs }
    const refuse = async (count: number) =>
      faultsOf(await send('refunds', { items: [{ ...piece, returned: count }] }))['items.0.returned']
    if (returned > 0) assert.equal(await refuse(returned - 1), `must be at least ${returned}`)
    assert.equal(await refuse(1 + Math.min(mugs, 2 * shipped)), `must be at most ${Math.min(mugs, 2 * shipped)}`)
    const { items } = await refund([piece])
    assert.equal(items[0].returned, returned)
    assert.deepEqual(await stock(), [stocked - 2 * sets + mugs, stocked - sets])
    assert.deepEqual((await unsentOf(shop, order)).get(item_id), slip)
    const [one] = dataOf(await shop.api.get(`/v1/orders/${order.id}/returnable`), 200).items
    const returnable = one ? [one.quantity, ...one.parts.map((part: any) => part.quantity)] : [0, 0, 0]
    assert.deepEqual(returnable, left)
    // The rest is refunded as it is: what was shipped comes back, and nothing is sent any more.
    await send('refunds')
    assert.deepEqual(
      [await stock(), (await unsentOf(shop, order)).get(item_id)],
      [
        [stocked, stocked],
        [0, 0],
      ],
    )
    await assertSums(world, shop)
  })
}

test('a set and mugs in one refund are counted together: both take what was not shipped first', async () => {
  const { order, shop, item_id, ship, refund, stock } = await sellSets(3)
  dataOf(await ship(1), 201)
  const { items } = await refund([{ part: 0, quantity: 3 }, { quantity: 1 }])
  const returned = Object.fromEntries(items.map((one: any) => [one.part, one.returned]))
  assert.deepEqual(returned, { null: 0, 0: 1 })
  assert.deepEqual((await unsentOf(shop, order)).get(item_id), [0, 1])
  assert.deepEqual(await stock(), [stocked - 1, stocked - 2])
  await assertSums(world, shop)
})
