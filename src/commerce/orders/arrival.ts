// The days on which an order is expected to arrive, or to be ready for pickup. Saturdays and Sundays don't count.
import { findLastDay } from '../../kit/values/day.ts'
import { formatLocalDay } from '../../kit/values/timezone.ts'
import type { OrderRate } from './rate.ts'

export type DeliveryDays = Pick<OrderRate, 'handling_days' | 'min_days' | 'max_days'>

/** Calendar days: 2026-01-31. */
export type Arrival = { from: string; to: string }

/** An order is sent at once, so a pre-order delays it. */
export type DatedItems = readonly { available_on?: string | null }[]

/** Null for a rate that names no days. */
export function estimateArrival(
  { handling_days, min_days, max_days }: DeliveryDays,
  since: Date,
  timezone: string,
  items: DatedItems = [],
): Arrival | null {
  const [first, last] = [min_days ?? max_days, max_days ?? min_days]
  // Orders from before rates had days have none.
  if (first === null || first === undefined || last === null || last === undefined) return null
  const handling = handling_days ?? 0
  const days = items.map(({ available_on }) => available_on)
  const day = findLastDay([formatLocalDay(since, timezone), ...days])!
  return { from: addBusinessDays(day, handling + first), to: addBusinessDays(day, handling + last) }
}

/** No business days from a Saturday or Sunday is the Monday. */
function addBusinessDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  const next = () => date.setUTCDate(date.getUTCDate() + 1)
  for (let left = count; left > 0;) {
    next()
    if (isBusinessDay(date)) left--
  }
  while (!isBusinessDay(date)) next()
  return date.toISOString().slice(0, 10)
}

function isBusinessDay(date: Date): boolean {
  return date.getUTCDay() % 6 !== 0
}
