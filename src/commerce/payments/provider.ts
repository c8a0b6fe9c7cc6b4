// A payment provider: its settings and six functions. Amounts are decimal, in the store's currency; adapters convert
// them to minor units. None of the functions is called inside a database transaction.
import type { Fields } from '../../kit/declare/field.ts'
import type { Decimal } from '../../kit/values/money.ts'
import type { Reason } from '../../kit/values/faults.ts'

/** The status of a payment at its provider. */
export type ProviderStatus =
  | 'pending' // nobody has paid yet
  | 'requires_action' // the shopper has something left to do
  | 'processing' // the shopper is done, the provider is not
  | 'authorized' // the money is held, not taken
  | 'captured' // the money is taken, refunds included
  | 'failed'
  | 'cancelled'
  | 'expired'

/** The payment to create. `id` is public, and makes the call idempotent. */
export type PaymentRequest = {
  id: string
  amount: number
  currency: string
  description: string
  /** Only if the buyer has a billing address of their own. */
  billing?: BillingDetails | undefined
}

// prettier-ignore
type BillingField =
  | 'email' | 'name' | 'company' | 'phone' | 'address' | 'address_2' | 'city' | 'province' | 'postal_code'
  | 'country_code'

/** Who is invoiced. */
export type BillingDetails = { [Name in BillingField]?: string | null | undefined }

/** The context of a call. If the signal aborts it, its outcome is unknown and checked later. */
export type CallContext = {
  /** The merchant's settings, with secrets opened. */
  settings: Readonly<Record<string, string>>
  currency: string
  /** The URL to which the provider sends the shopper back, paid or not. */
  returnUrl: string
  cancelUrl: string
  /** The URL of the provider's API, if the operator has changed it. */
  apiUrl: string | null
  now: Date
  signal: AbortSignal
  fetch: typeof fetch
}

/** An expected refusal is a value with a text for the merchant. Network errors and malformed answers are thrown. */
export type ProviderRefusal = { refused: string }

/** `reference` is the provider's id. `next` null: the shopper has nothing to do. */
export type CreatedPayment = { reference: string; next: { redirect: string } | null }

/** The state of a payment; `captured` and `refunded` are sums up to now. */
export type ProviderState = {
  status: ProviderStatus
  authorized: number
  captured: number
  refunded: number
  currency: string
  /** Refunds that succeeded and failed later. They no longer count in `refunded`. */
  failed_refunds?: FailedRefund[]
  /** All disputes, closed ones included. */
  disputes?: DisputeState[]
}

/** The same with amounts as Decimal. */
export type PaymentState = Omit<ProviderState, 'authorized' | 'captured' | 'refunded' | 'disputes'> & {
  authorized: Decimal
  captured: Decimal
  refunded: Decimal
  disputes: PaymentDispute[]
}

export type PaymentDispute = Omit<DisputeState, 'amount'> & { amount: Decimal }

/** `key` is that of the request; null for refunds made at the provider. */
export type FailedRefund = { key: string | null; reason: string | null }

export const disputeStatuses = ['needs_response', 'under_review', 'won', 'lost'] as const

/** A chargeback by the shopper's bank. `reference` is the provider's id. */
export type DisputeState = {
  reference: string
  status: (typeof disputeStatuses)[number]
  amount: number
  reason: string | null
  evidence_due_at: Date | null
}

/** Amounts recorded before the call. Without refunds, none can have failed. */
export type KnownAmounts = { refunded: number }

/** `reference` is the provider's id. A pending result is reported by fetchState once it is done. */
export type ProviderResult = { reference: string; status: 'done' | 'pending' }

/** Request headers with lower-case names. */
type Headers = Record<string, string | string[] | undefined>

/** A verified webhook. `reference` null: it is about a payment that was not created here. */
export type WebhookEvent = { eventId: string; reference: string | null }

/** Signed by the provider, but not an event. A retry would not help. */
export type MalformedWebhook = 'malformed'

/** Shoppers pay at the provider and come back. Only the provider's API tells what happened. */
export type PaymentProvider = {
  kind: 'remote'
  /** Text fields. Secret ones are sealed and never answered. */
  settings: Fields
  /** Minimum amounts by currency; none means any amount. */
  minimums?: Readonly<Record<string, number>>
  /** Names of the wallets that its payment page offers, such as Apple Pay. */
  wallets?: readonly string[]
  /** Origins of payment pages, for the content security policy of the checkout. */
  origins(context: Pick<CallContext, 'settings' | 'apiUrl'>): string[]
  /** Idempotent by session.id. */
  createPayment(session: PaymentRequest, context: CallContext): Promise<CreatedPayment | ProviderRefusal>
  /** Returns the current state. */
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
  /** Ends the payment and releases its authorization. */
  cancel(reference: string, key: string, context: CallContext): Promise<ProviderResult | ProviderRefusal>
  /** Null: forged, or not from this provider. Amounts of the body are not trusted. */
  parseWebhook(raw: Buffer, headers: Headers, context: CallContext): Promise<WebhookEvent | MalformedWebhook | null>
}

/** The merchant confirms the payment by hand. */
export type ManualProvider = { kind: 'manual'; settings: Fields }

/** The payment is decided while the order is placed; no money moves. */
export type ImmediateProvider = {
  kind: 'immediate'
  settings: Fields
  /** `checkoutId` is the public one; `pay` is what the shopper asks for. */
  decide(request: { checkoutId: string; pay?: 'ok' | 'fail' }): { reference: string } | { declined: Reason }
}
