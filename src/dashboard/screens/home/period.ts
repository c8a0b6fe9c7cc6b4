// The periods of figures and reports, each with the period before it, in the store's time zone.
import { dayOf, startOfDay } from '../../../kit/values/timezone.ts'
import { quarterMs } from '../../../money/reports/sums.ts'

// prettier-ignore
const lengths = {
  today:      { days: 1,   step: 'hour' },
  days_7:     { days: 7,   step: 'day' },
  days_30:    { days: 30,  step: 'day' },
  days_90:    { days: 90,  step: 'day' },
  weeks_52:   { days: 364, step: 'week' },
} as const

export type Period = keyof typeof lengths
export const periods = Object.keys(lengths) as Period[]

export function isPeriod(name: string): name is Period {
  return Object.hasOwn(lengths, name)
}

export type PeriodStep = 'hour' | 'day' | 'week'

export type Span = {
  step: PeriodStep
  /** First and last day, as YYYY-MM-DD. */
  from: string
  to: string
  /** The beginning of each step, and the end of the last one. */
  current: Date[]
  /** The same of the previous period, and the moment as far into it as now is into the current one. */
  previous: Date[]
  until: Date
}

export function spanOf(period: Period, now: Date, timezone: string): Span {
  const { days, step } = lengths[period]
  const to = dayOf(now, timezone)
  const start = (later: number) => startOfDay(to, timezone, later)
  const stepsFrom = (first: number) =>
    step === 'hour'
      ? hoursBetween(start(first), start(first + 1))
      : stepsTo(days, step === 'week' ? 7 : 1, (later) => start(first + later))
  const current = stepsFrom(1 - days)
  const previous = stepsFrom(1 - 2 * days)
  const begins = current[0]!.getTime()
  const sameTime = previous[0]!.getTime() + now.getTime() - begins
  const until = new Date(Math.min(Math.ceil(sameTime / quarterMs) * quarterMs, begins))
  return { step, from: dayOf(current[0]!, timezone), to, current, previous, until }
}

function stepsTo(days: number, length: number, start: (later: number) => Date): Date[] {
  return Array.from({ length: days / length + 1 }, (_, index) => start(index * length))
}

const hourMs = 3_600_000

/** A day may have 23 or 25 hours. */
function hoursBetween(begin: Date, end: Date): Date[] {
  const hours = [begin]
  for (let at = begin.getTime() + hourMs; at < end.getTime(); at += hourMs) hours.push(new Date(at))
  return [...hours, end]
}
