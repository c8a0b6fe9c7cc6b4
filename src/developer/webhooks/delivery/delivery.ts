// A delivery carries one event to one webhook, at least once. This is its life:
//
//     emit · test · redeliver · replay                       (events/emit.ts, resend.ts)
//                  │
//                  ▼
//    held ◄──── pending ◄───────────┐   claim.ts     A worker takes the receiver for itself, in one exchange with
//   (webhook       │                │                reading what is due for it: the owner of a receiver is the
//    paused or     ▼                │                only one that calls it. What it queues itself goes there at once.
//    disabled)  waiting             │   receiver.ts  At most eight per receiver are in progress. It is kept until
//                  │                │                nothing came for fifteen seconds.
//                  ▼                │
//               attempt ────────────┤   attempt.ts   Does the plan have it? Sign, send, decide: no answer or 5xx is
//                  │                │                tried again after 1 and after 2 seconds.
//                  ▼                │
//               written ────────────┘   recorder.ts  Many attempts at once, with what they do to the receiver's
//                  │                                 health (health.ts): active, paused or disabled.
//      ┌───────────┼───────────┐
//  delivered    failed      skipped     log.ts       Kept for 30 days (purge.ts), and may be sent again.
//  (2xx)        (3xx, 4xx,  (the plan
//               3 tries)    lacks it)
//
// worker.ts runs all of it. When its process dies, workers.ts of another one sees it and ends its claims: what it had
// in progress is sent again, with the same id, and counts one crash.
import type { EventType } from '../events.ts'

/** One that is due, as a claim reads it. */
export type Delivery = {
  store_id: string
  webhook_id: string
  id: string
  event: EventType
  trigger: 'event' | 'manual' | 'recovery' | 'test'
  /** Attempts in total. */
  attempts: number
  /** Attempts since it was last fired: the third is the last. */
  tries: number
  /** Begun, manual or test: it goes before what waits, and to a webhook that is paused or disabled too. */
  urgent: boolean
  /** Workers that may have died with it since its last recorded attempt. */
  crashes: number
  /** Null after the event was purged. */
  body: string | null
  /** The number of its event in the store's log; a test has none. */
  sequence: number | null
}

/** A receiver that this process owns until `claimed_until`, unless it claims it again: where deliveries go now. */
export type ReceiverClaim = {
  store_id: string
  webhook_id: string
  url: string
  secret: string
  previous_secret: string | null
  /** The app that created the webhook. */
  client_id: string | null
  is_paused: boolean
  /** Its deliveries fail, so the next success changes its health. */
  is_failing: boolean
  /** Features of the store's current plan. */
  features: string[]
  /** Counts the claims: only the last one can be released. */
  claim: number
  claimed_until: Date
  deliveries: Delivery[]
  /** Something is due whose event was committed a moment ago and has no number yet. */
  hasUnnumbered: boolean
}

/** The record of an attempt: the delivery's new state and, if `at` is set, the request and its answer. */
export type Attempt = Omit<Delivery, 'body'> & {
  /** The delivery's attempts before this one. If the row has others now, another process recorded it. */
  before: number
  status: 'pending' | 'delivered' | 'failed' | 'skipped'
  /** While pending. */
  run_at?: Date
  completed_at?: Date
  at?: Date
  duration_ms?: number
  url?: string
  signature?: string
  status_code?: number
  error?: string
  message?: string
  response_body?: string
  truncated?: boolean
}

/** A call takes 15 seconds at most; with less than this left of its claim none is begun. */
export const minLeaseMs = 20_000
export const leaseMs = 60_000
