// Conditions that the rows of every store meet after each commit. The queries are read-only and cheap enough for whole
// tables. The doctor checks all stores, tests check one.
import type { Db } from '../../kit/database/database.ts'
import { join, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { tables } from '../../developer/tables.ts'
import { ledgerRules } from '../../money/ledger/rules.ts'
import { everywhere } from '../../money/ledger/scope.ts'
import { unequal } from '../../money/ledger/unequal.ts'
import { salesRules } from '../../money/reports/rules.ts'

/** `broken` selects store_id and `wrong`, the name of a row that violates the invariant. */
export type Invariant = { name: string; broken: Sql }

// Counter → the rows it counts.
const counters: Record<string, string> = Object.fromEntries(
  tables.flatMap(({ name, counters }) =>
    Object.entries(counters).map(([counter, which]) => [counter, which ? `${name} where ${which}` : name]),
  ),
)
const counterNames = Object.keys(counters)

export const records: readonly Invariant[] = [
  {
    name: 'counters match the rows they count',
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
    name: 'a product knows whether its stock is tracked',
    broken: unequal(
      sql`select store_id, id, is_tracked::int, 0 from products`,
      sql`
        select store_id, id, (variant_count = 0 and track_inventory)::int, 0 from products
        union all
        select store_id, product_id, max(manage_inventory::int), 0 from variants group by store_id, product_id`,
    ),
  },
  {
    name: 'a collection counts its products and those for sale',
    broken: unequal(
      sql`select store_id, id, products_count, products_for_sale from collections`,
      sql`
        select store_id, collection_id, 1, for_sale
        from (
          select store_id, collection_id, max(for_sale) over (partition by store_id, product_id) as for_sale
          from (
            select store_id, product_id, collection_id, 0 as for_sale from collection_products
            union all
            select store_id, id, null, (product_status = 'active')::int from products
          ) as products_and_places
        ) as places
        where collection_id is not null`,
    ),
  },
  {
    name: 'order numbers have no gaps and end at the counter',
    broken: sql`
      select store_id, format('%s orders up to %s', count(number), max(number)) as wrong
      from (
        select store_id, order_number as counter, null as number, order_numbers_have_gaps as have_gaps
        from store_counters
        union all
        select store_id, null, order_number, null from orders
      ) as numbers
      group by store_id
      having max(number) > max(counter)
        or not bool_or(have_gaps)
          and (count(number) <> max(number) - min(number) + 1 or max(number) <> max(counter))`,
  },
  {
    name: 'event sequence numbers have no gaps and end at the counter',
    broken: sql`
      select store_id, format('%s events up to %s', count(number), max(number)) as wrong
      from (
        select store_id, last as newest, null as number from event_logs
        union all
        select store_id, null, sequence from event_numbers
      ) as numbers
      group by store_id
      having count(number) <> max(number) - min(number) + 1
        or max(number) <> max(newest)`,
  },
  {
    name: 'every event has a sequence number or waits for one',
    broken: sql`
      select store_id, id::text as wrong
      from (
        select store_id, id, 1 as events, 0 as places from events where webhook_id is null
        union all
        select store_id, event_uuid, 0, 1 from event_numbers
        union all
        select store_id, event_uuid, 0, 1 from unnumbered_events
      ) as both_sides
      group by store_id, id
      having sum(events) <> sum(places)`,
  },
  {
    name: "customer totals match the customer's orders",
    broken: unequal(
      sql`select store_id, id, orders_count, total_spent from customers`,
      sql`
        select store_id, customer_id, (status <> 'cancelled')::int, captured_amount - refunded_amount
        from orders
        where customer_id is not null`,
    ),
  },
  {
    name: 'the uses of a discount match the orders that use it',
    broken: unequal(
      sql`select store_id, id, current_uses, 0 from discounts`,
      sql`
        select store_id, discount_id, 1, 0
        from discount_uses`,
    ),
  },
  {
    name: 'an order with a discount uses it until it is cancelled or returned',
    broken: unequal(
      sql`
        select store_id, id, 1, 0
        from orders
        where discount_id is not null
          and status not in ('cancelled', 'returned')`,
      sql`select distinct store_id, order_id, 1, 0 from discount_uses`,
    ),
  },
  {
    name: 'every completed checkout has its own order',
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
  ...salesRules,
]

export const ledger: readonly Invariant[] = ledgerRules.map(({ name, broken }) => ({
  name,
  broken: broken(everywhere),
}))

export const invariants: readonly Invariant[] = [...records, ...ledger]

const maxNamed = 10

/** Returns `name: XX-XXXXXXXX id, …` for each violated invariant, of one store or of all. */
export async function brokenInvariants(
  db: Pick<Db, 'rows'>,
  storeId?: string,
  rules: readonly Invariant[] = invariants,
): Promise<string[]> {
  const failures = await Promise.all(
    rules.map(async ({ name, broken }) => {
      const rows = await db.rows<{ wrong: string }>(sql`
        select store_id || ' ' || wrong as wrong
        from (${broken}) as found
        ${storeId === undefined ? sql`` : sql`where store_id = ${storeId}`}
        limit ${raw(String(maxNamed))}`)
      return rows.length === 0 ? [] : [`${name}: ${rows.map(({ wrong }) => wrong).join(', ')}`]
    }),
  )
  return failures.flat()
}
