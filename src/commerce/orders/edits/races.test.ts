// Edits beside captures, refunds, fulfillments and other edits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../../../test/client.ts'
import { holdMoney } from '../../../../test/hold.ts'
import { faultsOf, newShop, sold, type Shop } from '../../../../test/shop.ts'
import { assertNothingOversold, assertSums } from '../../../../test/sums.ts'
import { openWorld } from '../../../../test/world.ts'
import { fc, randomBy, seed } from '../../../../test/random.ts'

const world = await openWorld()

const cups = (quantity: number, unit_price = 10) => ({ product_name: 'Cup', unit_price, quantity })
const edit = ({ api }: Shop, { id }: { id: string }, body: object) => api.post(`/v1/orders/${id}/edits`, body)

test('an edit and a capture at once: the edit comes first or is refused, and the total is captured', async () => {
  const shop = await newShop(world)
  for (let round = 0; round < 6; round++) {
    const order = await shop.order([cups(3)])
    await holdMoney(world, shop.store.id, order.id)
    const less = { items: [{ item_id: order.items[0].id, quantity: 1 }] }
    const [change, capture] = await Promise.all([
      edit(shop, order, less),
      shop.api.post(`/v1/orders/${order.id}/capture`, {}),
    ])
    assert.equal(capture.status, 200, JSON.stringify(capture.error))
    const { data: after } = await shop.api.get(`/v1/orders/${order.id}`)
    if (change.status === 200) assert.equal(after.total, 10)
    else assert.deepEqual(faultsOf(change), { items: 'cannot be changed while a capture is in progress' })
    const asked = capture.data.events.find(({ kind }: any) => kind === 'capture_asked')
    assert.equal(asked.amount, after.total)
  }
  await assertSums(world, shop)
})

test('of edits that take the last pieces, as many pass as there are pieces', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 5 })
  const orders = await Promise.all(Array.from({ length: 8 }, () => shop.order([cups(1)])))
  const answers = await Promise.all(orders.map((order) => edit(shop, order, { items: [sold(mug)] })))
  assert.equal(answers.filter(({ status }) => status === 200).length, 5)
  const refused = answers.filter(({ status }) => status !== 200)
  for (const answer of refused) assert.deepEqual(faultsOf(answer), { 'items.0.quantity': 'is sold out' })
  assert.equal(await shop.stockOf(mug), 0)
  await assertSums(world, shop)
})

// Indexes are taken modulo the number of items.
type Act =
  | { act: 'edit'; item: number; quantity: number; add: number; shipping: number | null; discount: number | null }
  | { act: 'pay' }
  | { act: 'refund'; item: number; quantity: number; amount: number }
  | { act: 'fulfil'; item: number }
  | { act: 'code'; code: string | null }
  | { act: 'cancel'; refund: boolean }

const cents = fc.integer({ min: 0, max: 3000 }).map((amount) => amount / 100)
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('edit' as const),
      item: fc.nat({ max: 5 }),
      quantity: fc.nat({ max: 4 }),
      add: fc.nat({ max: 3 }),
      shipping: fc.option(cents),
      discount: fc.option(cents),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ act: 'pay' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('refund' as const),
      item: fc.nat({ max: 5 }),
      quantity: fc.nat({ max: 2 }),
      amount: cents,
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('fulfil' as const), item: fc.nat({ max: 5 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant('code' as const), code: fc.constantFrom('THIRD', 'SHIP', null) }),
  },
)

const anyRounds = fc.array(fc.array(anyAct, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 9 })

test('whatever is edited, paid, refunded and sent, also at once: every amount adds up', async () => {
  await fc.assert(
    fc.asyncProperty(anyRounds, fc.boolean(), async (rounds, tax_included) => {
      const shop = await newShop(world)
      await shop.api.patch('/v1/store', { tax_rate: 17.5, tax_included, tax_shipping: true })
      const mug = await shop.product({ price: 9.99, stock_quantity: 9 })
      await shop.api.post('/v1/discounts', { code: 'THIRD', type: 'percentage', value: 33.3 })
      await shop.api.post('/v1/discounts', { code: 'SHIP', type: 'free_shipping', value: 0 })
      const order = await shop.order([sold(mug, 2), cups(3, 3.33)], {
        customer_email: 'ana@example.com',
        shipping_cost: 4.5,
        payment_method: 'cash',
      })
      for (const round of rounds) {
        const { data: before } = await shop.api.get(`/v1/orders/${order.id}`)
        const answers = await Promise.all(round.map((one) => perform(shop, before, mug, one)))
        for (const { status, body } of answers) assert.ok([200, 201, 422].includes(status), JSON.stringify(body))
        await assertAmounts(shop, order)
      }
    }),
    { numRuns: 15 },
  )
})

test('a cancellation beside a payment, an edit and a refund: the books are exact, and stock is whole', async () => {
  const { below } = randomBy(seed)
  for (let round = 0; round < 12; round++) {
    const shop = await newShop(world)
    await shop.api.patch('/v1/store', { tax_rate: 17.5 })
    const mug = await shop.product({ price: 9.99, stock_quantity: 9 })
    const isPaid = below(2) === 0
    const order = await shop.order([sold(mug, 3)], isPaid ? { payment_status: 'paid', payment_method: 'cash' } : {})
    const acts: Act[] = [
      { act: 'cancel', refund: below(2) === 0 },
      { act: 'pay' },
      { act: 'edit', item: 0, quantity: 1 + below(4), add: 0, shipping: below(900) / 100, discount: null },
      { act: 'refund', item: 0, quantity: 1, amount: 0 },
    ]
    const first = below(acts.length)
    const sequence = [...acts.slice(first), ...acts.slice(0, first)]
    const answers = await Promise.all(sequence.map((one) => perform(shop, order, mug, one)))
    for (const { status, body } of answers) assert.ok([200, 201, 422].includes(status), JSON.stringify(body))
    // Only a capture in progress refuses a cancellation, and manual payments have none.
    const { data: after } = await shop.api.get(`/v1/orders/${order.id}`)
    assert.equal(after.status, 'cancelled')
    assert.equal(await shop.stockOf(mug), 9)
    const { data: refunds } = await shop.api.get(`/v1/orders/${order.id}/refunds`)
    const back = refunds.reduce((sum: number, { amount }: any) => sum + Math.round(amount * 100), 0)
    assert.equal(back, Math.round(after.refunded_amount * 100))
    await assertAmounts(shop, order)
  }
})

async function assertAmounts(shop: Shop, { id }: { id: string }): Promise<void> {
  const { data: order } = await shop.api.get(`/v1/orders/${id}`)
  const cents = (amount: number) => Math.round(amount * 100)
  const { subtotal, discount_amount, shipping_cost, tax_amount, total, captured_amount, refunded_amount } = order
  assert.equal(cents(total), cents(subtotal) - cents(discount_amount) + cents(shipping_cost) + cents(tax_amount))
  assert.ok(order.amount_due === 0 || order.amount_to_refund === 0)
  if (order.payment_status === 'paid') assert.equal(order.amount_due, 0)
  // Nothing more is due for a canceled order, even if an edit raised its total beyond what was paid.
  if (order.status === 'cancelled') assert.equal(order.amount_due, 0)
  else if (order.payment_status === 'pending') assert.ok(order.amount_due > 0)
  assert.ok(cents(refunded_amount) <= cents(captured_amount))
  await assertSums(world, shop)
  await assertNothingOversold(world.app.db, shop.store.id)
}

function perform(shop: Shop, order: any, mug: { id: string }, one: Act): Promise<Answer> {
  const at = `/v1/orders/${order.id}`
  const item = 'item' in one ? order.items[one.item % order.items.length].id : ''
  switch (one.act) {
    case 'edit':
      return edit(shop, order, {
        items: [
          { item_id: item, quantity: one.quantity },
          ...(one.add > 0 ? [one.add % 2 ? sold(mug, one.add) : cups(one.add, 1.11)] : []),
        ],
        ...(one.shipping === null ? {} : { shipping_cost: one.shipping }),
        ...(one.discount === null ? {} : { discount_amount: one.discount }),
      })
    case 'code':
      return edit(shop, order, { discount_code: one.code })
    case 'cancel':
      return shop.api.patch(at, { status: 'cancelled', ...(one.refund ? { refund: true } : {}) })
    case 'pay':
      return shop.api.patch(at, { payment_status: 'paid' })
    case 'refund':
      return shop.api.post(
        `${at}/refunds`,
        one.quantity > 0 ? { items: [{ item_id: item, quantity: one.quantity }] } : { amount: one.amount },
      )
    case 'fulfil':
      return shop.api.post(`${at}/fulfillments`, { items: [{ item_id: item, quantity: 1 }] })
  }
}
