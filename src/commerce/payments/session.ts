// The row of a payment: opened with a checkout, and checked with its provider until nothing is open.
import type { Db, Tx } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { withDecimals, type Decimal } from '../../kit/values/money.ts'
import { endPaymentRequests } from './requests.ts'
import type { ProviderName } from './providers.ts'
import type { ProviderStatus } from './provider.ts'
import type { ProviderSettings } from './settings.ts'
import type { PaymentProblem } from './payment.ts'

export type PaymentSession = {
  id: string
  checkout_id: string | null
  order_id: string | null
  method_id: string | null
  method: string | null
  provider: ProviderName
  reference: string | null
  return_url: string | null
  redirect_url: string | null
  status: ProviderStatus
  purpose: 'order' | 'return'
  amount: Decimal
  currency: string
  authorized_amount: Decimal
  captured_amount: Decimal
  /** The rest of the authorization, as the provider last reported. */
  capturable_amount: Decimal
  /** A requested capture that the provider has not confirmed. */
  capturing_amount: Decimal
  refunded_amount: Decimal
  /** The part of refunded_amount that was lost in disputes. */
  lost_amount: Decimal
  /** Requested refunds that the provider has not confirmed. */
  refunding_amount: Decimal
  /** The event that requests a capture or a release; null: none is pending. */
  asked_id: string | null
  trouble: PaymentProblem | null
  look_at: Date | null
  /** Null: nothing is captured yet, or it was captured months ago. */
  recheck_at: Date | null
  created_at: Date
}

/** Includes the settings for calls to its provider. */
export type SessionWithSettings = PaymentSession & { settings: ProviderSettings; secrets: string | null }

// prettier-ignore
const names = [
  'id', 'checkout_id', 'order_id', 'method_id', 'method', 'provider', 'reference', 'return_url', 'redirect_url',
  'status', 'purpose', 'amount', 'currency', 'authorized_amount', 'captured_amount', 'refunded_amount',
  'lost_amount', 'refunding_amount', 'capturable_amount', 'capturing_amount', 'asked_id', 'trouble', 'look_at',
  'recheck_at', 'created_at',
]
const columns = raw(names.map((name) => `payment_sessions.${name}`).join(', '))

/** The job checks a new session after this time. */
const quietSeconds = 120

/** Finds the session that `where` names; `more` adds columns. */
export async function findSession<T = {}>(
  db: Db,
  storeId: string,
  where: Sql,
  { more = sql`null as more`, join = sql`` }: { more?: Sql; join?: Sql } = {},
): Promise<(SessionWithSettings & T) | undefined> {
  const row = await db.one<SessionWithSettings & T>(sql`
    select ${columns}, coalesce(payment_methods.settings, '{}') as settings, payment_methods.secrets, ${more}
    from payment_sessions
    left join payment_methods on payment_methods.store_id = payment_sessions.store_id
      and payment_methods.id = payment_sessions.method_id
    ${join}
    where payment_sessions.store_id = ${storeId}
      and ${where}`)
  return row && withDecimals(row, amounts)
}

export function findOpenSession(db: Db, storeId: string, checkoutId: string): Promise<SessionWithSettings | undefined> {
  return findSession(db, storeId, sql`payment_sessions.checkout_id = ${checkoutId} and ${isOpen}`)
}

/** Finds the last payment of a checkout that has no order and is refunded. */
export function findReturnedSession(
  db: Db,
  storeId: string,
  checkoutId: string,
  { isUnshown }: { isUnshown: boolean },
): Promise<SessionWithSettings | undefined> {
  return findSession(
    db,
    storeId,
    sql`payment_sessions.id = (
      select id from payment_sessions
      where store_id = ${storeId}
        and checkout_id = ${checkoutId}
        and purpose = 'return'
        and order_id is null
        and (authorized_amount > 0 or captured_amount > 0)
        and not (${isUnshown} and return_shown)
      order by created_at desc
      limit 1)`,
  )
}

/** Notes that the shopper was told of the refund. */
export function markReturnShown(tx: Tx, storeId: string, id: string): void {
  tx.later(sql`
    update payment_sessions
    set return_shown = true
    where store_id = ${storeId}
      and id = ${id}
      and not return_shown`)
}

/** Stores what the provider has created: its ID of the payment, and where to pay. */
export function setPaymentPage(
  tx: Tx,
  storeId: string,
  id: string,
  reference: string,
  redirectUrl: string | null,
): void {
  tx.later(sql`
    update payment_sessions
    set reference = ${reference}, redirect_url = ${redirectUrl}, status = 'requires_action', updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = ${id}
      and reference is null`)
}

/** A checkout has one open session at most: money that it captures places the order. */
const isOpen = raw(`purpose = 'order' and order_id is null and status not in ('failed', 'cancelled', 'expired')`)

/** Locks the session until the transaction ends. */
export async function lockSession(tx: Tx, storeId: string, id: string): Promise<PaymentSession | undefined> {
  const row = await tx.one<PaymentSession>(sql`
    select ${columns}
    from payment_sessions
    where store_id = ${storeId}
      and id = ${id}
    for update`)
  return row && withDecimals(row, amounts)
}

/** True if nobody wrote to the session in between. Only then is the fetched state newer. */
export function isUnchanged(before: PaymentSession, now: PaymentSession): boolean {
  const words = ['status', 'purpose', 'order_id', 'asked_id', 'trouble'] as const
  return words.every((name) => before[name] === now[name]) && amounts.every((name) => before[name].equals(now[name]))
}

// prettier-ignore
const amounts = [
  'amount', 'authorized_amount', 'capturable_amount', 'capturing_amount', 'captured_amount', 'refunded_amount',
  'refunding_amount', 'lost_amount',
] as const

type SessionInput = {
  method: { id: string | null; code: string; provider: ProviderName }
  amount: Decimal
  currency: string
  returnUrl: (id: string) => string
}

/**
 * Opens the session for this amount and method, or returns the open one; the checkout's row is locked. A session with
 * another amount or method is replaced, and money that it still captures is refunded.
 */
export async function openSession(
  tx: Tx,
  storeId: string,
  { hasBefore, checkoutId, ...input }: SessionInput & { checkoutId: string; hasBefore: boolean },
): Promise<{ session: SessionWithSettings; replaced: string | null }> {
  const existing = hasBefore ? await findOpenSession(tx, storeId, checkoutId) : undefined
  if (existing && isFor(existing, input)) return { session: existing, replaced: null }
  if (existing) tx.later(replaceSessions(storeId, checkoutId, tx.now))
  const session = await insertSession(tx, storeId, { checkout_id: checkoutId, order_id: null }, input)
  return { session, replaced: existing?.id ?? null }
}

async function insertSession(
  tx: Tx,
  storeId: string,
  { checkout_id, order_id }: Pick<PaymentSession, 'checkout_id' | 'order_id'>,
  { method, amount, currency, returnUrl }: SessionInput,
): Promise<SessionWithSettings> {
  const id = newUuid()
  const lookAt = new Date(tx.now.getTime() + quietSeconds * 1000)
  tx.later(sql`
    insert into payment_sessions (store_id, id, checkout_id, order_id, method_id, method, provider, return_url, status,
      purpose, amount, currency, look_at, created_at, updated_at)
    values (${storeId}, ${id}, ${checkout_id}, ${order_id}, ${method.id}, ${method.code}, ${method.provider},
      ${returnUrl(id)}, 'pending', 'order', ${amount}, ${currency}, ${lookAt}, ${tx.now}, ${tx.now})`)
  return (await findSession(tx, storeId, sql`payment_sessions.id = ${id}`))!
}

/** A payment requested from the customer of an order that is still open. */
const isAskedOfOrder = raw(`payment_sessions.checkout_id is null
      and payment_sessions.provider <> 'manual'
      and payment_sessions.trouble is null
      and payment_sessions.status in ('pending', 'requires_action', 'processing')`)

export function findOrderSession(db: Db, storeId: string, orderId: string): Promise<SessionWithSettings | undefined> {
  return findSession(db, storeId, sql`payment_sessions.order_id = ${orderId} and ${isAskedOfOrder}`)
}

/**
 * Opens a session for what is due of an order, or returns the open one; the order's row is locked. One with another
 * amount or method is ended, and money that it still captures counts for the order.
 */
export async function openOrderSession(
  tx: Tx,
  storeId: string,
  { orderId, ...input }: SessionInput & { orderId: string },
): Promise<SessionWithSettings> {
  const existing = await findOrderSession(tx, storeId, orderId)
  if (existing && isFor(existing, input)) return existing
  if (existing) await endPaymentRequests(tx, storeId, orderId)
  return insertSession(tx, storeId, { checkout_id: null, order_id: orderId }, input)
}

function isFor(session: PaymentSession, { method, amount }: SessionInput): boolean {
  return session.method_id === method.id && session.amount.equals(amount)
}

/** Money that the checkout's open sessions still capture is refunded. */
export function replaceSessions(storeId: string, checkoutId: string, now: Date): Sql {
  return sql`
    update payment_sessions
    set purpose = 'return', trouble = 'replaced', look_at = ${now}, updated_at = ${now}
    where store_id = ${storeId}
      and checkout_id = ${checkoutId}
      and ${isOpen}`
}
