// Units that come back to stock when an order is cancelled or returned.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()
const paid = { payment_status: 'paid', payment_method: 'cash' }

type Step = (shop: Shop, order: any) => Promise<unknown>
const post =
  (path: string, body: (item_id: string) => object): Step =>
  async ({ api }, { id, items }) =>
    dataOf(await api.post(`/v1/orders/${id}/${path}`, body(items[0].id)), 201)
const patch =
  (body: object): Step =>
  async ({ api }, { id }) =>
    dataOf(await api.patch(`/v1/orders/${id}`, body), 200)
const ship = post('fulfillments', (item_id) => ({ items: [{ item_id, quantity: 1 }] }))
const refund = (restock: boolean) => post('refunds', (item_id) => ({ items: [{ item_id, quantity: 1 }], restock }))
const arrive =
  (condition: 'as_new' | 'damaged'): Step =>
  async ({ api }, { id, items }) => {
    const unit = { item_id: items[0].id, quantity: 1 }
    const asked = { items: [{ ...unit, reason: 'other' }] }
    const { id: returnId } = dataOf(await api.post(`/v1/orders/${id}/returns`, asked), 201)
    dataOf(await api.post(`/v1/returns/${returnId}/receive`, { items: [{ ...unit, condition }] }), 200)
  }

// Of 10 pieces, 3 were sold.
const cases: Record<string, { steps: Step[]; stock: number }> = {
  nothing: { steps: [], stock: 10 },
  'a refund that restocks': { steps: [refund(true)], stock: 10 },
  'a refund that does not': { steps: [refund(false)], stock: 9 },
  both: { steps: [refund(true), refund(false)], stock: 9 },
  'a shipment': { steps: [ship], stock: 9 },
  'a shipment, and a refund that does not restock': { steps: [ship, refund(false)], stock: 8 },
  'a shipment that came back as new': { steps: [ship, arrive('as_new')], stock: 10 },
  'a shipment that came back damaged': { steps: [ship, arrive('damaged')], stock: 9 },
  'a payment marked as refunded': { steps: [patch({ payment_status: 'refunded' })], stock: 10 },
}

for (const [before, { steps, stock }] of Object.entries(cases)) {
  test(`after ${before}, a cancellation and a return of the order leave ${stock} of 10 pieces`, async () => {
    for (const status of ['cancelled', 'returned']) {
      const shop = await newShop(world)
      const mug = await shop.product({ stock_quantity: 10 })
      const order = await shop.order([sold(mug, 3)], { ...paid, status: 'in_progress' })
      for (const step of steps) await step(shop, order)
      await patch({ status })(shop, order)
      assert.equal(await shop.stockOf(mug), stock, status)
      await assertSums(world, shop)
    }
  })
}

test('a cancellation with a refund restocks the units, unless it says otherwise', async () => {
  for (const restock of [true, false]) {
    const shop = await newShop(world)
    const mug = await shop.product({ stock_quantity: 10 })
    const order = await shop.order([sold(mug, 3)], paid)
    await patch({ status: 'cancelled', refund: true, restock })(shop, order)
    assert.equal(await shop.stockOf(mug), restock ? 10 : 7)
  }
})
