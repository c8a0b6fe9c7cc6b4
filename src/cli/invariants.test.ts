import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type Sql } from '../kit/database/sql.ts'
import { buyer, productOf, shopperOf } from '../../test/checkouts.ts'
import { openWorld } from '../../test/world.ts'
import { brokenInvariants, invariants } from './invariants.ts'

const world = await openWorld()

// For each invariant what breaks it in the store of the test.
// prettier-ignore
const injuries: Record<string, (storeId: string) => Sql> = {
  'counters equal the rows that they count':
    (id) => sql`update store_counters set webhooks = webhooks + 1 where store_id = ${id}`,
  'the stock of a product is the sum of its transactions':
    (id) => sql`update products set stock_quantity = stock_quantity + 1 where store_id = ${id}`,
  'the stock of a variant is the sum of its transactions':
    (id) => sql`
      update inventory_transactions set quantity = quantity + 1
      where store_id = ${id} and variant_id is not null`,
  'a product counts its variants and has their stock':
    (id) => sql`update products set variant_count = 2 where store_id = ${id}`,
  'order numbers have no gap and end at the counter':
    (id) => sql`update store_counters set order_number = order_number + 1 where store_id = ${id}`,
  'an order is the sum of its items and order bumps':
    (id) => sql`update order_items set unit_price = 1, total_price = quantity where store_id = ${id}`,
  'the taxes of an order are the sums of its tax lines':
    (id) => sql`update orders set included_tax = included_tax + 0.01 where store_id = ${id}`,
  'a customer has what their orders add up to':
    (id) => sql`update customers set total_spent = 0.01 where store_id = ${id}`,
  'the uses of a discount are the orders that use it':
    (id) => sql`update discounts set current_uses = 7 where store_id = ${id}`,
  'a checkout that is completed has an order of its own':
    (id) => sql`update checkouts set order_id = null where store_id = ${id}`,
}

test('every invariant holds, and tells when it does not', async () => {
  const shop = await world.newStore()
  await shop.api.patch('/v1/store', { tax_rate: 16, tax_included: true })
  const product = await productOf(shop, { stock: 9 })
  const option_values = [{ option_title: 'Colour', value: 'Red' }]
  await shop.api.post('/v1/products', { name: 'Shirt', price: 5, variants: [{ option_values, stock_quantity: 4 }] })
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const shopper = shopperOf(world, shop)
  const items = [{ product_id: product.id, quantity: 2 }]
  const { data } = await shopper.begin({ items, ...buyer(), discount_code: 'TEN' })
  assert.equal((await shopper.complete(data.token)).status, 201)
  assert.deepEqual(await brokenInvariants(world.app.db, shop.store.id), [])

  for (const { name } of invariants) {
    const undone = new Error('undone')
    const told = world.app.db.transaction(async (tx) => {
      await tx.rows(injuries[name]!(shop.store.id))
      const broken = await brokenInvariants(tx, shop.store.id)
      assert.ok(
        broken.some((line) => line.startsWith(`${name}: ${shop.store.id} `)),
        `${name} tells nothing: ${broken}`,
      )
      throw undone
    })
    await assert.rejects(told, undone)
  }
})

test('every invariant reads each row once: no plan joins row by row, whatever the planner believes', async () => {
  for (const { name, broken } of invariants) {
    const lines = await world.app.db.rows<{ 'QUERY PLAN': string }>(sql`explain ${broken}`)
    const plan = lines.map((line) => line['QUERY PLAN']).join('\n')
    assert.doesNotMatch(plan, /Nested Loop|Join|SubPlan/, `${name}\n${plan}`)
  }
})
