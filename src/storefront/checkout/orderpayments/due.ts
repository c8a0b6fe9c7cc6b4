// The amount that a customer can be asked to pay for an order.
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { notFound } from '../../../kit/values/errors.ts'
import { Decimal, toNumber, withDecimals } from '../../../kit/values/money.ts'
import { order } from '../../../commerce/orders/order.ts'

/** Less than the order's amount_due if a payment is authorized but not captured yet. */
export async function findDue(db: Db, storeId: string, orderId: string): Promise<Decimal> {
  return (await findBalance(db, storeId, orderId)).due
}

export async function findBalance(db: Db, storeId: string, orderId: string): Promise<{ total: Decimal; due: Decimal }> {
  const row = await db.one<{ total: Decimal; due: Decimal }>(sql`
    select orders.total, case
        when orders.status in ('cancelled', 'returned') or orders.payment_status = 'refunded' then 0
        else greatest(0, orders.total + orders.refunded_overpayment - orders.captured_amount - coalesce((
          select sum(capturable_amount)
          from payment_sessions
          where payment_sessions.store_id = ${storeId}
            and payment_sessions.order_id = ${orderId}), 0))
      end as due
    from orders
    where orders.store_id = ${storeId}
      and orders.id = ${orderId}`)
  if (!row) throw notFound(order.noun)
  return withDecimals(row, ['total', 'due'])
}

/** Rows below the total of a partly paid order; empty if nothing or everything is paid. */
export function buildBalanceRows({
  total,
  amount_due: due,
}: {
  total: number
  amount_due: number
}): { name: 'paid' | 'to_pay'; amount: number }[] {
  if (due <= 0 || due >= total) return []
  const paidAmount = toNumber(new Decimal(total).minus(due))
  return [
    { name: 'paid', amount: paidAmount },
    { name: 'to_pay', amount: due },
  ]
}
