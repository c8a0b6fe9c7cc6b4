import { sql } from '../../kit/database/sql.ts'
import { unequal, type LedgerRule } from '../../tenancy/tables/rule.ts'

export const paymentRules: readonly LedgerRule[] = [
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
          case when kind = 'captured' then amount else 0 end,
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
