// Shipping rates: where each ships to, under which conditions, and what it costs.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { conflict, invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults, reason, type Fault, type Reason } from '../../kit/values/faults.ts'
import { hasUnevenEnds, isPostalCodePattern } from '../../kit/values/places.ts'
import { parseProvinceCode } from '../../kit/values/provinces.ts'
import { addressFaults } from '../../platform/outbound/errors.ts'
import { list, object, set } from '../../kit/declare/composites.ts'
import { choice, decimal, flag, id, integer, money, text, time, url } from '../../kit/declare/scalars.ts'
import { resource } from '../../kit/declare/resource.ts'
import type { Rule } from '../../kit/declare/shape.ts'
import { categoryId, findMissingCategories, methodCode, type CheckoutSetting } from './setting.ts'
import { countryCode, type Store } from './store.ts'
import { storeFaults } from './errors.ts'

/** What the price depends on: nothing, the weight, amount or items of the goods by a table, or each item. */
export const priceBases = ['flat', 'weight', 'amount', 'items', 'per_item'] as const

export const surchargeUnits = ['order', 'item'] as const

/** What a rate does whose app gives no price. */
export const quoteFallbacks = ['price', 'not_offered'] as const

/** Why an app gave no price. */
export const quoteErrors = [
  'no_secret',
  'timeout',
  'unreachable',
  'tls',
  'blocked_address',
  'status',
  'too_large',
  'invalid',
] as const
export type QuoteError = (typeof quoteErrors)[number]

// prettier-ignore
const tier = object({
  from:  decimal({ min: 0, max: 999_999_999_999 }).required().example(2000)
    .describe('Weight in grams, amount or items from which this price applies'),
  price: money().required().example(149),
}, { always: ['from', 'price'] })

// prettier-ignore
const surcharge = object({
  category_id: categoryId().required(),
  amount:      money().required().example(25),
  per:         choice(surchargeUnits).default('order').describe('Once for the order, or for each item'),
}, { always: ['category_id', 'amount', 'per'] })

const weight = () => integer({ min: 0, max: 1_000_000_000 }).nullable().example(30_000)
const days = () => integer({ min: 0, max: 365 }).nullable().example(2)

function checkPostalCodes(text: string): Reason | null {
  if (hasUnevenEnds(text)) return reason(storeFaults.uneven_ends)
  return isPostalCodePattern(text) ? null : reason(storeFaults.no_postal_codes)
}

type RateLimits = Record<string, any>

/** The limits of a pair, of a body that has both. */
const pairRule = (low: string, high: string): Rule<RateLimits> => ({
  fields: [low, high],
  check: ({ [low]: from, [high]: to }) =>
    typeof from === 'number' && typeof to === 'number' && to < from
      ? fault(high, generalFaults.too_small, { limit: from })
      : null,
})

const pairs = [
  ['min_weight', 'max_weight'],
  ['min_amount', 'max_amount'],
  ['min_days', 'max_days'],
] as const

const tiersRule: Rule<{ tiers?: { from: number }[] }> = {
  fields: ['tiers'],
  check: ({ tiers = [] }) =>
    tiers.flatMap(({ from }, index) =>
      index > 0 && from <= tiers[index - 1]!.from
        ? [fault(`tiers.${index}.from`, generalFaults.not_above, { limit: tiers[index - 1]!.from })]
        : [],
    ),
}

// prettier-ignore
export const shippingRate = resource('shipping_rates', {
  id:               id('rate').readonly(),
  code:             methodCode().required().example('standard')
    .describe('Built-in (standard, express, local_delivery, pickup, digital) or custom code'),
  name:             text({ min: 1, max: 120 }).nullable().example('Home delivery')
    .describe('Name shown to shoppers; if null, the default name of the built-in shipping method'),
  description:      text({ max: 500 }).nullable().example('2 to 4 days'),
  price_by:         choice(priceBases).default('flat')
    .describe('What the price depends on: nothing, a table by weight, amount or items, or the price for each item'),
  price:            money().required().example(99).describe('Price, up to the first of the tiers'),
  tiers:            list(tier, { max: 50 }).default([])
    .describe('Prices from a weight, an amount after discounts or a number of items, in ascending order; the last '
      + 'one that is reached applies. A flat price has none'),
  surcharges:       list(surcharge, { max: 20 }).default([])
    .describe('Added for products of a category or of those below it'),
  quote_url:        url().rule((text) => (/^https:/i.test(text) ? null : reason(addressFaults.not_https))).nullable()
    .example('https://example.com/shipping/quote')
    .describe('HTTPS URL of an app that answers the price for a cart and an address; null: the rate has its own'),
  quote_fallback:   choice(quoteFallbacks).default('price')
    .describe('If the app gives no price in time: its own price, or not offered'),
  quote_secret_last4: text({ max: 4 }).nullable().readonly().example('9f3c')
    .describe('Last four characters of the secret that signs the requests; null until one is made'),
  quote_error:      choice(quoteErrors).nullable().readonly().describe('Why the app last gave no price'),
  quote_error_detail: text({ max: 200 }).nullable().readonly().example('503')
    .describe('Status of the response, or the wrong field of it'),
  quote_failed_at:  time().nullable().readonly().describe('Time the app last gave no price'),
  free_from:        money().nullable().example(1000)
    .describe('Order amount from which shipping is free, after discounts'),
  free_by_code:     flag().example(true)
    .describe('Whether free-shipping codes apply; defaults to true, except for express'),
  country_codes:    set(countryCode(), { max: 250 }).default([]).example(['MX'])
    .describe('Countries it ships to; empty: worldwide'),
  provinces:        set(text({ min: 1, max: 120 }), { max: 250 }).default([]).example(['MX-YUC', 'MX-CMX'])
    .describe('ISO 3166-2 codes of the provinces it ships to, in the countries that have any here; requests may use '
      + 'names'),
  postal_codes:     set(
    text({ min: 1, max: 40 }).rule(checkPostalCodes),
    { max: 500 },
  ).default([]).example(['97*', '10000-19999'])
    .describe('Postal codes it ships to: whole, with * as prefix, or a range of codes of one length; empty: all'),
  min_weight:       weight().describe('Least weight of the goods, in grams'),
  max_weight:       weight().describe('Greatest weight of the goods, in grams'),
  min_amount:       money().nullable().example(20).describe('Least amount of the goods, after discounts'),
  max_amount:       money().nullable().example(500).describe('Greatest amount of the goods, after discounts'),
  excluded_categories: set(categoryId(), { max: 50 }).default([])
    .describe('Categories it does not carry, with those below them: it is not offered for a cart with such a product'),
  handling_days:    days().describe('Business days until the goods are handed to the carrier'),
  min_days:         days().describe('Fewest business days from then to the delivery'),
  max_days:         days().describe('Most business days from then to the delivery'),
  requires_address: flag().example(true)
    .describe('Whether an address is required; defaults to true, except for pickup and digital'),
  payment_methods:  set(methodCode(), { max: 20 }).default([]).example(['cod'])
    .describe('Codes of the payment methods offered with it; empty: all'),
  pickup_address:   text({ max: 500 }).nullable().example('Calle 60 no. 482, Mérida')
    .describe('Pickup address, shown at checkout and with the order'),
  pickup_hours:     text({ max: 500 }).nullable().example('Mon–Fri 9–18, Sat 10–14')
    .describe('Opening hours of the pickup address, shown beside it'),
  position:         integer({ min: 0, max: 1000 }).default(0).sortable(),
  is_active:        flag().default(true),
  created_at:       time().readonly(),
  updated_at:       time().readonly(),
}, {}, {
  noun: 'Shipping rate',
  defaultSort: 'position',
  defaultOrder: 'asc',
  rules: [...pairs.map(([low, high]) => pairRule(low, high)), tiersRule],
})

const withoutAddress = ['pickup', 'digital']

export const shippingRates: CheckoutSetting = {
  resource: shippingRate,
  path: '/store/shipping-rates',
  plural: 'shipping rates',
  maximum: 50,
  complete: ({ code }) => ({ requires_address: !withoutAddress.includes(code), free_by_code: code !== 'express' }),
  refusals: ({ code }) => ({
    shipping_rates_code: () => conflict(`A shipping rate with the code ${code} already exists`),
    shipping_rates_name: () => invalid(fault('name', storeFaults.name_required)),
    shipping_rates_weights: () => invalid(fault('max_weight', storeFaults.below_other, { minimum: 'min_weight' })),
    shipping_rates_amounts: () => invalid(fault('max_amount', storeFaults.below_other, { minimum: 'min_amount' })),
    shipping_rates_days: () => invalid(fault('max_days', storeFaults.below_other, { minimum: 'min_days' })),
  }),
  beside: checkReferences,
}

type RateReferences = {
  country_codes: string[]
  provinces: string[]
  excluded_categories?: string[]
  surcharges?: { category_id: string }[]
}

/** Checks categories and provinces, and converts names of provinces to codes. */
async function checkReferences(tx: Tx, store: Store, id: string, values: Partial<RateReferences>): Promise<object> {
  const { excluded_categories = [], surcharges = [] } = values
  const ids = [
    ...excluded_categories.map((categoryId, index) => [`excluded_categories.${index}`, categoryId]),
    ...surcharges.map(({ category_id }, index) => [`surcharges.${index}.category_id`, category_id]),
  ] as [string, string][]
  const [missing, provinces] = await Promise.all([
    findMissingCategories(tx, store.id, ids),
    readProvinces(tx, store, id, values),
  ])
  const faults = [...provinces.faults, ...missing]
  if (faults.length > 0) throw invalid(...faults)
  return provinces.codes ? { provinces: provinces.codes } : {}
}

type ReadProvinces = { codes?: string[]; faults: Fault[] }

/** Each province is in one of the rate's countries, also after a change of these alone. */
async function readProvinces(
  tx: Tx,
  store: Store,
  id: string,
  values: Partial<RateReferences>,
): Promise<ReadProvinces> {
  if (!values.provinces && !values.country_codes) return { faults: [] }
  const before = values.provinces && values.country_codes ? undefined : await findPlaces(tx, store.id, id)
  const { country_codes = [], provinces = [] } = { ...before, ...values }
  if (provinces.length === 0) return { faults: [] }
  if (country_codes.length === 0) return { faults: [fault('country_codes', storeFaults.countries_required)] }
  const codes = provinces.map((name) => findProvince(name, country_codes))
  const faults = codes.flatMap((code, index) =>
    code === null
      ? [fault(`provinces.${index}`, generalFaults.no_province, { country: country_codes.join(', ') })]
      : [],
  )
  return { codes: [...new Set(codes.filter((code) => code !== null))], faults }
}

function findProvince(name: string, countries: readonly string[]): string | null {
  return countries.map((country) => parseProvinceCode(country, name)).find((code) => code !== null) ?? null
}

function findPlaces(tx: Tx, storeId: string, id: string): Promise<RateReferences | undefined> {
  return tx.one<RateReferences>(sql`
    select country_codes, provinces from shipping_rates
    where store_id = ${storeId}
      and id = ${id}`)
}
