// What a customer can be asked to pay of an order.
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { notFound } from '../../../kit/values/errors.ts'
import { Decimal, withDecimals } from '../../../kit/values/money.ts'
import { order } from '../../../commerce/orders/order.ts'

/** Less than amount_due of the order where a payment is authorized and not captured yet. */
export async function findDue(db: Db, storeId: string, orderId: string): Promise<Decimal> {
  const row = await db.one<{ due: Decimal }>(sql`
    select case
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
  return withDecimals(row, ['due']).due
}
