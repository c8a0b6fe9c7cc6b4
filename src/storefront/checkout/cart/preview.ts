// Explains which shipping rates a cart would be offered at an address, as the checkout decides it.
import { complete, list, textsByKey } from '../../../kit/declare/composites.ts'
import { choice, flag, money, text } from '../../../kit/declare/scalars.ts'
import { resource, type Json } from '../../../kit/declare/resource.ts'
import { pick } from '../../../kit/declare/row.ts'
import { json } from '../../../kit/declare/route.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import type { Create } from '../../../kit/declare/field.ts'
import type { Db } from '../../../kit/database/database.ts'
import { formatReason, type Reason } from '../../../kit/values/faults.ts'
import { parseProvinceCode } from '../../../kit/values/provinces.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { rateFaults } from '../../../commerce/orders/errors.ts'
import { countryCode, type Store } from '../../../tenancy/stores/store.ts'
import { quoteErrors, shippingRate } from '../../../tenancy/stores/shippingrate.ts'
import { checkoutItems, inputFields, type WithQuotes } from '../checkout.ts'
import { priceSources, type PriceSource } from '../offers/pricesource.ts'
import type { ShippingQuotes } from '../offers/quotes.ts'
import { askForQuotes, type Asking } from './askquotes.ts'
import { emptyCart, quoteCart, type CartInput } from './quote.ts'
import { arrivalDay, type ShippingCost } from '../offers/shipping.ts'
import { findOffer, type OfferedRate } from '../offers/offer.ts'

const previewFields = {
  items: checkoutItems.required(),
  country_code: countryCode().nullable().example('MX').describe("Country of the address. Defaults to the store's"),
  province: text({ max: 120 }).nullable().example('CDMX'),
  postal_code: text({ max: 40 }).nullable().example('06600'),
  discount_code: inputFields.discount_code,
}

export const previewBody = createBody(previewFields)

const codes = Object.values(rateFaults).map(({ code }) => code)

const reasonValues = textsByKey({ maxKeys: 3, keys: /^[a-z_]+$/, maxLength: 500, description: 'Values of the message' })

// prettier-ignore
export const previewSchema = resource('shipping_rates', {
  shipping_rates: list(complete({
    code:         shippingRate.fields.code,
    name:         shippingRate.fields.name,
    is_offered:   flag().describe('Whether the checkout offers it'),
    price:        money().describe('Price for this cart, also if it is not offered'),
    arrives_from: arrivalDay('First'),
    arrives_to:   arrivalDay('Last'),
    price_source: choice(priceSources)
      .describe('Where the price comes from; fallback: its own, instead of a quote'),
    quote_error:  choice(quoteErrors).nullable().describe('Why its app gave no price; otherwise null'),
    quote_error_detail: shippingRate.fields.quote_error_detail,
    reasons:      list(complete({
      code:    choice(codes),
      values:  reasonValues.example({ limit: '30000', weight: '31000' }),
      message: text().example('takes at most 30000 g, and the goods weigh 31000 g').describe('Completes the name'),
    }), { max: 5 }).describe('Why it is not offered; otherwise empty'),
  }), { max: 50 }).describe('All active rates, in the order of the checkout'),
}, {}, { noun: 'Shipping rate', title: 'ShippingRatePreview' }).entity

export type RatePreview = Pick<OfferedRate, 'code' | 'name'> &
  Pick<ShippingCost, 'price' | 'arrives_from' | 'arrives_to'> & {
    is_offered: boolean
    price_source: PriceSource['source']
    quote_error: PriceSource['error']
    quote_error_detail: PriceSource['detail']
    reasons: Reason[]
  }

type PreviewInput = Create<typeof previewFields>

/** Asks the apps, before the transaction. */
export function askForPreview(asking: Asking, input: PreviewInput): Promise<ShippingQuotes | undefined> {
  return askForQuotes(asking, toPreviewCart(asking.store, input))
}

function toPreviewCart(store: Store, { items, discount_code = null, ...place }: PreviewInput): CartInput {
  const country_code = place.country_code ?? store.country_code
  return {
    ...emptyCart,
    items,
    discount_codes: discount_code ? [discount_code] : [],
    country_code,
    province: parseProvinceCode(country_code, place.province) ?? place.province ?? null,
    postal_code: place.postal_code ?? null,
  }
}

export async function previewRates(
  db: Db,
  store: Store,
  input: PreviewInput,
  { now, quotes }: WithQuotes & { now: Date },
): Promise<RatePreview[]> {
  const cart = toPreviewCart(store, input)
  const quote = await quoteCart(db, store, { ...cart, quotes: quotes ?? null }, findOffer(db, store), { now })
  const faults = quote.faults.filter(({ field }) => field in previewFields || field.startsWith('items.'))
  if (faults.length > 0) throw invalid(...faults)
  return quote.explanations.map(({ rate, isOffered, cost, reasons }) => ({
    ...pick(rate, ['code', 'name']),
    is_offered: isOffered,
    ...pick(cost, ['price', 'arrives_from', 'arrives_to']),
    price_source: rate.quote?.source ?? 'rate',
    quote_error: rate.quote?.error ?? null,
    quote_error_detail: rate.quote?.detail ?? null,
    reasons,
  }))
}

export function toPreviewResponse(previews: readonly RatePreview[]): Json<unknown> {
  const shipping_rates = previews.map(({ reasons, ...rate }) => ({
    ...rate,
    reasons: reasons.map((one) => ({
      code: one.code,
      values: Object.fromEntries(Object.entries(one.values).map(([name, value]) => [name, String(value)])),
      message: formatReason(one),
    })),
  }))
  return json({ shipping_rates })
}
