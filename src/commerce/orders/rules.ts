import { sql } from '../../kit/database/sql.ts'
import { unequal, type TableRule } from '../../tenancy/tables/rule.ts'

export const orderRules: readonly TableRule[] = [
  {
    name: 'the total of an order is its subtotal minus its discount plus shipping and tax',
    of: 'order',
    broken: ({ orders }) => sql`
      select store_id, id::text as wrong
      from orders
      where ${orders()}
        and total <> subtotal - discount_amount + shipping_cost + tax_amount`,
  },
  {
    name: 'the subtotal of an order is the sum of its items and order bumps',
    of: 'order',
    broken: ({ orders, ordersOf }) =>
      unequal(
        sql`
        select store_id, id, item_count, subtotal - coalesce((order_bumps ->> 'total')::numeric, 0)
        from orders
        where ${orders()}`,
        sql`select store_id, order_id, quantity, total_price from order_items where ${ordersOf('order_id')}`,
      ),
  },
  {
    name: 'the tax amounts of an order are the sums of its tax lines',
    of: 'order',
    broken: ({ orders }) =>
      unequal(
        sql`
        select store_id, id, included_tax, tax_amount
        from orders
        where ${orders()}
          and json_array_length(tax_lines) > 0`,
        sql`
        select store_id, id, within * amount, (1 - within) * amount
        from (
          select store_id, id, (line ->> 'included')::boolean::int as within, (line ->> 'amount')::numeric as amount
          from (
            select store_id, id, json_array_elements(tax_lines) as line
            from orders
            where ${orders()}) as lines
        ) as amounts`,
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
]
