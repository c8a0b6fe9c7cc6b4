// Requests to payment providers: to capture or release an authorization, to refund, or to end a payment that was asked
// of a customer. They are recorded here and sent after the commit; money/processing/providerrequests.ts subscribes.
import type { Topic } from '../../kit/database/bus.ts'
import type { Tx } from '../../kit/database/database.ts'
import { records, sql, type Sql } from '../../kit/database/sql.ts'
import type { Cause } from '../../kit/values/cause.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import type { Decimal } from '../../kit/values/money.ts'
import { insertEvents, recordRefund } from './paymentevent.ts'

/** The time for sending the request after the commit, before the job takes over. */
export const requestPatienceMs = 60_000

/**
 * `id` is the ID of the refund, or of the payment: one that is held, or one that is asked of a customer. `cause` is the
 * reason for the request.
 */
export type ProviderRequest = { of: 'refund' | 'hold' | 'payment'; storeId: string; id: string; cause: Cause }

export const providerRequested: Topic<ProviderRequest> = { name: 'provider requested' }

/** Published after the commit; a dry run only reports the request. */
function requestAfterCommit(
  tx: Tx,
  request: Omit<ProviderRequest, 'cause'>,
  asks: 'refund' | 'capture' | 'release' | 'cancel',
): void {
  const id = publicId(request.of === 'refund' ? 'ref' : 'pmt', request.id)
  tx.afterCommit(() => tx.bus.publish(providerRequested, { ...request, cause: tx.cause }), { asks, id })
}

/** The columns of a pending request; its ID is that of its event. */
function pending({ now }: Tx, id: Sql): Sql {
  return sql`asked_id = ${id}, asked_at = ${now}, tries = 0, updated_at = ${now},
        ask_at = ${new Date(now.getTime() + requestPatienceMs)}`
}

const hasRequest = sql`payment_sessions.id = event.session_id`

type CaptureRequest = { id: string; session_id: string; amount: string }

/** Reserves the amounts of authorized payments. Returns the number of payments that held so much. */
export async function requestCaptures(tx: Tx, storeId: string, captures: readonly CaptureRequest[]): Promise<number> {
  const holding = tx.rows(sql`
    update payment_sessions
    set capturing_amount = capture.amount, ${pending(tx, sql`capture.id`)}
    from ${records('capture', { id: 'uuid', session_id: 'uuid', amount: 'numeric' }, captures)}
    where payment_sessions.store_id = ${storeId}
      and payment_sessions.id = capture.session_id
      and asked_id is null
      and capturable_amount >= capture.amount
    returning 1`)
  tx.later(
    insertEvents(
      tx.now,
      storeId,
      sql`${hasRequest} and asked_id = event.id`,
      captures.map((capture) => ({ ...capture, kind: 'capture_asked' })),
    ),
  )
  for (const { session_id: id } of captures) requestAfterCommit(tx, { of: 'hold', storeId, id }, 'capture')
  return (await holding).length
}

/**
 * Releases the authorizations of an order that is cancelled or returned. It can have several: that of its checkout, and
 * those of payment links.
 */
export async function releaseAuthorizations(tx: Tx, storeId: string, orderId: string): Promise<void> {
  const holds = await tx.rows<{ session_id: string; amount: string }>(sql`
    select id as session_id, capturable_amount as amount
    from payment_sessions
    where store_id = ${storeId}
      and order_id = ${orderId}
      and capturable_amount > 0
      and asked_id is null
    order by id
    for update`)
  if (holds.length === 0) return
  const requests = holds.map((row) => ({ ...row, id: newUuid(), kind: 'cancel_asked' as const }))
  tx.later(sql`
    update payment_sessions
    set ${pending(tx, sql`request.id`)}
    from ${records('request', { id: 'uuid', session_id: 'uuid' }, requests)}
    where store_id = ${storeId}
      and payment_sessions.id = request.session_id`)
  tx.later(insertEvents(tx.now, storeId, hasRequest, requests))
  for (const { session_id: id } of holds) requestAfterCommit(tx, { of: 'hold', storeId, id }, 'release')
}

/** The provider has answered the request to capture or release. */
export function clearRequest(tx: Tx, storeId: string, id: string): void {
  tx.later(sql`
    update payment_sessions
    set capturing_amount = 0, asked_id = null, asked_at = null, ask_at = null, is_late = false, updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = ${id}`)
}

/** Reserves the amount of a refund on its payment. */
export function requestRefund(
  tx: Tx,
  storeId: string,
  paymentId: string,
  { id, amount }: { id: string; amount: Decimal },
): void {
  recordRefund(tx, storeId, paymentId, { refunding: amount }, [{ kind: 'refund_asked', amount, key: `${id} asked` }])
  requestAfterCommit(tx, { of: 'refund', storeId, id }, 'refund')
}

/** Flags payments with refunds that no provider has answered for long. */
export function flagUnanswered(tx: Tx, storeId: string, ids: readonly (string | null)[]): void {
  tx.later(sql`
    update payment_sessions
    set needs_review = true, trouble = 'unanswered', updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
}

/**
 * Ends payments that were asked of the customer: the amount has changed, or the order has ended. The provider is asked
 * after the commit. Money that comes nevertheless counts for the order, or goes back if the order has ended.
 */
export async function endPaymentRequests(tx: Tx, storeId: string, orderId: string): Promise<void> {
  const requests = await tx.rows<{ id: string }>(sql`
    update payment_sessions
    set trouble = 'replaced', look_at = ${tx.now}, updated_at = ${tx.now}
    where store_id = ${storeId}
      and order_id = ${orderId}
      and checkout_id is null
      and provider <> 'manual'
      and trouble is null
      and status in ('pending', 'requires_action', 'processing')
    returning id`)
  for (const { id } of requests) requestAfterCommit(tx, { of: 'payment', storeId, id }, 'cancel')
}
