// What a payment provider is: what the merchant types in, and six functions. Amounts are decimal, in the currency of
// the store; minor units are an adapter's own affair. Nothing here is ever called inside a database transaction.
import type { Fields } from '../../kit/declare/field.ts'
import type { Reason } from '../../kit/values/faults.ts'

/** Of a payment, as its provider tells it. */
export type Status =
  | 'pending' // nobody has paid yet
  | 'requires_action' // the shopper has something left to do
  | 'processing' // the shopper is done, the provider is not
  | 'authorized' // the money is held, not taken
  | 'captured' // the money is taken, refunds included
  | 'failed'
  | 'canceled'
  | 'expired'

/** What the shopper is asked to pay. `id` is public: whatever is begun twice with it is begun once. */
export type PaymentSession = { id: string; amount: number; currency: string; description: string }

/** What a call may use. One that outlives the signal is given up: what it did is unknown, and looked at again. */
export type At = {
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
export type Refused = { refused: string }

/** `reference`: by which the provider knows the payment. `next` null: the shopper has nothing to do. */
export type Begun = { reference: string; next: { redirect: string } | null }

/** All that there is to know of a payment: `captured` and `refunded` are sums up to now. */
export type Seen = {
  status: Status
  authorized: number
  captured: number
  refunded: number
  currency: string
  /** Refunds that were done and failed later. They no longer count in `refunded`. */
  failed_refunds?: FailedRefund[]
  /** All that there ever were, closed ones included. */
  disputes?: SeenDispute[]
}

/** `key`: with which it was asked for; null where it was made at the provider. */
export type FailedRefund = { key: string | null; reason: string | null }

export const disputeStatuses = ['needs_response', 'under_review', 'won', 'lost'] as const

/** A payment that the shopper's bank wants back. `reference`: by which the provider knows it. */
export type SeenDispute = {
  reference: string
  status: (typeof disputeStatuses)[number]
  amount: number
  reason: string | null
  evidence_due_at: Date | null
}

/** What the house knows of a payment before it looks: without refunds, none can have failed. */
export type Existing = { refunded: number }

/** `reference`: by which the provider knows the refund. Pending: look() tells of it once it is done. */
export type Moved = { reference: string; status: 'done' | 'pending' }

/** As they came, with lower-case names. */
type Headers = Record<string, string | string[] | undefined>

/** A webhook of the provider that is what it says to be. `reference` null: it tells of nothing that was begun here. */
export type Heard = { eventId: string; reference: string | null }

/** Signed by the provider, and no event: it would be the same the next time. */
export type Malformed = 'malformed'

/** Whoever pays is sent away and comes back; what has happened is asked of the provider alone. */
export type PaymentProvider = {
  kind: 'elsewhere'
  /** Texts; those that are secret are marked, sealed and never answered again. */
  settings: Fields
  /** The least that it takes, by currency; where nothing is said, any amount. */
  minimums?: Readonly<Record<string, number>>
  /** Origins that the shopper may be sent to, for the policy of the page that sends them. */
  origins(at: Pick<At, 'settings' | 'apiUrl'>): string[]
  /** Idempotent by session.id. */
  begin(session: PaymentSession, at: At): Promise<Begun | Refused>
  /** The truth. */
  look(reference: string, at: At, existing?: Existing): Promise<Seen>
  /** Idempotent by key, as refund and cancel are. */
  capture(reference: string, amount: number, key: string, at: At): Promise<Moved | Refused>
  refund(reference: string, amount: number, key: string, at: At): Promise<Moved | Refused>
  /** Nobody can pay it any more, and what is held is let go. */
  cancel(reference: string, key: string, at: At): Promise<Moved | Refused>
  /** Null: forged, or nothing that this provider sends. Amounts of the body are never believed. */
  hear(raw: Buffer, headers: Headers, at: At): Promise<Heard | Malformed | null>
}

/** Nobody is asked: the merchant says later that it was paid. */
export type ByHand = { kind: 'by hand'; settings: Fields }

/** It is decided while the order is placed; no money moves. */
export type AtOnce = {
  kind: 'at once'
  settings: Fields
  /** `checkoutId` is the public one; `pay` is what the shopper asks for. */
  decide(request: { checkoutId: string; pay?: 'ok' | 'fail' }): { reference: string } | { declined: Reason }
}
