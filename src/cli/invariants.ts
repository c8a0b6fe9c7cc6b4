// What holds of the rows of every store after each commit, however many wrote at once: read-only, and cheap enough for
// a look at whole tables. doctor asks for all stores, tests for one.
import type { Db } from '../kit/database/database.ts'
import { join, raw, sql, type Sql } from '../kit/database/sql.ts'

/** `broken` selects store_id and `wrong`, which names the rows that do not hold. */
export type Invariant = { name: string; broken: Sql }

// Counter → the rows that it counts.
// prettier-ignore
const counters: Record<string, string> = {
  products_active:   `products where product_status = 'active' and`,
  products_draft:    `products where product_status = 'draft' and`,
  products_archived: `products where product_status = 'archived' and`,
  categories:        'categories where',
  discounts:         'discounts where',
  customers:         'customers where',
  orders:            'orders where',
  webhooks:          'webhooks where',
  api_keys:          'api_keys where is_active and',
  staff:             'members where',
}

export const invariants: readonly Invariant[] = [
  {
    name: 'counters equal the rows that they count',
    broken: join(
      Object.entries(counters).map(
        ([counter, rows]) => sql`
        select store_id, ${raw(`'${counter}'`)} as wrong
        from store_counters
        where ${raw(counter)} <> (select count(*) from ${raw(rows)} store_id = store_counters.store_id)`,
      ),
      '\nunion all\n',
    ),
  },
  {
    name: 'the stock of a product is the sum of its transactions',
    broken: sql`
      select store_id, products.id::text as wrong
      from products
      left join (
        select store_id, product_id as id, sum(quantity) as quantity
        from inventory_transactions
        group by store_id, product_id
      ) as moved using (store_id, id)
      where products.stock_quantity <> coalesce(moved.quantity, 0)`,
  },
  {
    name: 'the stock of a variant is the sum of its transactions',
    broken: sql`
      select store_id, variants.id::text as wrong
      from variants
      left join (
        select store_id, variant_id as id, sum(quantity) as quantity
        from inventory_transactions
        group by store_id, variant_id
      ) as moved using (store_id, id)
      where variants.stock_quantity <> coalesce(moved.quantity, 0)`,
  },
  {
    name: 'a product counts its variants and has their stock',
    broken: sql`
      select store_id, products.id::text as wrong
      from products
      left join (
        select store_id, product_id as id, count(*) as variants, sum(stock_quantity) as stock
        from variants
        group by store_id, product_id
      ) as own using (store_id, id)
      where products.variant_count <> coalesce(own.variants, 0)
        or products.stock_quantity <> coalesce(own.stock, products.stock_quantity)`,
  },
  {
    name: 'order numbers have no gap and end at the counter',
    broken: sql`
      select store_id, format('%s orders up to %s', numbers.orders, numbers.last) as wrong
      from store_counters
      join (
        select store_id, count(*) as orders, min(order_number) as first, max(order_number) as last
        from orders
        group by store_id
      ) as numbers using (store_id)
      where numbers.orders <> numbers.last - numbers.first + 1
        or numbers.last <> store_counters.order_number`,
  },
  {
    name: 'an order is the sum of its items and order bumps',
    broken: sql`
      select store_id, orders.id::text as wrong
      from orders
      left join (
        select store_id, order_id as id, sum(total_price) as price, sum(quantity) as pieces
        from order_items
        group by store_id, order_id
      ) as items using (store_id, id)
      where orders.subtotal <> coalesce(items.price, 0) + coalesce((orders.order_bumps ->> 'total')::numeric, 0)
        or orders.item_count <> coalesce(items.pieces, 0)
        or orders.total <> orders.subtotal - orders.discount_amount + orders.shipping_cost + orders.tax_amount`,
  },
  {
    name: 'a customer has what their orders add up to',
    broken: sql`
      select store_id, customers.id::text as wrong
      from customers
      left join (
        select store_id, customer_id as id,
          count(*) filter (where status <> 'cancelled') as orders,
          sum(total) filter (where payment_status = 'paid') as spent
        from orders
        group by store_id, customer_id
      ) as own using (store_id, id)
      where customers.orders_count <> coalesce(own.orders, 0)
        or customers.total_spent <> coalesce(own.spent, 0)`,
  },
  {
    name: 'the uses of a discount are the orders that use it',
    broken: sql`
      select store_id, discounts.id::text as wrong
      from discounts
      left join (
        select store_id, discount_id as id, count(*) as orders
        from orders
        where status not in ('cancelled', 'returned')
        group by store_id, discount_id
      ) as uses using (store_id, id)
      where discounts.current_uses <> coalesce(uses.orders, 0)`,
  },
  {
    name: 'a checkout that is completed has an order of its own',
    broken: sql`
      select checkouts.store_id, checkouts.id::text as wrong
      from checkouts
      left join orders on orders.store_id = checkouts.store_id
        and orders.id = checkouts.order_id
      where (checkouts.status in ('completed', 'recovered')) <> (orders.id is not null)
      union all
      select store_id, order_id::text as wrong
      from checkouts
      where order_id is not null
      group by store_id, order_id
      having count(*) > 1`,
  },
]

const mostNamed = 10

/** `name: XX-XXXXXXXX id, …` for each invariant that does not hold, of one store or of all. */
export async function brokenInvariants(db: Pick<Db, 'rows'>, storeId?: string): Promise<string[]> {
  const found = await Promise.all(
    invariants.map(async ({ name, broken }) => {
      const rows = await db.rows<{ wrong: string }>(sql`
        select store_id || ' ' || wrong as wrong
        from (${broken}) as found
        ${storeId === undefined ? sql`` : sql`where store_id = ${storeId}`}
        limit ${raw(String(mostNamed))}`)
      return rows.length === 0 ? [] : [`${name}: ${rows.map(({ wrong }) => wrong).join(', ')}`]
    }),
  )
  return found.flat()
}
