// What has become of a payment, out of Stripe's session, payment intent and charge.
import type { Stripe } from 'stripe'
import type { Seen, Status } from '../../provider.ts'
import { fromMinor } from '../../minorunits.ts'
import { unitOf } from './units.ts'

export async function seenIn(api: Stripe, session: Stripe.Checkout.Session): Promise<Seen> {
  const currency = (session.currency ?? '').toUpperCase()
  const intent = intentOf(session)
  const charge = typeof intent?.latest_charge === 'object' ? intent.latest_charge : null
  const captured = intent?.amount_received ?? 0
  const held = intent?.status === 'requires_capture' ? intent.amount_capturable : 0
  const decimal = (minor: number) => fromMinor(minor, unitOf(currency))
  const disputed = charge?.disputed ? await disputedOf(api, intent!.id) : 0
  return {
    status: statusOf(session, intent),
    authorized: decimal(captured + held),
    captured: decimal(captured),
    refunded: decimal(charge?.amount_refunded ? await refundedOf(api, intent!.id) : 0),
    currency,
    ...(disputed > 0 ? { disputed: decimal(disputed) } : {}),
  }
}

/** Null until the shopper has tried to pay. */
export function intentOf({ payment_intent }: Stripe.Checkout.Session): Stripe.PaymentIntent | null {
  return typeof payment_intent === 'object' ? payment_intent : null
}

const byIntent: Partial<Record<Stripe.PaymentIntent.Status, Status>> = {
  succeeded: 'captured',
  requires_capture: 'authorized',
  processing: 'processing',
  requires_action: 'requires_action',
  canceled: 'canceled',
}

function statusOf({ status }: Stripe.Checkout.Session, intent: Stripe.PaymentIntent | null): Status {
  const told = intent && byIntent[intent.status]
  // A shopper whose card was declined may try another, until the session ends.
  const moved = told === 'captured' || told === 'authorized' || told === 'processing'
  if (status === 'expired' && !moved) return 'expired'
  return told ?? (status === 'complete' ? 'failed' : 'pending')
}

/** Those that are done; the sum in a charge counts what is under way, too. */
async function refundedOf(api: Stripe, intent: string): Promise<number> {
  let sum = 0
  for await (const { status, amount } of api.refunds.list({ payment_intent: intent, limit: 100 })) {
    if (status === 'succeeded') sum += amount
  }
  return sum
}

const overFor: string[] = ['won', 'warning_closed', 'prevented']

async function disputedOf(api: Stripe, intent: string): Promise<number> {
  let sum = 0
  for await (const { status, amount } of api.disputes.list({ payment_intent: intent, limit: 100 })) {
    if (!overFor.includes(status)) sum += amount
  }
  return sum
}
