// Amounts as people write them in the store's country, in the reader's language.
import type { Language } from './language.ts'
import { getCurrencyExponent } from './money.ts'

export type PriceText = (amount: number | string) => string

const formats = new Map<string, Intl.NumberFormat>()

type Market = { currency: string; country_code: string }

export function priceIn(language: Language, market: Market): PriceText {
  const format = findPriceFormat(language, market)
  return (amount) => format.format(Number(amount))
}

/** The lowest and the highest of some amounts: $5.00 – $12.00 */
export function formatPriceRange(language: Language, market: Market, amounts: readonly number[]): string {
  const format = findPriceFormat(language, market)
  const [low, high] = [Math.min(...amounts), Math.max(...amounts)]
  return low === high ? format.format(low) : format.formatRange(low, high)
}

function findPriceFormat(language: Language, { currency, country_code }: Market): Intl.NumberFormat {
  const name = `${language}-${country_code} ${currency}`
  let format = formats.get(name)
  if (!format) formats.set(name, (format = buildPriceFormat(`${language}-${country_code}`, currency)))
  return format
}

function buildPriceFormat(locale: string, currency: string): Intl.NumberFormat {
  const options = new Intl.NumberFormat(locale, { style: 'currency', currency }).resolvedOptions()
  const usual = options.maximumFractionDigits ?? 2
  const exponent = getCurrencyExponent(currency)
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
    // Where the minor unit is usually omitted (COP, HUF), it shows only if it is not zero.
    trailingZeroDisplay: usual < exponent ? 'stripIfInteger' : 'auto',
  })
}
