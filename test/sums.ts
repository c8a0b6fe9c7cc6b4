// Everything that a store counts is what its rows add up to.
import assert from 'node:assert/strict'
import type { Db } from '../src/kit/database/database.ts'
import { sum } from '../src/kit/values/money.ts'
import { sql } from '../src/kit/database/sql.ts'
import type { TestStore, World } from './world.ts'

export function assertSums({ app }: World, { store }: TestStore): Promise<void> {
  return assertSumsOf(app.db, store.id)
}

export async function assertSumsOf(db: Db, storeId: string): Promise<void> {
  await assertStock(db, storeId)
  await assertOrders(db, storeId)
}

/** Stock is the sum of its transactions, and a product's that of its variants. */
async function assertStock(db: Db, storeId: string): Promise<void> {
  const items = await db.rows<{ stock: number; moved: number }>(sql`
    select items.stock_quantity as stock, coalesce(sum(moves.quantity), 0)::int as moved
    from (
      select store_id, id as product_id, null::uuid as variant_id, stock_quantity
      from products
      where variant_count = 0
      union all
      select store_id, product_id, id, stock_quantity
      from variants
    ) as items
    left join inventory_transactions as moves on moves.store_id = items.store_id
      and moves.product_id = items.product_id
      and moves.variant_id is not distinct from items.variant_id
    where items.store_id = ${storeId}
    group by items.product_id, items.variant_id, items.stock_quantity`)
  for (const { stock, moved } of items) assert.equal(stock, moved)

  const products = await db.rows<{ stock: number; sum: number }>(sql`
    select products.stock_quantity as stock, sum(variants.stock_quantity)::int as sum
    from products
    join variants on variants.store_id = products.store_id and variants.product_id = products.id
    where products.store_id = ${storeId}
    group by products.id, products.stock_quantity`)
  for (const { stock, sum } of products) assert.equal(stock, sum)
}

/** Order numbers have no gap; counters, customers and discounts tell what the orders say. */
async function assertOrders(db: Db, storeId: string): Promise<void> {
  const [orders, customers, discounts, [counted]] = await Promise.all([
    db.rows<any>(sql`select * from orders where store_id = ${storeId} order by order_number`),
    db.rows<any>(sql`select * from customers where store_id = ${storeId}`),
    db.rows<any>(sql`select * from discounts where store_id = ${storeId}`),
    db.rows<any>(sql`select orders, customers, discounts from store_counters where store_id = ${storeId}`),
  ])
  assert.deepEqual(
    orders.map(({ order_number }) => order_number),
    orders.map((_, index) => 1001 + index),
  )
  assert.deepEqual(counted, { orders: orders.length, customers: customers.length, discounts: discounts.length })
  for (const { id, orders_count, total_spent } of customers) {
    const own = orders.filter(({ customer_id }) => customer_id === id)
    const paid = own.filter(({ payment_status }) => payment_status === 'paid').map(({ total }) => total)
    assert.equal(orders_count, own.filter(({ status }) => status !== 'cancelled').length)
    assert.ok(sum(paid).equals(total_spent), `${total_spent} is not ${sum(paid)}`)
  }
  for (const { id, current_uses } of discounts) {
    const using = orders.filter(
      ({ discount_id, status }) => discount_id === id && !['cancelled', 'returned'].includes(status),
    )
    assert.equal(current_uses, using.length)
  }
}
