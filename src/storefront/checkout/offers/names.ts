// Names of built-in codes and countries, if the merchant or the shopper gives none.
import { estimateArrival, type Arrival, type DatedItems, type DeliveryDays } from '../../../commerce/orders/arrival.ts'
import type { Language } from '../../../kit/values/language.ts'
import shop from '../../../../languages/en/shop.json' with { type: 'json' }
import { translatorFor } from '../../../platform/languages/translator.ts'

const translator = translatorFor({ shop })

/** The texts of the shop's pages. */
export const shopTexts = translator

type BuiltInName = Extract<keyof typeof shop, `name_${string}`>

/** The name of a payment method or shipping rate. */
export function formatMethodName(
  { code, name }: { code: string; name: string | null },
  language: Language = 'en',
): string {
  return name ?? (Object.hasOwn(shop, `name_${code}`) ? translator(language)(`name_${code}` as BuiltInName) : code)
}

/** `Arrives Dec 2 – 4`; null for a rate that names no days. */
export function formatArrival(
  rate: DeliveryDays & { requires_address: boolean },
  since: Date,
  { language, timezone, items }: { language: Language; timezone: string; items: DatedItems },
): string | null {
  return formatArrivalDays(estimateArrival(rate, since, timezone, items), rate, language)
}

/** Arrival days that are already known, as text. */
export function formatArrivalDays(
  arrival: Arrival | null,
  rate: { requires_address: boolean },
  language: Language,
): string | null {
  if (!arrival) return null
  const format = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  const dates = format.formatRange(new Date(arrival.from), new Date(arrival.to))
  return translator(language)(rate.requires_address ? 'arrives_on' : 'ready_on', { dates })
}

const regions = new Map<Language, Intl.DisplayNames>()

/** `MX` → `México` */
export function countryName(code: string | null | undefined, language: Language): string | null {
  if (!code) return null
  let names = regions.get(language)
  if (!names) regions.set(language, (names = new Intl.DisplayNames([language], { type: 'region' })))
  return names.of(code) ?? code
}
