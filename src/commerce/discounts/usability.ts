// Decides if a discount can be used: in SQL for lists and for taking a use, in TypeScript for prices. The test beside
// this file compares the two.
import { currentTime, sql } from '../../kit/database/sql.ts'

/** Reasons in the order of the checks. */
export const unusableReasons = [
  'expired', // expires_at has passed, active or not
  'inactive', // deactivated
  'not_started',
  'used_up', // current_uses has reached max_uses
] as const

export type UnusableReason = (typeof unusableReasons)[number]

export const isExpired = sql`coalesce(discounts.expires_at <= ${currentTime}, false)`

/** Null if the discount can be used. */
export const unusableReason = sql`(case
    when ${isExpired} then 'expired'
    when not discounts.is_active then 'inactive'
    when discounts.starts_at > ${currentTime} then 'not_started'
    when discounts.max_uses > 0 and discounts.current_uses >= discounts.max_uses then 'used_up'
  end)`

/** The condition for taking a use. */
export const isUsable = sql`(${unusableReason} is null)`

type UsabilityFacts = {
  is_active: boolean
  starts_at: Date | null
  expires_at: Date | null
  max_uses: number
  current_uses: number
}

export function getUnusableReason(
  { is_active, starts_at, expires_at, max_uses, current_uses }: UsabilityFacts,
  now: Date,
): UnusableReason | null {
  if (expires_at && expires_at <= now) return 'expired'
  if (!is_active) return 'inactive'
  if (starts_at && starts_at > now) return 'not_started'
  return max_uses > 0 && current_uses >= max_uses ? 'used_up' : null
}
