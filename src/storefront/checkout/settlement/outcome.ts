// The state of a payment, and its meaning for the shopper.
import type { Db, StoreDatabase, Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { runPipelined } from '../../../kit/database/pipelined.ts'
import { jsonObject, type Row } from '../../../kit/declare/row.ts'
import { hasEnded, hasMoney, applyState } from '../../../money/processing/states.ts'
import type { PaymentProblem } from '../../../commerce/payments/payment.ts'
import type { PaymentState } from '../../../commerce/payments/provider.ts'
import { findSession, type SessionWithSettings, type PaymentSession } from '../../../commerce/payments/session.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { checkout, type CheckoutRow } from '../checkout.ts'
import { mailFailedPayment } from './mail.ts'
import { orderRow, toOrderSummary, type OrderSummary } from '../cart/view.ts'

export type Settlement =
  | { outcome: 'placed'; order: OrderSummary }
  /** Not paid, or unknown. `isKnown`: the provider has answered; `next`: the payment page. */
  | { outcome: 'waiting'; isKnown: boolean; next: string | null }
  | { outcome: 'unpaid' }
  /** Money was captured and no order could be placed. `isBack`: it was already refunded. */
  | { outcome: 'returned'; trouble: PaymentProblem; isBack: boolean }

export type PaymentRecord = SessionWithSettings & {
  order: OrderSummary | null
  checkout: CheckoutRow | null
  is_heard: boolean
}

/** Finds it with order and checkout in one round trip. `is_heard`: this webhook event was already applied. */
export async function findPayment(
  db: StoreDatabase,
  store: Store,
  id: string,
  webhookEvent = '',
): Promise<PaymentRecord | undefined> {
  const orderColumns = jsonObject({ table: 'orders', fields: {} }, orderRow.names)
  const [row, checkout] = await runPipelined(db, (tx) =>
    Promise.all([
      findSession<{ placed: Row<typeof orderRow> | null; is_heard: boolean }>(
        tx,
        store.id,
        sql`payment_sessions.id = ${id}`,
        {
          more: sql`case when orders.id is not null then ${orderColumns} end as placed,
          exists (
            select from payment_events
            where payment_events.store_id = ${store.id}
              and payment_events.provider = payment_sessions.provider
              and key = ${webhookEvent}) as is_heard`,
          join: sql`left join orders on orders.store_id = payment_sessions.store_id
          and orders.id = payment_sessions.order_id`,
        },
      ),
      findPaymentCheckout(tx, store, id),
    ]),
  )
  return row && { ...row, order: row.placed && toOrderSummary(row.placed), checkout: checkout ?? null }
}

/** Finds the checkout of a payment that has no order yet. */
function findPaymentCheckout(db: Db, store: Store, id: string): Promise<CheckoutRow | undefined> {
  return db.one<CheckoutRow>(sql`
    select ${checkout.row.columns}
    from checkouts
    where store_id = ${store.id}
      and id = (
        select checkout_id from payment_sessions
        where store_id = ${store.id}
          and id = ${id}
          and order_id is null)`)
}

/** Derives the outcome from the stored state alone. */
export function deriveSettlement(session: PaymentSession, order: OrderSummary | null): Settlement {
  if (order) return { outcome: 'placed', order }
  const { captured_amount: capturedAmount, refunded_amount: refundedAmount, status, purpose, trouble } = session
  if (purpose === 'order') {
    return hasEnded(status)
      ? { outcome: 'unpaid' }
      : { outcome: 'waiting', isKnown: true, next: getPaymentUrl(session) }
  }
  if (capturedAmount.isZero() && session.authorized_amount.isZero()) return { outcome: 'unpaid' }
  const isBack = refundedAmount.greaterThanOrEqualTo(capturedAmount) && status !== 'authorized'
  return { outcome: 'returned', trouble: trouble!, isBack }
}

/** The payment page, which is closed while the provider processes the payment. */
export function getPaymentUrl({ status, redirect_url }: PaymentSession): string | null {
  return status === 'pending' || status === 'requires_action' ? redirect_url : null
}

const daySeconds = 24 * 60 * 60

/** True if a shopper has not paid for a day, and so will not come back. */
export function isOld({ created_at }: PaymentSession, now: Date, days = 1): boolean {
  return now.getTime() - created_at.getTime() > days * daySeconds * 1000
}

type StateExtras = Parameters<typeof applyState>[4]

/** Applies the state to a locked session. A shopper whose payment failed gets an email with a link back. */
export function applyProviderState<S extends PaymentSession>(
  tx: Tx,
  store: Store,
  session: S,
  state: PaymentState,
  extras: StateExtras = {},
): Promise<S> {
  const hasFailed = hasEnded(state.status) && state.status !== session.status && !hasMoney(state)
  const isOpen = session.purpose === 'order' && (extras.order_id ?? session.order_id) === null
  if (isOpen && (hasFailed || extras.trouble === 'expired')) mailFailedPayment(tx, store, session)
  return applyState(tx, store, session, state, extras)
}
