// Calendar days of a time zone as instants.

/** The first instant of the day (YYYY-MM-DD) or of one `later`, also where clocks skip or repeat midnight. */
export function startOfDay(day: string, timezone: string, later = 0): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`) + later * dayMs
  const offsets = [-dayMs, 0, dayMs].map((away) => offsetAt(midnight + away, timezone))
  const instants = offsets.map((offset) => midnight - offset)
  const matching = instants.filter((instant) => instant + offsetAt(instant, timezone) === midnight)
  // A midnight that is skipped is the instant at which the offset of the day before ends.
  return new Date(matching.length > 0 ? Math.min(...matching) : instants[0]!)
}

const dayMs = 24 * 60 * 60 * 1000
const formats = new Map<string, Intl.DateTimeFormat>()

/** Milliseconds that the zone's clocks are ahead of UTC. */
function offsetAt(instant: number, timezone: string): number {
  let format = formats.get(timezone)
  if (!format) {
    format = new Intl.DateTimeFormat('en', {
      timeZone: timezone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(timezone, format)
  }
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]))
  const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year)
  const shown = new Date(0)
  shown.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day))
  shown.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second))
  return shown.getTime() - Math.floor(instant / 1000) * 1000
}
