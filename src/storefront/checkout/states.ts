// Transitions of drafts that time sets off.
import type { CheckoutStatus } from './checkout.ts'

/*
 *            30 min                 30 days             90 days
 *   active ─────────▶ abandoned ──────────▶ expired ──────────▶ contact data purged
 *     │ │                 │                                            ▲
 *     │ └─ order placed ──┼──▶ completed ── 90 days ─▶ deleted         │ 90 days
 *     │                   └── order placed ──▶ recovered ──────────────┘
 *     └─ nobody to reach: deleted after 24 hours
 *
 * A canceled one has expired at once.
 *
 * A draft whose contact has placed an order since it began is left active until it expires.
 */

export type DueCheckout = {
  status: CheckoutStatus
  draft_since: Date | null
  /** When its shopper last changed it. */
  updated_at: Date
  /** The same contact has placed an order since the draft began. */
  has_ordered: boolean
}

export type DraftStep = 'abandon' | 'spare' | 'expire' | 'purge' | 'delete'

type DraftPeriods = { now: Date; abandonAfterSeconds: number; expireAfterSeconds: number }

/** The next step of a due checkout, and when it is due again. */
export function decideNextStep(
  { status, draft_since, updated_at, has_ordered }: DueCheckout,
  { now, abandonAfterSeconds, expireAfterSeconds }: DraftPeriods,
): { step: DraftStep; due_at: Date | null } {
  const abandonAt = addSeconds(updated_at, abandonAfterSeconds),
    expireAt = addSeconds(updated_at, expireAfterSeconds)
  switch (status) {
    case 'completed':
      return { step: 'delete', due_at: null }
    case 'recovered':
    case 'expired':
      return { step: draft_since ? 'purge' : 'delete', due_at: null }
    case 'abandoned':
      return { step: 'expire', due_at: addSeconds(now, purgeAfterSeconds) }
    case 'active':
      if (!draft_since) return { step: 'delete', due_at: null }
      if (expireAt <= now) return { step: 'expire', due_at: addSeconds(now, purgeAfterSeconds) }
      if (has_ordered) return { step: 'spare', due_at: expireAt }
      // The store has set a longer period since.
      if (abandonAt > now) return { step: 'spare', due_at: abandonAt }
      return { step: 'abandon', due_at: expireAt }
  }
}

/** Retention of a checkout without contact. */
export const strayAfterSeconds = 24 * 60 * 60

/** Retention of contact data after a draft ends. */
export const purgeAfterSeconds = 90 * 24 * 60 * 60

export function addSeconds(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000)
}
