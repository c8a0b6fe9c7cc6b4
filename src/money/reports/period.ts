// The periods of figures and reports, each with the period before it, in the store's time zone.
import { isDay } from '../../kit/values/day.ts'
import { formatLocalDay, startOfDay } from '../../kit/values/timezone.ts'
import { quarterMs } from './sums.ts'

// prettier-ignore
const presets = {
  today:      { step: 'hour',  bounds: lastDays(1) },
  days_7:     { step: 'day',   bounds: lastDays(7) },
  days_30:    { step: 'day',   bounds: lastDays(30) },
  days_90:    { step: 'day',   bounds: lastDays(90) },
  weeks_52:   { step: 'week',  bounds: lastDays(364) },
  this_month: { step: 'day',   bounds: (today: string) => toMonthBounds(today) },
  last_month: { step: 'day',   bounds: (today: string) => toMonthBounds(addDays(toMonthBounds(today).first, -1)) },
  this_year:  { step: 'month', bounds: (today: string) => toYearBounds(today) },
} as const

export type Period = keyof typeof presets
export const periods = Object.keys(presets) as Period[]

export function isPeriod(name: string): name is Period {
  return Object.hasOwn(presets, name)
}

export type PeriodStep = 'hour' | 'day' | 'week' | 'month'

/** Days as YYYY-MM-DD, the last included. */
export type DayRange = { from: string; to: string }

export function isReportDay(text: string): boolean {
  return /^(19|20)/.test(text) && isDay(text)
}

/** First and last day, and the first day of the period before. */
type Bounds = { first: string; last: string; before: string }

export type Span = DayRange & {
  step: PeriodStep
  /** The days of the previous period that correspond to those begun in this one. */
  earlier: DayRange
  /** The beginning of each step, and the end of the last one. */
  current: Date[]
  /** The same for the previous period, up to the moment that corresponds to now. */
  previous: Date[]
  until: Date
}

export function resolvePresetSpan(period: Period, now: Date, timezone: string): Span {
  const { step, bounds } = presets[period]
  return spanWithin(bounds(formatLocalDay(now, timezone)), step, now, timezone)
}

/** The span of any days; the period before it has the same length. */
export function spanOfDays({ from, to }: DayRange, now: Date, timezone: string): Span {
  const days = daysBetween(from, to) + 1
  const step = days === 1 ? 'hour' : days <= 100 ? 'day' : days <= 400 ? 'week' : 'month'
  return spanWithin({ first: from, last: to, before: addDays(from, -days) }, step, now, timezone)
}

function spanWithin({ first, last, before }: Bounds, step: PeriodStep, now: Date, timezone: string): Span {
  const today = formatLocalDay(now, timezone)
  const to = last < today ? last : today < first ? first : today
  const listMoments = (from: string, to: string) =>
    step === 'hour'
      ? hoursBetween(startOfDay(from, timezone), startOfDay(to, timezone, 1))
      : [...stepDays(from, to, step), addDays(to, 1)].map((day) => startOfDay(day, timezone))
  const current = listMoments(first, last)
  const previous = listMoments(before, addDays(first, -1))
  const [begins, ends] = [current[0]!.getTime(), current.at(-1)!.getTime()]
  const sinceStart = Math.min(now.getTime(), ends) - begins
  const sameTime = Math.ceil((previous[0]!.getTime() + Math.max(sinceStart, 0)) / quarterMs) * quarterMs
  const until = new Date(now.getTime() >= ends ? begins : Math.min(sameTime, begins))
  const lastEarlier = now.getTime() >= ends ? addDays(first, -1) : addDays(before, daysBetween(first, to))
  const earlier = { from: before, to: lastEarlier < first ? lastEarlier : addDays(first, -1) }
  return { step, from: first, to, earlier, current, previous, until }
}

function lastDays(days: number): (today: string) => Bounds {
  return (today) => ({ first: addDays(today, 1 - days), last: today, before: addDays(today, 1 - 2 * days) })
}

function toMonthBounds(day: string): Bounds {
  const first = `${day.slice(0, 7)}-01`
  return { first, last: addDays(nextMonth(first), -1), before: `${addDays(first, -1).slice(0, 7)}-01` }
}

function toYearBounds(day: string): Bounds {
  const year = Number(day.slice(0, 4))
  return { first: `${year}-01-01`, last: `${year}-12-31`, before: `${year - 1}-01-01` }
}

function stepDays(from: string, to: string, step: Exclude<PeriodStep, 'hour'>): string[] {
  const days: string[] = []
  const next = (day: string) => (step === 'month' ? nextMonth(day) : addDays(day, step === 'week' ? 7 : 1))
  for (let day = from; day <= to; day = next(day)) days.push(day)
  return days
}

export function nextMonth(day: string): string {
  return addDays(`${day.slice(0, 7)}-01`, 31).slice(0, 7) + '-01'
}

const dayMs = 24 * 3_600_000

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs)
}

const hourMs = 3_600_000

/** A day may have 23 or 25 hours. */
function hoursBetween(begin: Date, end: Date): Date[] {
  const hours = [begin]
  for (let at = begin.getTime() + hourMs; at < end.getTime(); at += hourMs) hours.push(new Date(at))
  return [...hours, end]
}
