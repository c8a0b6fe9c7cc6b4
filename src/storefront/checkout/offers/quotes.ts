// Prices of shipping rates that apps quote. A checkout keeps the answers with a digest of what was asked: as long as
// the same would be asked, the price shown is the price charged.
import { complete, list } from '../../../kit/declare/composites.ts'
import type { Entity } from '../../../kit/declare/field.ts'
import { choice, integer, money, text } from '../../../kit/declare/scalars.ts'
import { reason } from '../../../kit/values/faults.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { sum, toNumber } from '../../../kit/values/money.ts'
import type { DeliveryPlace } from '../../../kit/values/places.ts'
import { hashSecret } from '../../../kit/values/secrets.ts'
import { rateFaults } from '../../../commerce/orders/errors.ts'
import type { OrderLine } from '../../../commerce/orders/lines.ts'
import type { Load } from '../../../commerce/orders/load.ts'
import { listRateReasons } from '../../../commerce/orders/rateoffer.ts'
import type { QuotedRate } from '../../../tenancy/stores/ratequote.ts'
import { quoteErrors } from '../../../tenancy/stores/shippingrate.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { OfferedRate } from './offer.ts'

// prettier-ignore
const answerFields = {
  code:     text(),
  /** Null if it is not offered, or if there is an error. */
  price:    money().nullable(),
  name:     text().nullable(),
  min_days: integer().nullable(),
  max_days: integer().nullable(),
  /** Why the app does not offer it. */
  reason:   text().nullable(),
  error:    choice(quoteErrors).nullable(),
  detail:   text().nullable(),
}

export type QuoteAnswer = Entity<typeof answerFields>

export const shippingQuotes = () =>
  complete({ digest: text(), asked_at: text(), answers: list(complete(answerFields), { max: 50 }) })

export type ShippingQuotes = { digest: string; asked_at: string; answers: QuoteAnswer[] }

/**
 * What an app receives: no personal data, and no items that are not shipped, though `subtotal` is that of the whole
 * cart. `amount` and `subtotal` are the store's prices, before discounts.
 */
type QuoteRequest = {
  destination: { country_code: string; province: string | null; postal_code: string | null }
  items: object[]
  currency: string
  subtotal: number
}

export type QuotePlan = { request: QuoteRequest; rates: QuotedRate[]; digest: string }

type QuotedCart = {
  place: DeliveryPlace
  lines: readonly (OrderLine | null)[]
  load: Load
  quoted: readonly QuotedRate[]
}

/** Asks about the rates that nothing else excludes. Null if there is nothing to ask or ship, or no country yet. */
export function planQuotes(
  rates: readonly OfferedRate[],
  { place, lines: allLines, load, quoted }: QuotedCart,
  { currency }: Pick<Store, 'currency'>,
): QuotePlan | null {
  const { country_code, province = null, postal_code = null } = place
  const lines = allLines.filter((line) => line !== null)
  const possible = rates.filter((rate) => listRateReasons(rate, { load, goods: null }, place).length === 0)
  const asked = quoted.filter(({ code }) => possible.some((rate) => rate.code === code))
  const shipped = lines.filter(({ requires_shipping }) => requires_shipping)
  if (!country_code || shipped.length === 0 || asked.length === 0) return null
  const request = {
    destination: { country_code, province, postal_code },
    items: shipped.map(toQuoteItem),
    currency,
    subtotal: toNumber(sum(lines.map(({ total }) => total))),
  }
  const key = JSON.stringify([request, asked.map(({ id, quote_url }) => [id, quote_url])])
  return { request, rates: asked, digest: hashSecret(key).toString('base64url') }
}

function toQuoteItem(line: OrderLine): object {
  const { product_id, variant_id, sku, quantity, weight, total } = line
  return {
    product_id: product_id && publicId('prod', product_id),
    variant_id,
    sku,
    quantity,
    weight,
    amount: toNumber(total),
  }
}

/** The rates with the prices of their apps, or what the fallback of each says. */
export function applyQuotes(
  rates: readonly OfferedRate[],
  quoted: readonly QuotedRate[],
  answers: readonly QuoteAnswer[],
): OfferedRate[] {
  return rates.map((rate) => {
    const own = quoted.find(({ code }) => code === rate.code)
    return own
      ? applyQuote(
          rate,
          own,
          answers.find(({ code }) => code === rate.code),
        )
      : rate
  })
}

function applyQuote(rate: OfferedRate, { quote_fallback }: QuotedRate, answer: QuoteAnswer | undefined): OfferedRate {
  if (!answer || answer.error !== null) {
    const quote = { source: 'fallback', error: answer?.error ?? null, detail: answer?.detail ?? null } as const
    return quote_fallback === 'price'
      ? { ...rate, quote }
      : { ...rate, quote, refusal: reason(rateFaults.quote_missing) }
  }
  const quote = { source: 'app', error: null, detail: null } as const
  if (answer.price === null) {
    const { reason: why } = answer
    const refusal = why ? reason(rateFaults.quote_explained, { reason: why }) : reason(rateFaults.quote_declined)
    return { ...rate, quote, refusal }
  }
  const { price, name, min_days, max_days } = answer
  const days = min_days === null && max_days === null ? {} : { min_days, max_days }
  return { ...rate, price_by: 'flat', price, tiers: [], surcharges: [], name: name ?? rate.name, ...days, quote }
}
