// A store with one of everything that the ledger is about, and for each rule of it what breaks it.
import assert from 'node:assert/strict'
import { sql, type Sql } from '../src/kit/database/sql.ts'
import { dataOf, newShop, sold, type Shop } from './shop.ts'
import type { World } from './world.ts'

/** An order of this store was paid by hand, sent and refunded in parts. */
export async function shopWithLedger(world: World): Promise<{ shop: Shop; order: any }> {
  const shop = await newShop(world)
  await shop.api.patch('/v1/store', { tax_rate: 16, tax_included: true })
  const [mug, shirt] = [await shop.product({ stock_quantity: 9 }), await shop.variants()]
  const lines = [sold(mug, 3), sold(shirt, 2, { variant_id: shirt.variants[0].id })]
  const order = await shop.order(lines, { payment_status: 'paid', shipping_cost: 5, discount_amount: 2 })
  const part = { items: [{ item_id: order.items[0].id, quantity: 1 }] }
  const path = `/v1/orders/${order.id}`
  dataOf(await shop.api.post(`${path}/fulfillments`, part), 201)
  const { id } = dataOf(await shop.api.post(`${path}/fulfillments`), 201)
  await shop.api.patch(`${path}/fulfillments/${id}`, { status: 'cancelled' })
  dataOf(await shop.api.post(`${path}/refunds`, part), 201)
  dataOf(await shop.api.post(`${path}/refunds`, { shipping: 2 }), 201)
  return { shop, order: dataOf(await shop.api.get(path), 200) }
}

/** No check of the database stands in the way of a wrong value any more. */
export const uncheck = sql`
  do $$
  declare
    name record;
  begin
    for name in
      select conname, conrelid::regclass as owner
      from pg_constraint
      where contype = 'c'
        and connamespace = 'public'::regnamespace
    loop
      execute format('alter table %s drop constraint %I', name.owner, name.conname);
    end loop;
  end $$`

// prettier-ignore
export const ledgerInjuries: Record<string, (storeId: string) => Sql> = {
  'the total of an order is its subtotal minus its discount plus shipping and tax':
    (id) => sql`update orders set total = total + 0.01 where store_id = ${id}`,
  'the subtotal of an order is the sum of its items and order bumps':
    (id) => sql`update order_items set unit_price = 1, total_price = quantity where store_id = ${id}`,
  'the tax amounts of an order are the sums of its tax lines':
    (id) => sql`update orders set included_tax = included_tax + 0.01 where store_id = ${id}`,
  'the amounts of a payment are the sums of its events':
    (id) => sql`update payment_events set amount = amount + 0.01 where store_id = ${id} and kind = 'refunded'`,
  'the captured and refunded amounts of an order are the sums of its payments':
    (id) => sql`update orders set captured_amount = captured_amount + 0.01 where store_id = ${id}`,
  'a paid order is fully captured, and a refunded order is fully refunded':
    (id) => sql`update orders set captured_amount = total - 0.01, payment_status = 'paid' where store_id = ${id}`,
  'no captured payment is kept without an order':
    (id) => sql`update payment_sessions set order_id = null where store_id = ${id}`,
  'the pending capture of an order is the sum of the pending captures of its payments':
    (id) => sql`update orders set capturing_amount = 0.01 where store_id = ${id}`,
  'no refund or capture waits for its provider longer than a day':
    (id) => sql`update payment_sessions set is_late = true where store_id = ${id}`,
  'refunds do not exceed the captured amount':
    (id) => sql`update orders set refunded_amount = captured_amount + 0.01 where store_id = ${id}`,
  'the pending refund amount is the sum of the pending refunds':
    (id) => sql`update orders set refunding_amount = 0.01 where store_id = ${id}`,
  'the pending overpayment of an order is that of its pending refunds':
    (id) => sql`update orders set refunding_overpayment = 0.01 where store_id = ${id}`,
  'the refunded overpayment of an order is at least that of its refunds':
    (id) => sql`update refunds set overpayment = 0.01 where store_id = ${id}`,
  'the refunded amount of an order is at least the sum of its refunds':
    (id) => sql`update refunds set amount = amount + 0.01 where store_id = ${id}`,
  'the refunded quantity of an item is the sum of its refunds and at most the quantity sold':
    (id) => sql`update refund_items set quantity = quantity + 1 where store_id = ${id}`,
  'the fulfilled quantity of an item is the sum of its fulfillments and at most the quantity sold':
    (id) => sql`
      update fulfillments set cancelled_at = shipped_at
      where store_id = ${id} and cancelled_at is null`,
  'the stock of a product is the sum of its inventory transactions':
    (id) => sql`update products set stock_quantity = stock_quantity + 1 where store_id = ${id}`,
  'the stock of a variant is the sum of its inventory transactions':
    (id) => sql`
      update inventory_transactions set quantity = quantity + 1
      where store_id = ${id} and variant_id is not null`,
  'the variant count and stock of a product match its variants':
    (id) => sql`update products set variant_count = 2 where store_id = ${id} and variant_count = 0`,
}

export async function agrees(shop: Shop): Promise<any> {
  const { status, data } = await shop.api.get('/v1/ledger/verify')
  assert.equal(status, 200)
  return data
}
