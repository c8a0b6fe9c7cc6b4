// Calendar days of a time zone as instants.
import { createRequire } from 'node:module'
import type * as polyfill from 'temporal-polyfill'

let polyfilled: typeof polyfill.Temporal | undefined

/** Node has no Temporal yet. The polyfill takes 0.1 s to load, so it is loaded on first use. */
function temporal(): typeof polyfill.Temporal {
  polyfilled ??= (createRequire(import.meta.url)('temporal-polyfill') as typeof polyfill).Temporal
  return polyfilled
}

/** The first instant of the day (YYYY-MM-DD) or of one `later`, also where clocks skip or repeat midnight. */
export function startOfDay(day: string, timezone: string, later = 0): Date {
  const date = temporal().PlainDate.from(day).add({ days: later })
  return new Date(date.toZonedDateTime(timezone).epochMilliseconds)
}

/** Parses `2026-11-21T09:30`, a date and time in the time zone; null if it is not valid. */
export function parseLocalTime(local: string, timezone: string): Date | null {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(local)) return null
  try {
    return new Date(temporal().PlainDateTime.from(local).toZonedDateTime(timezone).epochMilliseconds)
  } catch {
    return null
  }
}

/** The reverse of parseLocalTime, to the minute. */
export function formatLocalTime(instant: Date, timezone: string): string {
  const dateTime = temporal().Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(timezone)
  return dateTime.toPlainDateTime().toString({ smallestUnit: 'minute' })
}

/** The calendar day of an instant. */
export function formatLocalDay(instant: Date, timezone: string): string {
  return formatLocalTime(instant, timezone).slice(0, 10)
}
