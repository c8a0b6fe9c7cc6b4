// A sale price of a file is the price while the sale is on; Stoa has no dates for prices.
import type { Store } from '../../../tenancy/stores/store.ts'
import { formatLocalTime } from '../../../kit/values/timezone.ts'
import { remark, rowNotes } from './notes.ts'
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
  const place = { number, column: sale.column }
  const [starts, ends] = ['sale_starts_at', 'sale_ends_at'].map((field) => String(values.get(field)?.value ?? ''))
  const [begin, end] = [toLocalMinute(starts!, store, '00:00'), toLocalMinute(ends!, store, '23:59')]
  const present = formatLocalTime(now, store.timezone)
  if (begin === null || end === null) {
    notes.push(remark(place, rowNotes.sale_dates_unread, { starts: starts!, ends: ends! }))
  } else if (end !== '' && end < present) notes.push(remark(place, rowNotes.sale_ended, { ends: ends! }))
  else if (begin > present) notes.push(remark(place, rowNotes.sale_not_begun, { starts: starts! }))
  else {
    target.compare_price = target.price
    target.price = sale.value
    if (end !== '') notes.push(remark(place, rowNotes.sale_ends, { ends: ends! }))
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
