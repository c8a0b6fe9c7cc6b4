// Calendar days of a time zone as instants.
import { createRequire } from 'node:module'
import type * as polyfill from 'temporal-polyfill'

let loaded: typeof polyfill.Temporal | undefined

/** Node has none yet. It takes 0.1 s to load, so that it comes with the first question. */
function temporal(): typeof polyfill.Temporal {
  loaded ??= (createRequire(import.meta.url)('temporal-polyfill') as typeof polyfill).Temporal
  return loaded
}

/** The first instant of the day (YYYY-MM-DD) or of one `later`, also where clocks skip or repeat midnight. */
export function startOfDay(day: string, timezone: string, later = 0): Date {
  const date = temporal().PlainDate.from(day).add({ days: later })
  return new Date(date.toZonedDateTime(timezone).epochMilliseconds)
}
