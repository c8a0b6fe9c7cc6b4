import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { buyer, productOf, shopperOf } from '../../../test/checkouts.ts'
import { ledgerInjuries, shopWithLedger, uncheck } from '../../../test/ledger.ts'
import { openWorld } from '../../../test/world.ts'
import { brokenInvariants, invariants } from './invariants.ts'

// Of its own: the checks of the database are taken away.
const world = await openWorld({}, { sweeps: true })
await world.app.db.rows(uncheck)

// For each invariant what breaks it in the store of the test.
// prettier-ignore
const injuries: Record<string, (storeId: string) => Sql> = {
  ...ledgerInjuries,
  'counters match the rows they count':
    (id) => sql`update store_counters set webhooks = webhooks + 1 where store_id = ${id}`,
  'order numbers have no gaps and end at the counter':
    (id) => sql`update store_counters set order_number = order_number + 1 where store_id = ${id}`,
  'numbers of drafts are at most the counter':
    (id) => sql`update store_counters set draft_number = 0 where store_id = ${id}`,
  'event sequence numbers have no gaps and end at the counter':
    (id) => sql`insert into event_numbers (store_id, event_uuid, sequence) values (${id}, gen_random_uuid(), 70)`,
  'every event has a sequence number or waits for one':
    (id) => sql`delete from event_numbers where store_id = ${id} and sequence = 1`,
  "customer totals match the customer's orders":
    (id) => sql`update customers set total_spent = 0.01 where store_id = ${id}`,
  'the uses of a discount match the orders that use it':
    (id) => sql`update discounts set current_uses = 7 where store_id = ${id}`,
  'an order with a discount uses it until it is cancelled or returned':
    (id) => sql`delete from discount_uses where store_id = ${id}`,
  'a category is below the ancestors and the path of its parent':
    (id) => sql`update categories set parent_path = 'lost' where store_id = ${id}`,
  'a product knows whether its stock is tracked':
    (id) => sql`update products set is_tracked = not is_tracked where store_id = ${id}`,
  'a bundle has no stock and no variants of its own':
    (id) => sql`update products set bundle_items = '[]' where store_id = ${id}`,
  'a variant that is a bundle has no stock of its own':
    (id) => sql`update variants set bundle_items = '[]', manage_inventory = true where store_id = ${id}`,
  'a collection counts its products and those for sale':
    (id) => sql`update collections set products_for_sale = 7 where store_id = ${id}`,
  'the sums of a quarter hour match its orders':
    (id) => sql`delete from unsummed where store_id = ${id}`,
  'the sums of a quarter hour match its new customers, checkouts and recovered sales':
    (id) => sql`delete from unsummed where store_id = ${id}`,
  'the sums of a day match its quarter hours, and its orders by each report and by tax':
    (id) => sql`insert into tax_by_day values (${id}, '2026-01-01', 'MX', '', 'IVA', 16, 'standard', 1, 50, 8, 0, 0)`,
  'the sums of a month and of a year match their days':
    (id) => sql`insert into sales_by_day values (${id}, 'country', '2026-01-01', 'MX', null, 1, 1, 0, 0, 20)`,
  'the list of low-stock products matches the products':
    (id) => sql`update scarce_products set is_sold_out = not is_sold_out where store_id = ${id}`,
  'the narrow rows of products match the products':
    (id) => sql`update listed_products set stock_quantity = stock_quantity + 1 where store_id = ${id}`,
  'the narrow rows of orders match the orders':
    (id) => sql`update listed_orders set status = 'returned' where store_id = ${id}`,
  'the narrow rows of customers match the customers':
    (id) => sql`delete from listed_customers where store_id = ${id}`,
  'the narrow rows of checkouts match the checkouts':
    (id) => sql`update listed_checkouts set due_at = null where store_id = ${id}`,
  'every completed checkout has its own order':
    (id) => sql`update checkouts set order_id = null where store_id = ${id}`,
}

test('every invariant holds, and tells when it does not', async () => {
  const { shop } = await shopWithLedger(world)
  const product = await productOf(shop, { stock: 9 })
  await shop.api.post('/v1/categories', { name: 'Hats' })
  await shop.api.post('/v1/draft-orders', { items: [{ product_id: product.id, quantity: 1 }] })
  await shop.api.post('/v1/discounts', { code: 'TEN', type: 'percentage', value: 10 })
  const { data: collection } = await shop.api.post('/v1/collections', { name: 'Summer' })
  await shop.api.post(`/v1/collections/${collection.id}/products`, { product_ids: [product.id] })
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
    // An edit counts as its order does, whose status a hash of all orders tells.
    const plan = lines
      .map((line) => line['QUERY PLAN'])
      .join('\n')
      .replaceAll(/Hash Join(?=.*\n\s+Hash Cond: \(\(order_edits)/g, 'Hash of orders')
    assert.doesNotMatch(plan, /Nested Loop| Join|SubPlan/, `${name}\n${plan}`)
  }
})
