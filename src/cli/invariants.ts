// What holds of the rows of every store after each commit, however many wrote at once: read-only, and cheap enough for
// a look at whole tables, of any size. doctor asks for all stores, tests for one.
import type { Db } from '../kit/database/database.ts'
import { join, raw, sql, type Sql } from '../kit/database/sql.ts'

/** `broken` selects store_id and `wrong`, which names the rows that do not hold. */
export type Invariant = { name: string; broken: Sql }

// Counter → the rows that it counts.
// prettier-ignore
const counters: Record<string, string> = {
  products_active:   `products where product_status = 'active'`,
  products_draft:    `products where product_status = 'draft'`,
  products_archived: `products where product_status = 'archived'`,
  categories:        'categories',
  discounts:         'discounts',
  customers:         'customers',
  orders:            'orders',
  webhooks:          'webhooks',
  api_keys:          'api_keys where is_active',
  staff:             'members',
}
const counterNames = Object.keys(counters)

export const invariants: readonly Invariant[] = [
  {
    name: 'counters equal the rows that they count',
    broken: unequal(
      sql`
        select store_id,
          unnest(array[${raw(counterNames.map((name) => `'${name}'`).join(', '))}]),
          unnest(array[${raw(counterNames.join(', '))}]),
          0
        from store_counters`,
      join(
        counterNames.map(
          (name) => sql`
        select store_id, ${raw(`'${name}'`)}, count(*), 0 from ${raw(counters[name]!)} group by store_id`,
        ),
        '\n        union all',
      ),
    ),
  },
  {
    name: 'the stock of a product is the sum of its transactions',
    broken: unequal(
      sql`select store_id, id, 0, stock_quantity from products`,
      sql`select store_id, product_id, 0, quantity from inventory_transactions`,
    ),
  },
  {
    name: 'the stock of a variant is the sum of its transactions',
    broken: unequal(
      sql`select store_id, id, 0, stock_quantity from variants`,
      sql`select store_id, variant_id, 0, quantity from inventory_transactions where variant_id is not null`,
    ),
  },
  {
    name: 'a product counts its variants and has their stock',
    broken: unequal(
      sql`select store_id, id, variant_count, case when variant_count > 0 then stock_quantity else 0 end from products`,
      sql`select store_id, product_id, 1, stock_quantity from variants`,
    ),
  },
  {
    name: 'order numbers have no gap and end at the counter',
    broken: sql`
      select store_id, format('%s orders up to %s', count(number), max(number)) as wrong
      from (
        select store_id, order_number as counter, null as number from store_counters
        union all
        select store_id, null, order_number from orders
      ) as numbers
      group by store_id
      having count(number) <> max(number) - min(number) + 1
        or max(number) <> max(counter)`,
  },
  {
    name: 'an order is the sum of its items and order bumps',
    broken: unequal(
      sql`
        select store_id, id, item_count, subtotal - coalesce((order_bumps ->> 'total')::numeric, 0)
        from orders`,
      sql`select store_id, order_id, quantity, total_price from order_items`,
    ),
  },
  {
    name: 'the taxes of an order are the sums of its tax lines',
    broken: unequal(
      sql`
        select store_id, id, included_tax, tax_amount
        from orders
        where json_array_length(tax_lines) > 0`,
      sql`
        select store_id, id, within * amount, (1 - within) * amount
        from (
          select store_id, id, (line ->> 'included')::boolean::int as within, (line ->> 'amount')::numeric as amount
          from (select store_id, id, json_array_elements(tax_lines) as line from orders) as lines
        ) as amounts`,
    ),
  },
  {
    name: 'a customer has what their orders add up to',
    broken: unequal(
      sql`select store_id, id, orders_count, total_spent from customers`,
      sql`
        select store_id, customer_id, (status <> 'cancelled')::int,
          case payment_status when 'paid' then total else 0 end
        from orders
        where customer_id is not null`,
    ),
  },
  {
    name: 'the uses of a discount are the orders that use it',
    broken: unequal(
      sql`select store_id, id, current_uses, 0 from discounts`,
      sql`
        select store_id, discount_id, 1, 0
        from orders
        where discount_id is not null
          and status not in ('cancelled', 'returned')`,
    ),
  },
  {
    name: 'a checkout that is completed has an order of its own',
    broken: sql`
      select store_id, id::text as wrong
      from checkouts
      where (status in ('completed', 'recovered')) <> (order_id is not null)
      union all
      ${unequal(
        sql`select store_id, order_id, 1, 0 from checkouts where order_id is not null`,
        sql`select store_id, id, 1, 0 from orders`,
      )}`,
  },
]

/**
 * The records whose number and amount are not the sums of their parts; both select store_id, id, number, amount. Each
 * row is read once and nothing is joined: a planner that believes a grown table small joins row by row with row.
 */
function unequal(records: Sql, parts: Sql): Sql {
  return sql`
      select store_id, id::text as wrong
      from (
        select 1 as side, records.* from (${records}) as records (store_id, id, number, amount)
        union all
        select -1, parts.* from (${parts}) as parts
      ) as both_sides
      group by store_id, id
      having max(side) = 1
        and (sum(side * number) <> 0 or sum(side * amount) <> 0)`
}

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
