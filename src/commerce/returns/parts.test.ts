// Returns of a bundle of which parts were refunded: what is listed can be sent back and is refunded, and no more.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()
const paid = { payment_status: 'paid', payment_method: 'cash' }
const [mug, tray] = [0, 1]
const reason = 'other'

/** Bundles of some mugs at 10.00 and a tray at 30.00. */
async function sellSets(shop: Shop, quantity: number, mugs: number, more: object = {}) {
  const products = [
    await shop.product({ name: 'Mug', price: 10, stock_quantity: 10 }),
    await shop.product({ name: 'Tray', price: 30, stock_quantity: 10 }),
  ]
  const bundle_items = products.map(({ id }, part) => ({ product_id: id, quantity: part === mug ? mugs : 1 }))
  const set = await shop.product({ name: 'Set', price: 30 + 10 * mugs, bundle_items })
  const order = await shop.order([sold(set, quantity)], { ...paid, ...more })
  const item_id = order.items[0].id as string
  const send = (path: string, body: object = {}) => shop.api.post(`/v1${path}`, body)
  return {
    order,
    item_id,
    send,
    stock: () => Promise.all(products.map((one) => shop.stockOf(one))),
    ship: async (count: number) =>
      dataOf(await send(`/orders/${order.id}/fulfillments`, { items: [{ item_id, quantity: count }] }), 201),
    refund: async (piece: object) =>
      dataOf(await send(`/orders/${order.id}/refunds`, { items: [{ item_id, ...piece }] }), 201).amount as number,
    /** Whole bundles, mugs and trays that can be returned. */
    returnable: async (): Promise<number[]> => {
      const { items } = dataOf(await shop.api.get(`/v1/orders/${order.id}/returnable`), 200)
      return items.length === 0 ? [0, 0, 0] : [items[0].quantity, ...items[0].parts.map((one: any) => one.quantity)]
    },
    /** Sends pieces back; returns what is refunded for them. */
    sendBack: async (pieces: object[]): Promise<number> => {
      const items = pieces.map((piece) => ({ item_id, ...piece, reason }))
      const { id } = dataOf(await send(`/orders/${order.id}/returns`, { items }), 201)
      dataOf(await send(`/returns/${id}/receive`), 200)
      const { refund_id } = dataOf(await send(`/returns/${id}/refund`), 200)
      return dataOf(await shop.api.get(`/v1/orders/${order.id}/refunds/${refund_id}`), 200).amount
    },
    refunded: async () => dataOf(await shop.api.get(`/v1/orders/${order.id}`), 200).refunded_amount as number,
  }
}

type Piece = { part?: number; quantity: number; returned?: number }
type Case = {
  bundles: number
  mugs: number
  before?: Piece[]
  ship: number
  after?: Piece[]
  /** Whole bundles, mugs and trays that can be returned then, and what is refunded for all of them. */
  left: [number, number, number]
  price: number
}

const one = (part: number, quantity = 1): Piece => ({ part, quantity })

// prettier-ignore
const cases: Case[] = [
  { bundles: 1, mugs: 1, before: [one(mug)], ship: 1, left: [0, 0, 1], price: 30 },
  { bundles: 1, mugs: 1, before: [one(tray)], ship: 1, left: [0, 1, 0], price: 10 },
  { bundles: 1, mugs: 2, before: [one(mug)], ship: 1, left: [0, 1, 1], price: 40 },
  { bundles: 2, mugs: 1, before: [one(mug)], ship: 2, left: [1, 1, 2], price: 70 },
  { bundles: 2, mugs: 1, before: [one(mug, 2)], ship: 2, left: [0, 0, 2], price: 60 },
  { bundles: 2, mugs: 2, before: [one(mug)], ship: 2, left: [1, 3, 2], price: 90 },
  { bundles: 2, mugs: 2, before: [one(mug, 3)], ship: 2, left: [0, 1, 2], price: 70 },
  { bundles: 1, mugs: 2, ship: 1, after: [one(mug)], left: [0, 1, 1], price: 40 },
  { bundles: 2, mugs: 1, ship: 2, after: [one(tray)], left: [1, 2, 1], price: 50 },
  { bundles: 2, mugs: 2, before: [one(mug)], ship: 2, after: [one(mug)], left: [1, 2, 2], price: 80 },
  { bundles: 2, mugs: 1, before: [one(mug)], ship: 2, after: [{ quantity: 1 }], left: [0, 0, 1], price: 30 },
  { bundles: 2, mugs: 2, before: [{ quantity: 1 }, one(mug)], ship: 1, left: [0, 1, 1], price: 40 },
  // The bundle that was sent first was whole: what was refunded is missing in the other one.
  { bundles: 2, mugs: 1, before: [one(mug)], ship: 1, left: [1, 1, 1], price: 40 },
  { bundles: 2, mugs: 1, before: [one(mug, 2)], ship: 1, left: [0, 0, 1], price: 30 },
  { bundles: 2, mugs: 2, ship: 1, after: [{ ...one(tray), returned: 1 }], left: [0, 2, 0], price: 20 },
  // By default, units that were not shipped are refunded first.
  { bundles: 2, mugs: 2, ship: 1, after: [one(tray)], left: [1, 2, 1], price: 50 },
  { bundles: 2, mugs: 2, ship: 1, after: [one(mug, 2)], left: [1, 2, 1], price: 50 },
  { bundles: 2, mugs: 2, ship: 1, after: [one(mug, 3)], left: [0, 1, 1], price: 40 },
  { bundles: 3, mugs: 2, ship: 1, after: [one(mug), { quantity: 1 }, one(mug)], left: [1, 2, 1], price: 50 },
]

for (const { bundles, mugs, before = [], ship, after = [], left, price } of cases) {
  const told = JSON.stringify({ before, ship, after })
  test(`${bundles} sets with ${mugs} mugs each, refunded before and after shipping: ${told}`, async () => {
    const shop = await newShop(world)
    const { order, item_id, ...sale } = await sellSets(shop, bundles, mugs)
    for (const piece of before) await sale.refund(piece)
    await sale.ship(ship)
    for (const piece of after) await sale.refund(piece)
    assert.deepEqual(await sale.returnable(), left)
    for (const [at, part] of [null, mug, tray].entries()) {
      const items = [{ item_id, part, quantity: left[at]! + 1, reason }]
      const message = `exceeds the units that can still be returned (${left[at]})`
      assert.deepEqual(faultsOf(await sale.send(`/orders/${order.id}/returns`, { items })), {
        'items.0.quantity': message,
      })
    }
    const [whole, mugsLeft, traysLeft] = left
    const pieces = [
      { quantity: whole },
      { part: mug, quantity: mugsLeft - whole * mugs },
      { part: tray, quantity: traysLeft - whole },
    ]
    assert.equal(await sale.sendBack(pieces.filter(({ quantity }) => quantity > 0)), price)
    assert.deepEqual(await sale.returnable(), [0, 0, 0])
    if (ship === bundles) assert.deepEqual([await sale.refunded(), await sale.stock()], [order.total, [10, 10]])
    await assertSums(world, shop)
  })
}

/** How a part is refunded: before shipping, after it, by a return, or between two shipments, of those sent or not. */
const ways = ['unsent', 'sent', 'returned', 'between', 'back between'] as const

for (const way of ways) {
  test(`whatever is listed can be returned and refunded, up to what was paid: ${way}`, async () => {
    const shop = await newShop(world)
    dataOf(await shop.api.patch('/v1/store', { tax_rate: 19 }), 200)
    const all = [1, 2].flatMap((bundles) =>
      [1, 2].flatMap((mugs) =>
        [one(mug), one(mug, bundles * mugs), one(tray)].map((piece) => ({ bundles, mugs, piece })),
      ),
    )
    for (const [at, { bundles, mugs, piece }] of all.entries()) {
      const wholeFirst = at % 2 === 0
      const { order, ...sale } = await sellSets(shop, bundles, mugs, { discount_amount: 0.05 })
      let cents = 0
      const add = (amount: number) => {
        cents += Math.round(amount * 100)
        assert.ok(cents <= Math.round(order.total * 100))
      }
      /** Sends back unit by unit until nothing is listed. */
      const drain = async () => {
        for (;;) {
          const [whole = 0, ...parts] = await sale.returnable()
          const part = parts.findIndex((count) => count > 0)
          if (whole === 0 && part === -1) return
          add(await sale.sendBack([whole > 0 && wholeFirst ? { quantity: 1 } : one(part)]))
        }
      }
      const isBetween = way === 'between' || way === 'back between'
      if (way === 'unsent') add(await sale.refund(piece))
      await sale.ship(isBetween ? 1 : bundles)
      if (way === 'sent' || way === 'between') add(await sale.refund(piece))
      if (way === 'back between')
        add(await sale.refund({ ...piece, returned: Math.min(piece.quantity, piece.part === mug ? mugs : 1) }))
      if (way === 'returned') add(await sale.sendBack([piece]))
      await drain()
      if (isBetween && bundles > 1) {
        await sale.ship(1)
        await drain()
      }
      const about = JSON.stringify({ bundles, mugs, piece, wholeFirst })
      assert.deepEqual([cents, await sale.stock()], [Math.round(order.total * 100), [10, 10]], about)
    }
    await assertSums(world, shop)
  })
}

type Meanwhile = {
  bundles: number
  back: number
  refund: Piece[]
  /** What the return refunds, or how many of its units are left if it is refused. */
  result: { amount: number } | { count: number }
}

// prettier-ignore
const meanwhile: Meanwhile[] = [
  { bundles: 1, back: 1, refund: [one(mug)], result: { amount: 40 } },
  { bundles: 1, back: 1, refund: [one(mug, 2)], result: { amount: 30 } },
  { bundles: 1, back: 1, refund: [one(tray)], result: { amount: 20 } },
  { bundles: 1, back: 1, refund: [one(mug, 2), one(tray)], result: { count: 0 } },
  { bundles: 1, back: 1, refund: [{ quantity: 1 }], result: { count: 0 } },
  // Another bundle can be the one that was refunded, as with units of any item.
  { bundles: 2, back: 1, refund: [one(mug)], result: { amount: 50 } },
  { bundles: 2, back: 1, refund: [{ quantity: 1 }], result: { amount: 50 } },
  { bundles: 2, back: 2, refund: [one(mug)], result: { amount: 90 } },
  { bundles: 2, back: 2, refund: [one(mug, 3)], result: { amount: 70 } },
  { bundles: 2, back: 2, refund: [one(mug, 2), one(tray)], result: { count: 1 } },
  { bundles: 2, back: 2, refund: [{ quantity: 1 }], result: { count: 1 } },
  { bundles: 2, back: 2, refund: [{ quantity: 1 }, one(tray)], result: { count: 1 } },
]

for (const stage of ['approved', 'received']) {
  for (const { bundles, back, refund, result } of meanwhile) {
    const told = JSON.stringify({ bundles, back, refund, result })
    test(`units are refunded while a return of whole bundles is ${stage}: ${told}`, async () => {
      const shop = await newShop(world)
      const { item_id, order, ...sale } = await sellSets(shop, bundles, 2)
      await sale.ship(bundles)
      const items = [{ item_id, quantity: back, reason }]
      const { id } = dataOf(await sale.send(`/orders/${order.id}/returns`, { items }), 201)
      if (stage === 'received') dataOf(await sale.send(`/returns/${id}/receive`), 200)
      let before = 0
      for (const piece of refund) before += await sale.refund(piece)
      if (stage === 'approved') dataOf(await sale.send(`/returns/${id}/receive`), 200)
      const answer = await sale.send(`/returns/${id}/refund`)
      if ('count' in result) {
        const message = `cannot be refunded: only ${result.count} of the received units can still be refunded`
        assert.deepEqual(faultsOf(answer), { items: message })
      } else {
        dataOf(answer, 200)
        assert.equal((await sale.refunded()) - before, result.amount)
        // What can be returned and refunded after it adds up to what was paid.
        for (let [whole = 0, ...parts] = await sale.returnable(); ; [whole = 0, ...parts] = await sale.returnable()) {
          const part = parts.findIndex((count) => count > 0)
          if (whole === 0 && part === -1) break
          await sale.sendBack([whole > 0 ? { quantity: 1 } : one(part)])
        }
        assert.equal(await sale.refunded(), order.total)
      }
      await assertSums(world, shop)
    })
  }
}

test('a bundle of which a part was refunded meanwhile is credited to an exchange without it', async () => {
  const shop = await newShop(world)
  const { item_id, order, ...sale } = await sellSets(shop, 1, 1)
  await sale.ship(1)
  const { id } = dataOf(
    await sale.send(`/orders/${order.id}/returns`, { items: [{ item_id, quantity: 1, reason }] }),
    201,
  )
  dataOf(await sale.send(`/returns/${id}/receive`), 200)
  await sale.refund(one(mug))
  const lamp = await shop.product({ name: 'Lamp', price: 35 })
  const { exchange_order_id } = dataOf(await sale.send(`/returns/${id}/exchange`, { items: [sold(lamp)] }), 200)
  assert.equal(dataOf(await shop.api.get(`/v1/orders/${exchange_order_id}`), 200).total, 5)
})

test('a bundle of which units were refunded before an edit is returned as a whole', async () => {
  const shop = await newShop(world)
  const { order, item_id, ...sale } = await sellSets(shop, 3, 1)
  await sale.refund({ quantity: 1 })
  dataOf(await sale.send(`/orders/${order.id}/edits`, { items: [{ item_id, quantity: 2 }] }), 200)
  await sale.ship(1)
  assert.deepEqual(await sale.returnable(), [1, 0, 0])
  assert.equal(await sale.sendBack([{ quantity: 1 }]), 40)
  assert.deepEqual(await sale.returnable(), [0, 0, 0])
})
