// A payment as the merchant sees it, with its disputes and events.
import { many } from '../../kit/declare/composites.ts'
import { derive, type FieldOf } from '../../kit/declare/field.ts'
import { choice, flag, id, money, text, time } from '../../kit/declare/scalars.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { patchBody } from '../../kit/declare/shape.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { currency } from '../../tenancy/stores/store.ts'
import { dispute, type Dispute } from './dispute.ts'
import type { ProviderStatus } from './provider.ts'

export const statuses = [
  'pending',
  'requires_action',
  'processing',
  'authorized',
  'captured',
  'failed',
  'cancelled',
  'expired',
] as const satisfies readonly ProviderStatus[]

/** Reasons for captured money that is not for an order, or for a refund that failed. */
const troubles = [
  'amount_differs', // the provider charged another amount, or another currency
  'order_refused', // the items are no longer available
  'total_changed', // the total has changed since
  'order_ended', // the order was cancelled or returned before the money came
  'replaced', // the checkout was paid in another way, or no longer exists
  'expired', // nobody paid within a day
  'unanswered', // the provider has not answered a request or reported the outcome for a day
  'capture_failed',
  'release_failed', // a cancelled order's authorization could not be released and stays until it lapses
  'not_captured', // the order was placed for an authorization that has lapsed
  'refund_failed', // the provider refused the refund, or the bank returned it later
  'disputed', // the shopper's bank disputes it: the provider takes evidence until evidence_due_at
  'dispute_lost', // the bank has taken it back
] as const
export type PaymentProblem = (typeof troubles)[number]

// prettier-ignore
const eventKinds = [
  'authorized', 'captured', 'capture_asked', 'capture_failed', 'refunded', 'refund_asked', 'refund_failed',
  'refund_reversed', 'cancel_asked', 'cancel_failed', 'cancelled', 'failed', 'expired', 'disputed', 'dispute_won',
  'dispute_lost', 'dispute_reversed', 'heard',
] as const
export type EventKind = (typeof eventKinds)[number]

// prettier-ignore
const paymentEvent = resource('payment_events', {
  id:         id('pev').readonly(),
  kind:       choice(eventKinds).readonly().describe('Kind; heard: a provider webhook that changed no amounts'),
  amount:     money().readonly(),
  currency:   currency().readonly(),
  reason:     text({ max: 500 }).nullable().readonly(),
  created_at: time().readonly(),
}, {}, { noun: 'Payment event', parent: { column: 'session_id', order: 'payment_events.id' } })

export type PaymentEvent = NonNullable<typeof paymentEvent.type>

/** A column by the name that it had in version 0.1.0. */
function formerly<T>(field: FieldOf<T>, column: string) {
  return derive(field, raw(`payment_sessions.${column}`))
}

const statusFilter = choice<string>([...statuses, 'all'])
  .default('all')
  .describe('Payments with this status')
  .formerValue('canceled', 'cancelled')

function needsReview(needs: boolean): Sql {
  return needs ? sql`payment_sessions.needs_review` : sql`not payment_sessions.needs_review`
}

// prettier-ignore
export const payment = resource('payment_sessions', {
  id:                id('pmt').readonly(),
  order_id:          id('ord').nullable().readonly(),
  checkout_id:       id('chk').nullable().readonly(),
  provider:          text().readonly().example('manual').describe('Code of the payment provider'),
  method:            text().nullable().readonly().example('bank_transfer').describe('Code of the payment method'),
  reference:         text().nullable().readonly().describe("Provider's ID of the payment"),
  status:            choice(statuses).readonly().describe('Status of the payment'),
  amount:            money().readonly().describe('Requested amount'),
  currency:          currency().readonly(),
  authorized_amount: money().readonly().describe('Authorized amount available to capture'),
  capturable_amount: money().readonly().describe('Authorized amount available to capture, as last reported'),
  capturing_amount:  money().readonly().describe('Part of capturable_amount that is being captured'),
  captured_amount:   money().readonly().describe('Captured amount, before refunds'),
  refunded_amount:   money().readonly().describe('Refunded amount, including lost disputes'),
  lost_amount:       money().readonly().describe('Part of refunded_amount that was lost in disputes'),
  needs_review:      flag().describe('Whether the payment needs review; set it to false when done'),
  trouble:           choice(troubles).nullable().readonly()
    .describe('Why the payment needs review'),
  held_amount:       formerly(money().replacedBy('capturable_amount'), 'capturable_amount'),
  needs_attention:   formerly(flag().replacedBy('needs_review'), 'needs_review'),
  created_at:        time().readonly().sortable(),
  updated_at:        time().readonly(),
  disputes:          many<Dispute>(dispute).describe('Disputes (chargebacks) of the payment'),
  events:            many<PaymentEvent>(paymentEvent).describe('Payment events, in chronological order'),
}, {
  status: filter(statusFilter, (status) => (status === 'all' ? null : sql`payment_sessions.status = ${status}`)),
  needs_review:    filter(flag(), needsReview),
  needs_attention: filter(flag().replacedBy('needs_review'), needsReview),
  needs_capture: filter(flag().describe('Whether the authorized amount of an order waits to be captured'),
    (needs) => (needs ? needsCapture : sql`not (${needsCapture})`)),
  needs_response: filter(flag().describe('Whether a dispute of the payment waits for evidence'),
    (needs, { store_id }) => (needs ? sql`payment_sessions.id = any(${buildDisputedIds(store_id)})`
      : sql`payment_sessions.id <> all(${buildDisputedIds(store_id)})`)),
}, { noun: 'Payment' })

/** The condition of the index payment_sessions_to_capture. What cannot be released lapses by itself. */
const needsCapture = raw(`payment_sessions.order_id is not null
      and payment_sessions.capturable_amount > 0
      and payment_sessions.asked_id is null
      and payment_sessions.trouble is distinct from 'release_failed'`)

const buildDisputedIds = (storeId: string): Sql => sql`array(
      select session_id
      from disputes
      where store_id = ${storeId}
        and status = 'needs_response')`

export type Payment = NonNullable<typeof payment.type>

export const paymentChanges = patchBody({ ...payment.fields, needs_attention: flag().replacedBy('needs_review') })
