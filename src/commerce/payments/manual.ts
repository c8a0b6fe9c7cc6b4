// Payments that a merchant records by hand, so that the amounts of an order remain sums of its payments.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'
import type { Decimal } from '../../kit/values/money.ts'
import { insertEvents } from './paymentevent.ts'

export type PaidOrder = { id: string; total: Decimal.Value; currency: string; payment_method: string | null }

export type MovedMoney = { captured: Decimal; refunded: Decimal }

/** Creates or continues the order's manual payment, with an event for each change. */
export function recordManualPayment(
  tx: Tx,
  storeId: string,
  { id, total, currency, payment_method: method }: PaidOrder,
  { captured, refunded }: MovedMoney,
): void {
  const amounts = [
    { kind: 'captured', amount: captured },
    { kind: 'refunded', amount: refunded },
  ] as const
  const events = amounts.filter(({ amount }) => !amount.isZero())
  if (events.length === 0) return
  tx.later(sql`
    insert into payment_sessions (store_id, id, order_id, method, provider, status, purpose, amount, currency,
      captured_amount, refunded_amount, created_at, updated_at)
    values (${storeId}, ${newUuid()}, ${id}, ${method}, 'manual', 'captured', 'order', ${total}, ${currency},
      ${captured}, ${refunded}, ${tx.now}, ${tx.now})
    on conflict (store_id, order_id) where provider = 'manual' do update
    set captured_amount = payment_sessions.captured_amount + excluded.captured_amount,
        refunded_amount = payment_sessions.refunded_amount + excluded.refunded_amount,
        updated_at = excluded.updated_at`)
  tx.later(insertEvents(tx.now, storeId, sql`order_id = ${id} and payment_sessions.provider = 'manual'`, events))
}
