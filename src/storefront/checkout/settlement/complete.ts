// Turns a checkout into an order, once: concurrent and repeated requests get the same order. A remote payment comes
// first.
import type { Tx } from '../../../kit/database/database.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import { publicId, toUuid } from '../../../kit/values/ids.ts'
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import { assignments } from '../../../kit/declare/resource.ts'
import { pick } from '../../../kit/declare/row.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import { sql } from '../../../kit/database/sql.ts'
import { nameCodeFaults } from '../../../commerce/discounts/codes.ts'
import { decideImmediatePayment, insertImmediatePayment } from '../../../commerce/payments/immediatepayments.ts'
import type { BillingDetails } from '../../../commerce/payments/provider.ts'
import { remoteProvider } from '../../../commerce/payments/providercalls.ts'
import {
  findOpenSession,
  findReturnedSession,
  openSession,
  type SessionWithSettings,
} from '../../../commerce/payments/session.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { listCartChanges } from '../cart/changes.ts'
import {
  checkout,
  pickChanges,
  type CheckoutRow,
  type CheckoutDeps,
  type CompletionInput,
  type WithQuotes,
} from '../checkout.ts'
import { applyInput, findRow, isPriced, orderSummary } from '../cart/operations.ts'
import { findOffer } from '../offers/offer.ts'
import { lastSeen } from '../cart/lastseen.ts'
import { placeOrder, quoteOrder, readOrder, type OrderPayment, type QuotedOrder } from './place.ts'
import type { Quote } from '../cart/quote.ts'
import { hostedReturn } from './returnlink.ts'
import { orderRow, type OrderSummary } from '../cart/view.ts'
import { checkoutFaults } from '../errors.ts'

type CheckoutPayment = { method: string | null; instructions: string | null }

export type PlacedCheckout = { order: OrderSummary; payment: CheckoutPayment }

/** The payment that pay.ts starts after the commit. `faults` reject the order unless it has been paid. */
export type UnpaidCheckout = {
  order: null
  payment: CheckoutPayment
  session: SessionWithSettings
  billing: BillingDetails | undefined
  replaced: string | null
  faults: readonly Fault[]
}

export async function completeCheckout(
  tx: Tx,
  store: Store,
  token: string,
  input: CompletionInput,
  { quotes, ...deps }: CheckoutDeps & WithQuotes,
  actor: Actor,
): Promise<PlacedCheckout | UnpaidCheckout> {
  const offer = findOffer(tx, store)
  const { total, pay, return_url, ...last } = input
  const lastRow = lastSeen(token)
  const expectedRow = lastRow && applyInput(lastRow, last, store, tx.now)
  const locking = findRow(tx, store, token, { locked: true })
  // Pipelined behind the lock, so that it reads once the row is held.
  const ahead = expectedRow && readOrder(tx, store, expectedRow, last)
  // Concurrent requests wait here and then find the order.
  const before = await locking
  if (before.order_id) return alreadyCompleted(tx, store, before, offer)

  const row = applyInput({ ...before, ...(quotes ? { shipping_quotes: quotes } : {}) }, last, store, tx.now)
  const ready = await quoteOrder(tx, store, { before, row, input: last }, offer, deps, ahead)
  const priceFaults = listPriceFaults(before, ready.quote, {
    agreedTotal: new Decimal(total ?? before.total),
    sameCart: !isPriced(last),
  })
  const faults = [...nameCodeFaults(ready.faults, last), ...priceFaults, ...belowMinimum(ready.quote, store)]
  return placeOrAskForPayment(tx, store, { before, ready, faults }, { pay, return_url }, { deps, actor })
}

type ReadyCheckout = { before: CheckoutRow; ready: QuotedOrder; faults: Fault[] }

/** Places the order, or opens the payment that it needs first. */
export async function placeOrAskForPayment(
  tx: Tx,
  store: Store,
  { before, ready, faults }: ReadyCheckout,
  { pay, return_url }: Pick<CompletionInput, 'pay' | 'return_url'>,
  { deps, actor }: { deps: CheckoutDeps; actor: Actor },
): Promise<PlacedCheckout | UnpaidCheckout> {
  const payment = toCheckoutPayment(ready.quote)
  const earlier = before.has_payments ? await findEarlier(tx, store.id, before.id, faults) : null
  const billing = toBillingDetails(ready)
  if (earlier) return { order: null, payment, session: earlier, billing, replaced: null, faults }
  if (faults.length > 0) throw invalid(...faults)
  if (needsProvider(ready.quote)) {
    return { order: null, payment, faults, billing, ...(await askForPayment(tx, store, ready, return_url, deps)) }
  }
  const orderPayment = decideOrderPayment(tx, store, ready, pay)
  const order = await placeOrder(tx, store, ready, orderPayment, actor)
  return { order: pick(order, orderRow.names as (keyof OrderSummary)[]), payment }
}

/** The address of a draft order is that of its order. */
function toBillingDetails({ row, draft }: QuotedOrder): BillingDetails | undefined {
  const address = draft ? draft.draft.billing_address : row.billing_address
  return address ? { ...address, email: row.customer_email, name: address.name ?? row.customer_name } : undefined
}

export async function alreadyCompleted(
  tx: Tx,
  store: Store,
  row: CheckoutRow,
  offer: ReturnType<typeof findOffer>,
): Promise<PlacedCheckout> {
  const [order, { payment_methods: methods }] = await Promise.all([orderSummary(tx, store, row.order_id!), offer])
  const method = methods.find(({ code }) => code === row.payment_method) ?? null
  return { order: order!, payment: toCheckoutPayment({ method }) }
}

function toCheckoutPayment({ method }: Pick<Quote, 'method'>): CheckoutPayment {
  return { method: method?.code ?? null, instructions: method?.instructions ?? null }
}

/** Nobody pays more than they were shown. */
function listPriceFaults(
  before: CheckoutRow,
  quote: Quote,
  { agreedTotal, sameCart }: { agreedTotal: Decimal; sameCart: boolean },
): Fault[] {
  if (quote.faults.length > 0 || quote.total.lessThanOrEqualTo(agreedTotal)) return []
  const changes = listCartChanges(before, quote, { sameCart })
  return changes.length > 0 ? changes : [fault('total', checkoutFaults.total_is, { to: toNumber(quote.total) })]
}

/**
 * A rejected checkout may have been paid before. Its refund is reported with every rejection, and once without one,
 * since otherwise a shopper who has just paid would be sent to pay again.
 */
async function findEarlier(tx: Tx, storeId: string, id: string, faults: Fault[]): Promise<SessionWithSettings | null> {
  const isRefused = faults.length > 0
  const open = await findOpenSession(tx, storeId, id)
  if (open?.reference) return isRefused ? open : null
  return (await findReturnedSession(tx, storeId, id, { isUnshown: !isRefused })) ?? null
}

/** Providers reject smaller amounts, but only after the shopper has left for them. */
export function belowMinimum({ method, total }: Quote, { currency }: Store): Fault[] {
  const minimum = (method && remoteProvider(method.provider)?.minimums?.[currency]) ?? 0
  return total.isZero() || total.greaterThanOrEqualTo(minimum)
    ? []
    : [fault('payment_method', checkoutFaults.below_minimum, { price: minimum, currency })]
}

/** A free order needs no provider. */
function needsProvider({ method, total }: Quote): boolean {
  return method !== null && remoteProvider(method.provider) !== null && !total.isZero()
}

/** Saves the checkout as agreed, and opens a session for its total. */
async function askForPayment(
  tx: Tx,
  store: Store,
  { before, row, quote, hash }: QuotedOrder,
  returnUrl: CompletionInput['return_url'],
  deps: CheckoutDeps,
): Promise<Pick<UnpaidCheckout, 'session' | 'replaced'>> {
  const { id, has_payments: hasBefore } = row
  tx.later(sql`
    update checkouts
    set ${assignments(checkout, pickChanges(before, { ...row, has_payments: true }), hash)}
    where store_id = ${store.id}
      and id = ${id}`)
  return openSession(tx, store.id, {
    checkoutId: id,
    hasBefore,
    method: quote.method!,
    amount: quote.total,
    currency: store.currency,
    returnUrl:
      typeof returnUrl === 'function' ? returnUrl : (session) => returnUrl ?? hostedReturn(deps, store, session),
  })
}

/** A manual payment is confirmed by the merchant later. */
function decideOrderPayment(
  tx: Tx,
  store: Store,
  { row, quote }: QuotedOrder,
  pay: CompletionInput['pay'],
): OrderPayment {
  const isFree = quote.method !== null && remoteProvider(quote.method.provider) !== null
  const payment = decideImmediatePayment(quote, { checkoutId: publicId('chk', row.id), ...(pay ? { pay } : {}) })
  if (!payment) return { status: isFree ? 'paid' : 'pending', captured: new Decimal(0) }
  return {
    status: 'paid',
    captured: quote.total,
    record: ({ id, currency }) =>
      insertImmediatePayment(tx, store, {
        ...payment,
        orderId: toUuid('ord', id)!,
        checkoutId: row.id,
        amount: quote.total,
        currency,
      }),
  }
}
