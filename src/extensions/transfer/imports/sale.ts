// A sale price of a file is the price while the sale is on; Stoa has no dates for prices.
import type { Store } from '../../../tenancy/stores/store.ts'
import { formatLocalTime } from '../../../kit/values/timezone.ts'
import type { Draft, MappedRow } from './record.ts'

/** The sale price becomes the price, and the regular one what it is compared with. */
export function applySale(
  { notes }: Draft,
  target: Record<string, any>,
  { number, values }: MappedRow,
  { now, store }: { now: Date; store: Store },
): void {
  if (values.get('on_sale')?.value === false) return
  const sale = values.get('sale_price')
  const isLower = typeof sale?.value === 'number' && typeof target.price === 'number' && sale.value < target.price
  if (!isLower || (sale.value as number) <= 0) return
  const note = (message: string) => notes.push({ number, column: sale.column, message })
  const [starts, ends] = ['sale_starts_at', 'sale_ends_at'].map((field) => String(values.get(field)?.value ?? ''))
  const [begin, end] = [toLocalMinute(starts!, store, '00:00'), toLocalMinute(ends!, store, '23:59')]
  const present = formatLocalTime(now, store.timezone)
  if (begin === null || end === null) {
    note(`The dates of the sale cannot be read (${starts} – ${ends}): the regular price is imported`)
  } else if (end !== '' && end < present) note(`The sale ended on ${ends}: the regular price is imported`)
  else if (begin > present) note(`The sale begins on ${starts}: the regular price is imported`)
  else {
    target.compare_price = target.price
    target.price = sale.value
    if (end !== '') note(`The sale ends on ${ends}: the sale price stays until you change it`)
  }
}

/** `2026-01-31T10:00` in the store's time zone; null if it is not a date. */
function toLocalMinute(text: string, { timezone }: Store, timeOfDay: string): string | null {
  if (text === '') return ''
  const parts = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/.exec(text)
  if (!parts) return null
  const [, day, time = timeOfDay, zone] = parts
  if (!zone) return `${day}T${time}`
  const instant = new Date(`${day}T${time}${zone.replace(/^(.\d{2})(\d{2})$/, '$1:$2')}`)
  return Number.isNaN(instant.getTime()) ? null : formatLocalTime(instant, timezone)
}
