// Starts the payment of a committed session at its provider, outside any transaction.
import type { StoreDatabase } from '../../../kit/database/database.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault, type Fault } from '../../../kit/values/faults.ts'
import type { BillingDetails } from '../../../commerce/payments/provider.ts'
import { createPayment, ProviderUnavailable } from '../../../commerce/payments/providercalls.ts'
import { recordEvents } from '../../../commerce/payments/events.ts'
import { setPaymentPage, type SessionWithSettings } from '../../../commerce/payments/session.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { SettlementDeps } from '../checkout.ts'
import type { PlacedCheckout, UnpaidCheckout } from './complete.ts'
import { mailFailedPayment } from './mail.ts'
import type { Settlement } from './outcome.ts'
import { settleForShopper, settlePayment } from './settle.ts'
import { checkoutFaults } from '../errors.ts'
import { paymentFaults, providerAway } from '../../../commerce/payments/errors.ts'

/** The order if it was paid meanwhile; otherwise the next step of the payment. */
export type CompletionResult = PlacedCheckout | { order: null; payment: PlacedCheckout['payment'] & NextStep }

/** `redirect_url` null: the shopper has done everything, and the provider is processing the payment. */
type NextStep = { status: 'requires_action' | 'processing'; redirect_url: string | null }

export async function startPayment(
  db: StoreDatabase,
  store: Store,
  checkout: PlacedCheckout | UnpaidCheckout,
  deps: SettlementDeps,
): Promise<CompletionResult> {
  if (checkout.order) return checkout
  const { session, billing, replaced, payment, faults } = checkout
  // If the provider does not answer now, the job settles it later.
  const replacement = replaced ? settlePayment(db, store, replaced, deps).catch(() => {}) : null
  const [redirect_url] = await Promise.all([requestRedirectUrl(db, store, session, deps, billing), replacement])
  if (redirect_url && session.reference === null) return awaitingPayment(payment, redirect_url)
  return toCompletionResult(await settleForShopper(db, store, session.id, deps), payment, faults)
}

function toCompletionResult(
  settlement: Settlement,
  payment: PlacedCheckout['payment'],
  faults: readonly Fault[],
): CompletionResult {
  if (settlement.outcome === 'placed') return { order: settlement.order, payment }
  if (settlement.outcome === 'returned')
    throw invalid(fault('payment_method', checkoutFaults.money_returned), ...faults)
  if (faults.length > 0) throw invalid(...faults)
  if (settlement.outcome === 'unpaid') throw invalid(fault('payment_method', paymentFaults.declined))
  return awaitingPayment(payment, settlement.next)
}

function awaitingPayment(payment: PlacedCheckout['payment'], redirect_url: string | null): CompletionResult {
  const status = redirect_url === null ? 'processing' : 'requires_action'
  return { order: null, payment: { ...payment, status, redirect_url } }
}

/** The payment page: requested once, then stored. */
export async function requestRedirectUrl(
  db: StoreDatabase,
  store: Store,
  session: SessionWithSettings,
  deps: SettlementDeps,
  billing?: BillingDetails,
): Promise<string | null> {
  if (session.reference !== null) return session.redirect_url
  const payment = await createPayment(store, session, deps, billing).catch((error: unknown) => {
    throw error instanceof ProviderUnavailable ? providerAway({ cause: error }) : error
  })
  if ('refused' in payment) {
    await db.transaction(async (tx) => {
      const failure = { kind: 'failed', amount: session.amount, reason: payment.refused } as const
      recordEvents(tx, store, session, [failure], { status: 'failed', look_at: null })
      mailFailedPayment(tx, store, session)
    })
    throw invalid(fault('payment_method', checkoutFaults.provider_refused))
  }
  const redirect = payment.next?.redirect ?? null
  await db.transaction(async (tx) => setPaymentPage(tx, store.id, session.id, payment.reference, redirect))
  return redirect
}
