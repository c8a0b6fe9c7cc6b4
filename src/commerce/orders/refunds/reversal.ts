// Reverses refunds that had succeeded and failed later at the provider, e.g. because the card was closed. The money is
// with the merchant again.
import type { Tx } from '../../../kit/database/database.ts'
import { records, sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { Decimal, sum } from '../../../kit/values/money.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { recordRefund } from '../../payments/paymentevent.ts'
import { moveMoney } from '../operations.ts'
import { takeRefundedAgain } from '../restocking.ts'
import { releaseItems } from './outcome.ts'

type ReversedRefund = { id: string; amount: string; shipping: string; overpayment: string; failure_reason: string }

/** Returns the reversed amount. The payment is locked; `key` is the public ID of a refund. */
export async function reverseRefunds(
  tx: Tx,
  store: Store,
  payment: { id: string; order_id: string },
  failures: readonly { key: string | null; reason: string | null }[],
): Promise<Decimal> {
  const rows = failures.flatMap(({ key, reason }) => {
    const id = key === null ? null : toUuid('ref', key)
    return id ? [{ id, reason: reason?.slice(0, 255) ?? null }] : []
  })
  if (rows.length === 0) return new Decimal(0)
  tx.later(sql`select from orders where store_id = ${store.id} and id = ${payment.order_id} for update`)
  const refunds = await tx.rows<ReversedRefund>(sql`
    update refunds
    set status = 'failed', failure_reason = failed.reason, succeeded_at = null, updated_at = ${tx.now}
    from ${records('failed', { id: 'uuid', reason: 'text' }, rows)}
    where refunds.store_id = ${store.id}
      and refunds.session_id = ${payment.id}
      and refunds.id = failed.id
      and refunds.status = 'succeeded'
    returning refunds.id, amount, shipping, overpayment, failure_reason`)
  if (refunds.length === 0) return new Decimal(0)
  const amount = sum(refunds.map((refund) => refund.amount))
  const events = refunds.map(({ id, amount, failure_reason: reason }) => {
    return { kind: 'refund_reversed', amount, key: `${id} refund_reversed`, reason } as const
  })
  recordRefund(tx, store.id, payment.id, { refunded: amount.negated() }, events)
  tx.later(sql`
    update orders
    set refunded_shipping = refunded_shipping - ${sum(refunds.map(({ shipping }) => shipping))}
    where store_id = ${store.id}
      and id = ${payment.order_id}`)
  const ids = refunds.map(({ id }) => id)
  await releaseItems(tx, store.id, payment.order_id, ids)
  await takeRefundedAgain(tx, store.id, payment.order_id, ids)
  await moveMoney(tx, store, payment.order_id, {
    captured: new Decimal(0),
    refunded: amount.negated(),
    overpayment: sum(refunds.map(({ overpayment }) => overpayment)).negated(),
  })
  return amount
}
