// Guarantees under concurrent requests.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer } from '../../../test/client.ts'
import { dataOf, faultsOf, newShop, sold, type Shop } from '../../../test/shop.ts'
import { assertSums } from '../../../test/sums.ts'
import { openWorld } from '../../../test/world.ts'
import { fc } from '../../../test/random.ts'

const world = await openWorld()

const times = <T>(count: number, run: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))
const having = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status)

test('of 100 buyers of the last piece one gets it', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 1 })
  const answers = await times(100, () => shop.api.post('/v1/orders', { items: [sold(mug)] }))
  assert.equal(having(answers, 201).length, 1)
  for (const refused of having(answers, 422)) {
    assert.deepEqual(faultsOf(refused), { 'items.0.quantity': 'is sold out' })
  }
  assert.equal(having(answers, 422).length, 99)
  await assertSums(world, shop)
})

test('10 pieces go to 10 of 100 buyers, whichever way they are sold', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 10 }),
    shirt = await shop.variants()
  const [first] = shirt.variants
  await shop.api.patch(`/v1/inventory/products/${shirt.id}`, { variant_id: first.id, quantity: 7 })
  const one = [sold(mug), sold(shirt, 1, { variant_id: first.id })]
  const answers = await times(100, (index) =>
    shop.api.post('/v1/orders', {
      items: [one[index % 2], { product_name: 'X', unit_price: 1, quantity: 1 }],
      customer_email: `buyer${index % 7}@example.com`,
    }),
  )
  assert.deepEqual([having(answers, 201).length, having(answers, 422).length], [20, 80])
  assert.deepEqual([await shop.stockOf(mug), await shop.stockOf(shirt)], [0, 4])
  await assertSums(world, shop)
})

test('orders of the same products in any order do not block each other', async () => {
  const shop = await newShop(world)
  const shirt = await shop.variants(),
    mug = await shop.product({ stock_quantity: 100 })
  const [first, second] = shirt.variants.map(({ id }: any) => ({ variant_id: id }))
  for (const one of [first, second]) {
    await shop.api.patch(`/v1/inventory/products/${shirt.id}`, { ...one, quantity: 100 })
  }
  const lines = [sold(shirt, 1, first), sold(mug), sold(shirt, 1, second)]
  const answers = await times(40, (index) =>
    shop.api.post('/v1/orders', {
      items: [0, 1, 2].map((step) => lines[(index * (index % 2 ? 1 : 2) + step * (index % 2 ? 1 : 2)) % 3]!),
    }),
  )
  assert.equal(having(answers, 201).length, 40)
  assert.deepEqual([await shop.stockOf(mug), await shop.stockOf(shirt)], [60, 127])
  await assertSums(world, shop)
})

test('a discount is used as often as it may', async () => {
  const shop = await newShop(world)
  const few = { code: 'FEW', type: 'percentage', value: 10, max_uses: 3 }
  const { data: discount } = await shop.api.post('/v1/discounts', few)
  const answers = await times(40, () =>
    shop.api.post('/v1/orders', { items: [{ product_name: 'X', unit_price: 10, quantity: 1 }], discount_code: 'FEW' }),
  )
  assert.equal(having(answers, 201).length, 3)
  for (const refused of having(answers, 422)) {
    assert.deepEqual(faultsOf(refused), { discount_code: 'has reached its usage limit' })
  }
  assert.equal((await shop.api.get(`/v1/discounts/${discount.id}`)).data.current_uses, 3)
  await assertSums(world, shop)
})

test('order numbers have no gap, whatever was refused between them', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 15 })
  await shop.api.post('/v1/discounts', { code: 'FEW', type: 'percentage', value: 10, max_uses: 5 })
  const answers = await times(60, (index) =>
    shop.api.post('/v1/orders', {
      items: [index % 3 ? { product_name: 'X', unit_price: 1, quantity: 1 } : sold(mug)],
      ...(index % 5 ? {} : { discount_code: 'FEW' }),
    }),
  )
  const numbers = having(answers, 201)
    .map(({ data }) => data.order_number)
    .sort()
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => 1001 + index),
  )
  assert.ok(numbers.length < 60)
  await assertSums(world, shop)
})

test('one cancellation of many happens', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const { id } = await shop.order([sold(mug, 3)])
  const answers = await times(20, () => shop.api.patch(`/v1/orders/${id}`, { status: 'cancelled' }))
  assert.equal(having(answers, 200).length, 20)
  assert.equal(await shop.stockOf(mug), 5)
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['order.cancelled'],
  )
  await assertSums(world, shop)
})

test('of two statuses at once, the second is judged by the first', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 100 })
  for (let round = 0; round < 10; round++) {
    const { id } = await shop.order(mug)
    const answers = await Promise.all(
      ['completed', 'cancelled'].map((status) => shop.api.patch(`/v1/orders/${id}`, { status })),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422])
    assert.equal((await shop.events()).length, 1)
  }
  await assertSums(world, shop)
})

test('20 first orders of one person make one customer with 20 orders', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 100 })
  const answers = await times(20, () =>
    shop.api.post('/v1/orders', { items: [sold(mug)], customer_email: 'ana@example.com', payment_status: 'paid' }),
  )
  assert.equal(new Set(answers.map(({ data }) => data.customer_id)).size, 1)
  const { data } = await shop.api.get(`/v1/customers/${answers[0]!.data.customer_id}`)
  assert.deepEqual([data.orders_count, data.total_spent], [20, 200])
  await assertSums(world, shop)
})

test('first orders of one person at once are placed, whatever is in them', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 900 }),
    blank = await shop.product({ stock_quantity: 900 })
  const set = await shop.product({ bundle_items: [{ product_id: mug.id }, { product_id: blank.id }], price: 30 })
  const tray = await shop.product({ track_inventory: false })
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 6 })
  dataOf(await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 }), 201)
  const bodies = {
    bundle: { items: [sold(set)] },
    several: { items: [sold(set), sold(mug, 2), sold(tray), sold(blank, 3)] },
    discount: { items: [sold(set)], discount_codes: ['TEN'] },
    fields: { items: [sold(tray)], custom_fields: [{ key: 'engraving', value: 'Ana' }] },
    shipped: { items: [sold(set)], shipping_method: 'standard', payment_status: 'paid' },
  }
  for (const [kind, body] of Object.entries(bodies)) {
    for (let round = 0; round < 4; round++) {
      const customer_email = `${kind}${round}@example.com`
      const answers = await times(3, () => shop.api.post('/v1/orders', { ...body, customer_email }))
      for (const one of answers) dataOf(one, 201)
      assert.equal(new Set(answers.map(({ data }) => data.customer_id)).size, 1)
    }
  }
  await assertSums(world, shop)
})

test('first orders of many people at once do not block each other', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 100 })
  const answers = await times(40, (index) =>
    shop.api.post('/v1/orders', { items: [sold(mug)], customer_email: `buyer${index >> (index % 2)}@example.com` }),
  )
  assert.equal(having(answers, 201).length, 40)
  await assertSums(world, shop)
})

// Indexes are taken modulo the number of records.
type Act =
  | { act: 'order'; product: number; quantity: number; buyer: number; discount: boolean; payment_status: string }
  | { act: 'status'; order: number; status: string; restock: boolean }
  | { act: 'payment'; order: number; payment_status: string }
  | { act: 'adjust'; product: number; quantity: number }
  | { act: 'set'; product: number; quantity: number }

const small = fc.nat({ max: 5 })
const anyAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({
    act: fc.constant('order' as const),
    product: small,
    quantity: fc.integer({ min: 1, max: 4 }),
    buyer: fc.nat({ max: 2 }),
    discount: fc.boolean(),
    payment_status: fc.constantFrom('pending', 'paid'),
  }),
  fc.record({
    act: fc.constant('status' as const),
    order: fc.nat({ max: 20 }),
    restock: fc.boolean(),
    status: fc.constantFrom('confirmed', 'in_progress', 'completed', 'cancelled', 'returned'),
  }),
  fc.record({
    act: fc.constant('payment' as const),
    order: fc.nat({ max: 20 }),
    payment_status: fc.constantFrom('paid', 'failed', 'refunded'),
  }),
  fc.record({ act: fc.constant('adjust' as const), product: small, quantity: fc.constantFrom(-3, -1, 1, 3) }),
  fc.record({ act: fc.constant('set' as const), product: small, quantity: fc.nat({ max: 6 }) }),
)

const anyRounds = fc.array(fc.array(anyAct, { maxLength: 6 }), { minLength: 3, maxLength: 8 })

test('whatever happens, and however much at once, all sums agree', async () => {
  await fc.assert(
    fc.asyncProperty(anyRounds, async (rounds) => {
      const shop = await newShop(world)
      const mug = await shop.product(),
        shirt = await shop.variants()
      const backorder = await shop.product({ continue_selling: true })
      const items = [mug, backorder, ...shirt.variants.map(({ id }: any) => ({ id: shirt.id, variant_id: id }))]
      await shop.api.post('/v1/discounts', { code: 'FEW', type: 'percentage', value: 33, max_uses: 3 })
      for (const round of rounds) {
        const orders = (await shop.api.get('/v1/orders?order=asc')).data
        const answers = await Promise.all(round.map((one) => perform(shop, one, items, orders)))
        for (const answer of answers) {
          if (answer) assert.ok([200, 201, 422].includes(answer.status), JSON.stringify(answer.body))
        }
        await assertSums(world, shop)
      }
    }),
    { numRuns: 12 },
  )
})

async function perform({ api }: Shop, one: Act, items: any[], orders: any[]): Promise<Answer | undefined> {
  const { id, variant_id } = 'product' in one ? items[one.product % items.length] : { id: '' }
  const order = 'order' in one ? orders[one.order % (orders.length || 1)]?.id : undefined
  switch (one.act) {
    case 'order':
      return api.post('/v1/orders', {
        items: [sold({ id }, one.quantity, { variant_id })],
        customer_email: `buyer${one.buyer}@example.com`,
        payment_status: one.payment_status,
        ...(one.discount ? { discount_code: 'FEW' } : {}),
      })
    case 'status':
      return order && api.patch(`/v1/orders/${order}`, { status: one.status, restock: one.restock })
    case 'payment':
      return order && api.patch(`/v1/orders/${order}`, { payment_status: one.payment_status })
    case 'adjust':
      return api.patch(`/v1/inventory/products/${id}`, { quantity: one.quantity, variant_id })
    case 'set':
      return variant_id ? undefined : api.patch(`/v1/products/${id}`, { stock_quantity: one.quantity })
  }
}
