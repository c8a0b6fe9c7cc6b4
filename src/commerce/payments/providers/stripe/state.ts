// Derives a payment's state from Stripe's session, payment intent, charge, refunds and disputes.
import type { Stripe } from 'stripe'
import type { KnownAmounts, FailedRefund, ProviderState, DisputeState, ProviderStatus } from '../../provider.ts'
import { fromMinor } from '../../minorunits.ts'
import { getStripeUnit } from './units.ts'

export async function fetchStripeState(
  api: Stripe,
  session: Stripe.Checkout.Session,
  existing: KnownAmounts,
): Promise<ProviderState> {
  const currency = (session.currency ?? '').toUpperCase()
  const intent = getPaymentIntent(session)
  const charge = typeof intent?.latest_charge === 'object' ? intent.latest_charge : null
  const capturedAmount = intent?.amount_received ?? 0
  const heldAmount = intent?.status === 'requires_capture' ? intent.amount_capturable : 0
  const decimal = (minor: number) => fromMinor(minor, getStripeUnit(currency))
  // The charge does not count refunds that have failed.
  const hasRefunds = charge !== null && (charge.amount_refunded > 0 || existing.refunded > 0)
  const [refunds, disputes] = await Promise.all([
    hasRefunds ? listStripeRefunds(api, intent!.id) : [],
    charge?.disputed ? listStripeDisputes(api, intent!.id) : [],
  ])
  return {
    status: toProviderStatus(session, intent),
    authorized: decimal(capturedAmount + heldAmount),
    captured: decimal(capturedAmount),
    refunded: decimal(sumSucceededRefunds(refunds)),
    currency,
    failed_refunds: refunds.filter(hasFailed).map(failedRefund),
    disputes: disputes.map((dispute) => ({ ...disputeState(dispute), amount: decimal(dispute.amount) })),
  }
}

/** Null until the shopper has tried to pay. */
export function getPaymentIntent({ payment_intent }: Stripe.Checkout.Session): Stripe.PaymentIntent | null {
  return typeof payment_intent === 'object' ? payment_intent : null
}

const byIntent: Partial<Record<Stripe.PaymentIntent.Status, ProviderStatus>> = {
  succeeded: 'captured',
  requires_capture: 'authorized',
  processing: 'processing',
  requires_action: 'requires_action',
  canceled: 'cancelled',
}

function toProviderStatus({ status }: Stripe.Checkout.Session, intent: Stripe.PaymentIntent | null): ProviderStatus {
  const intentStatus = intent && byIntent[intent.status]
  // A shopper whose card was declined can try another until the session expires.
  const hasMoney = intentStatus === 'captured' || intentStatus === 'authorized' || intentStatus === 'processing'
  if (status === 'expired' && !hasMoney) return 'expired'
  // With a voucher, the shopper pays elsewhere, and nothing is left to do on the page.
  if (status === 'complete' && intentStatus === 'requires_action') return 'processing'
  return intentStatus ?? (status === 'complete' ? 'failed' : 'pending')
}

async function listStripeRefunds(api: Stripe, intent: string): Promise<Stripe.Refund[]> {
  return Array.fromAsync(api.refunds.list({ payment_intent: intent, limit: 100 }))
}

/** The total of the charge includes pending refunds. */
function sumSucceededRefunds(refunds: readonly Stripe.Refund[]): number {
  return refunds.reduce((sum, { status, amount }) => (status === 'succeeded' ? sum + amount : sum), 0)
}

function hasFailed({ status }: Stripe.Refund): boolean {
  return status === 'failed' || status === 'canceled'
}

function failedRefund({ status, failure_reason, metadata }: Stripe.Refund): FailedRefund {
  return { key: metadata?.stoa_key ?? null, reason: failure_reason ?? status }
}

async function listStripeDisputes(api: Stripe, intent: string): Promise<Stripe.Dispute[]> {
  return Array.fromAsync(api.disputes.list({ payment_intent: intent, limit: 100 }))
}

// Inquiries, whose status begins with warning_, take no money but can become disputes.
const byDispute: Record<string, DisputeState['status']> = {
  needs_response: 'needs_response',
  warning_needs_response: 'needs_response',
  under_review: 'under_review',
  warning_under_review: 'under_review',
  lost: 'lost',
}

/** Won, closed and prevented disputes are the same: the merchant keeps the money. */
function disputeState({ id, status, reason, evidence_details }: Stripe.Dispute): Omit<DisputeState, 'amount'> {
  const dueSeconds = evidence_details?.due_by ?? null
  return {
    reference: id,
    status: byDispute[status] ?? 'won',
    reason,
    evidence_due_at: dueSeconds === null ? null : new Date(dueSeconds * 1000),
  }
}
