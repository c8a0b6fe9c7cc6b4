// Rules that money and stock of every store obey after each commit. The API checks a part of one store, `stoa doctor`
// checks everything.
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { LedgerScope } from './scope.ts'
import { unequal } from './unequal.ts'

/** `of`: the kind of record; `broken` selects store_id and, as `wrong`, the id of each record that breaks the rule. */
export type LedgerRule = { name: string; of: LedgerRecord; broken: (scope: LedgerScope) => Sql }

export const ledgerRecords = ['order', 'item', 'payment', 'product', 'variant'] as const
export type LedgerRecord = (typeof ledgerRecords)[number]

const totals: LedgerRule[] = [
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
]

const payments: LedgerRule[] = [
  {
    name: 'the amounts of a payment are the sums of its events',
    of: 'payment',
    broken: ({ ordersOf, paymentsOf }) =>
      unequal(
        sql`
        select store_id, id, captured_amount, refunded_amount
        from payment_sessions
        where ${ordersOf('order_id')}`,
        sql`
        select store_id, session_id,
          case kind when 'captured' then amount else 0 end,
          case when kind in ('refunded', 'dispute_lost') then amount
               when kind in ('refund_reversed', 'dispute_reversed') then - amount
               else 0 end
        from payment_events
        where ${paymentsOf('session_id')}`,
      ),
  },
  {
    name: 'the captured and refunded amounts of an order are the sums of its payments',
    of: 'order',
    broken: ({ orders, ordersOf }) =>
      unequal(
        sql`select store_id, id, captured_amount, refunded_amount from orders where ${orders()}`,
        sql`
        select store_id, order_id, captured_amount, refunded_amount
        from payment_sessions
        where ${ordersOf('order_id')}`,
      ),
  },
  {
    name: 'a paid order is fully captured, and a refunded order is fully refunded',
    of: 'order',
    broken: ({ orders }) => sql`
      select store_id, id::text as wrong
      from orders
      where ${orders()}
        and (payment_status = 'paid' and captured_amount - refunded_overpayment < total
          or payment_status = 'refunded' and refunded_amount < captured_amount)`,
  },
  {
    name: 'no captured payment is kept without an order',
    of: 'payment',
    broken: ({ storeOf }) => sql`
      select store_id, id::text as wrong
      from payment_sessions
      where ${storeOf()}
        and order_id is null
        and captured_amount > refunded_amount
        and look_at is null`,
  },
]

const questions: LedgerRule[] = [
  {
    name: 'the pending capture of an order is the sum of the pending captures of its payments',
    of: 'order',
    broken: ({ orders, ordersOf }) =>
      unequal(
        sql`select store_id, id, capturing_amount, 0 from orders where ${orders()}`,
        sql`select store_id, order_id, capturing_amount, 0 from payment_sessions where ${ordersOf('order_id')}`,
      ),
  },
  {
    name: 'no refund or capture waits for its provider longer than a day',
    of: 'payment',
    broken: ({ ordersOf }) => sql`
      select store_id, id::text as wrong
      from payment_sessions
      where ${ordersOf('order_id')}
        and is_late
      union
      select store_id, session_id::text
      from refunds
      where ${ordersOf('order_id')}
        and status = 'pending'
        and is_late`,
  },
]

const refunds: LedgerRule[] = [
  {
    name: 'refunds do not exceed the captured amount',
    of: 'order',
    broken: ({ orders }) => sql`
      select store_id, id::text as wrong
      from orders
      where ${orders()}
        and refunded_amount + refunding_amount > captured_amount`,
  },
  {
    name: 'the pending refund amount is the sum of the pending refunds',
    of: 'order',
    broken: ({ orders, ordersOf }) =>
      unequal(
        sql`select store_id, id, refunding_amount, refunded_shipping from orders where ${orders()}`,
        sql`
        select store_id, order_id, case status when 'pending' then amount else 0 end,
          case status when 'failed' then 0 else shipping end
        from refunds
        where ${ordersOf('order_id')}`,
      ),
  },
  {
    name: 'the pending overpayment of an order is that of its pending refunds',
    of: 'order',
    broken: ({ orders, ordersOf }) =>
      unequal(
        sql`select store_id, id, refunding_overpayment, 0 from orders where ${orders()}`,
        sql`
        select store_id, order_id, overpayment, 0 from refunds where ${ordersOf('order_id')} and status = 'pending'`,
      ),
  },
  {
    name: 'the refunded overpayment of an order is at least that of its refunds',
    of: 'order',
    broken: ({ orders, ordersOf }) => sql`
      select store_id, id::text as wrong
      from (
        select store_id, id, refunded_overpayment as amount from orders where ${orders()}
        union all
        select store_id, order_id, - overpayment
        from refunds
        where ${ordersOf('order_id')}
          and status = 'succeeded'
      ) as both_sides
      group by store_id, id
      having sum(amount) < 0`,
  },
  {
    name: 'the refunded amount of an order is at least the sum of its refunds',
    of: 'order',
    broken: ({ orders, ordersOf }) => sql`
      select store_id, id::text as wrong
      from (
        select store_id, id, refunded_amount as amount from orders where ${orders()}
        union all
        select store_id, order_id, - amount from refunds where ${ordersOf('order_id')} and status = 'succeeded'
      ) as both_sides
      group by store_id, id
      having sum(amount) < 0`,
  },
  {
    name: 'the refunded quantity of an item is the sum of its refunds and at most the quantity sold',
    of: 'item',
    broken: ({ ordersOf }) =>
      unequal(
        sql`
        select store_id, id, refunded_quantity, returned_quantity + greatest(refunded_quantity - quantity, 0)
        from order_items
        where ${ordersOf('order_id')}`,
        buildPieceSums({
          whole: sql`select store_id, id, status = 'failed' from refunds where ${ordersOf('order_id')}`,
          parts: sql`
            select store_id, refund_id, item_id, quantity, returned from refund_items where ${ordersOf('order_id')}`,
        }),
      ),
  },
  {
    name: 'the fulfilled quantity of an item is the sum of its fulfillments and at most the quantity sold',
    of: 'item',
    broken: ({ ordersOf }) =>
      unequal(
        sql`
        select store_id, id, fulfilled_quantity, greatest(fulfilled_quantity - quantity, 0)
        from order_items
        where ${ordersOf('order_id')}`,
        buildPieceSums({
          whole: sql`
            select store_id, id, cancelled_at is not null from fulfillments where ${ordersOf('order_id')}`,
          parts: sql`
            select store_id, fulfillment_id, item_id, quantity, 0 from fulfillment_items
            where ${ordersOf('order_id')}`,
        }),
      ),
  },
]

/** Sums quantities by item, without cancelled wholes. A window replaces a join. */
function buildPieceSums({ whole, parts }: { whole: Sql; parts: Sql }): Sql {
  return sql`
        select store_id, item_id, quantity, amount
        from (
          select store_id, item_id, quantity, amount,
            bool_or(is_void) over (partition by store_id, whole_id) as is_void
          from (
            select store_id, whole_id, is_void, null::uuid as item_id, 0 as quantity, 0 as amount
            from (${whole}) as wholes (store_id, whole_id, is_void)
            union all
            select store_id, whole_id, false, item_id, quantity, amount
            from (${parts}) as parts (store_id, whole_id, item_id, quantity, amount)
          ) as both_kinds
        ) as pieces
        where item_id is not null
          and not is_void`
}

const stock: LedgerRule[] = [
  {
    name: 'the stock of a product is the sum of its inventory transactions',
    of: 'product',
    broken: ({ productsOf }) =>
      unequal(
        sql`select store_id, id, 0, stock_quantity from products where ${productsOf('id')}`,
        sql`select store_id, product_id, 0, quantity from inventory_transactions where ${productsOf('product_id')}`,
      ),
  },
  {
    name: 'the stock of a variant is the sum of its inventory transactions',
    of: 'variant',
    broken: ({ productsOf }) =>
      unequal(
        sql`select store_id, id, 0, stock_quantity from variants where ${productsOf('product_id')}`,
        sql`
        select store_id, variant_id, 0, quantity
        from inventory_transactions
        where ${productsOf('product_id')}
          and variant_id is not null`,
      ),
  },
  {
    name: 'the variant count and stock of a product match its variants',
    of: 'product',
    broken: ({ productsOf }) =>
      unequal(
        sql`
        select store_id, id, variant_count, case when variant_count > 0 then stock_quantity else 0 end
        from products
        where ${productsOf('id')}`,
        sql`select store_id, product_id, 1, stock_quantity from variants where ${productsOf('product_id')}`,
      ),
  },
]

export const ledgerRules: readonly LedgerRule[] = [...totals, ...payments, ...questions, ...refunds, ...stock]
