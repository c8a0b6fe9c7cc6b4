// The part of an order's total that is being captured is set aside before the provider is asked, so that nothing is
// captured twice.
import type { Tx } from '../../kit/database/database.ts'
import { records, sql } from '../../kit/database/sql.ts'
import type { Decimal } from '../../kit/values/money.ts'

type CaptureAmount = { order_id: string; amount: string }

/** Returns the number of orders of which so much was open. */
export async function setAsideCaptures(tx: Tx, storeId: string, captures: readonly CaptureAmount[]): Promise<number> {
  const rows = await tx.rows(sql`
    update orders
    set capturing_amount = capturing_amount + capture.amount
    from ${records('capture', { order_id: 'uuid', amount: 'numeric' }, captures)}
    where orders.store_id = ${storeId}
      and orders.id = capture.order_id
      and total + refunded_overpayment - captured_amount - capturing_amount >= capture.amount
    returning 1`)
  return rows.length
}

/** The capture has failed, or its amount is counted as captured. */
export function releaseCapture(tx: Tx, storeId: string, orderId: string | null, amount: Decimal): void {
  tx.later(sql`
    update orders
    set capturing_amount = capturing_amount - ${amount}
    where store_id = ${storeId}
      and id = ${orderId}`)
}
