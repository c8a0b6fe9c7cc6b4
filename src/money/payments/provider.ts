// What a payment provider is: what the merchant types in, and six functions. Amounts are decimal, in the currency of
// the store; minor units are an adapter's own affair. Nothing here is ever called inside a database transaction.
import type { Fields } from '../../kit/declare/field.ts'
import type { Decimal } from '../../kit/values/money.ts'
import type { Reason } from '../../kit/values/faults.ts'

/** Of a payment, as its provider tells it. */
export type PaymentStatus =
  | 'pending' // nobody has paid yet
  | 'requires_action' // the shopper has something left to do
  | 'processing' // the shopper is done, the provider is not
  | 'authorized' // the money is held, not taken
  | 'captured' // the money is taken, refunds included
  | 'failed'
  | 'cancelled'
  | 'expired'

/** What the shopper is asked to pay. `id` is public: whatever is begun twice with it is begun once. */
export type PaymentRequest = { id: string; amount: number; currency: string; description: string }

/** What a call may use. One that outlives the signal is given up: what it did is unknown, and looked at again. */
export type CallContext = {
  /** As the merchant typed them in, the secret ones opened. */
  settings: Readonly<Record<string, string>>
  currency: string
  /** Where the provider sends the shopper back to, paid or not. */
  returnUrl: string
  cancelUrl: string
  /** Where the provider's API is, if the operator says another place than its usual one. */
  apiUrl: string | null
  now: Date
  signal: AbortSignal
  fetch: typeof fetch
}

/** An expected refusal is a value; `reason` is for the merchant. A fault of the network or an odd answer is thrown. */
export type ProviderRefusal = { refused: string }

/** `reference`: by which the provider knows the payment. `next` null: the shopper has nothing to do. */
export type CreatedPayment = { reference: string; next: { redirect: string } | null }

/** All that there is to know of a payment: `captured` and `refunded` are sums up to now. */
export type ProviderState = {
  status: PaymentStatus
  authorized: number
  captured: number
  refunded: number
  currency: string
  /** Refunds that were done and failed later. They no longer count in `refunded`. */
  failed_refunds?: FailedRefund[]
  /** All that there ever were, closed ones included. */
  disputes?: DisputeState[]
}

/** The same with amounts to calculate with. */
export type PaymentState = Omit<ProviderState, 'authorized' | 'captured' | 'refunded' | 'disputes'> & {
  authorized: Decimal
  captured: Decimal
  refunded: Decimal
  disputes: PaymentDispute[]
}

export type PaymentDispute = Omit<DisputeState, 'amount'> & { amount: Decimal }

/** `key`: with which it was asked for; null where it was made at the provider. */
export type FailedRefund = { key: string | null; reason: string | null }

export const disputeStatuses = ['needs_response', 'under_review', 'won', 'lost'] as const

/** A payment that the shopper's bank wants back. `reference`: by which the provider knows it. */
export type DisputeState = {
  reference: string
  status: (typeof disputeStatuses)[number]
  amount: number
  reason: string | null
  evidence_due_at: Date | null
}

/** What the house knows of a payment before it looks: without refunds, none can have failed. */
export type KnownAmounts = { refunded: number }

/** `reference`: by which the provider knows the refund. Pending: look() tells of it once it is done. */
export type ProviderResult = { reference: string; status: 'done' | 'pending' }

/** As they came, with lower-case names. */
type Headers = Record<string, string | string[] | undefined>

/** A webhook of the provider that is what it says to be. `reference` null: it tells of nothing that was begun here. */
export type WebhookEvent = { eventId: string; reference: string | null }

/** Signed by the provider, and no event: it would be the same the next time. */
export type MalformedWebhook = 'malformed'

/** Whoever pays is sent away and comes back; what has happened is asked of the provider alone. */
export type PaymentProvider = {
  kind: 'remote'
  /** Texts; those that are secret are marked, sealed and never answered again. */
  settings: Fields
  /** The least that it takes, by currency; where nothing is said, any amount. */
  minimums?: Readonly<Record<string, number>>
  /** Origins that the shopper may be sent to, for the policy of the page that sends them. */
  origins(context: Pick<CallContext, 'settings' | 'apiUrl'>): string[]
  /** Idempotent by session.id. */
  createPayment(session: PaymentRequest, context: CallContext): Promise<CreatedPayment | ProviderRefusal>
  /** The truth. */
  fetchState(reference: string, context: CallContext, existing?: KnownAmounts): Promise<ProviderState>
  /** Idempotent by key, as refund and cancel are. */
  capture(
    reference: string,
    amount: number,
    key: string,
    context: CallContext,
  ): Promise<ProviderResult | ProviderRefusal>
  refund(
    reference: string,
    amount: number,
    key: string,
    context: CallContext,
  ): Promise<ProviderResult | ProviderRefusal>
  /** Nobody can pay it any more, and what is held is let go. */
  cancel(reference: string, key: string, context: CallContext): Promise<ProviderResult | ProviderRefusal>
  /** Null: forged, or nothing that this provider sends. Amounts of the body are never believed. */
  parseWebhook(raw: Buffer, headers: Headers, context: CallContext): Promise<WebhookEvent | MalformedWebhook | null>
}

/** Nobody is asked: the merchant says later that it was paid. */
export type ManualProvider = { kind: 'manual'; settings: Fields }

/** It is decided while the order is placed; no money moves. */
export type ImmediateProvider = {
  kind: 'immediate'
  settings: Fields
  /** `checkoutId` is the public one; `pay` is what the shopper asks for. */
  decide(request: { checkoutId: string; pay?: 'ok' | 'fail' }): { reference: string } | { declined: Reason }
}
