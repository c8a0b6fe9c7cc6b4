import { sql, type Sql } from '../../../kit/database/sql.ts'
import { unequal, type LedgerRule } from '../../../tenancy/tables/rule.ts'

export const refundRules: readonly LedgerRule[] = [
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
        select store_id, order_id, case when status = 'pending' then amount else 0 end,
          case when status = 'failed' then 0 else shipping end
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
            select store_id, refund_id, item_id, quantity, returned from refund_items
            where ${ordersOf('order_id')} and part = -1`,
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
