// Destinations and costs of shipping, and the missing fields of a checkout, for API and pages.
import { text } from '../../../kit/declare/scalars.ts'
import { fault, type Fault, generalFaults } from '../../../kit/values/faults.ts'
import type { DeliveryPlace } from '../../../kit/values/places.ts'
import { listProvinces, getAddressRules, type Province } from '../../../kit/values/provinces.ts'
import { parseCountryCode } from '../../../kit/values/countries.ts'
import { explainPlace, provincesOf } from '../../../commerce/orders/rateoffer.ts'
import { findRegionFaults } from '../../../commerce/orders/address.ts'
import { digitalRate, isUndelivered } from '../../../commerce/orders/rate.ts'
import { findBillingFaults, type BillingInput } from '../../../commerce/orders/billing.ts'
import { configurableFields, type CheckoutFieldLevels, type Level } from '../../../tenancy/stores/checkoutfields.ts'
import { areAnyShipped, type MaybeShipped } from '../../../commerce/orders/load.ts'
import type { CheckoutAddress, CheckoutCustomer } from '../checkout.ts'
import type { CheckoutMethod } from '../../../commerce/payments/method.ts'
import type { Offer, OfferedRate } from './offer.ts'
import { checkoutFaults } from '../errors.ts'
import { missingAnswers, type AnswerChanges } from './answers.ts'

/** A rate without countries ships everywhere, and an unknown country excludes none. */
export function ratesTo({ shipping_rates }: Pick<Offer, 'shipping_rates'>, country: string | null): OfferedRate[] {
  return shipping_rates.filter((rate) => explainPlace(rate, { country_code: country }) === null)
}

/** The rates that can be chosen in this checkout. */
export function ratesOffered(offer: Rates, checkout: { shipping_costs: ShippingCost[] }): OfferedRate[] {
  return listAllRates(offer).filter((rate) => checkout.shipping_costs.some(({ code }) => code === rate.code))
}

/** With the rate for carts without goods to ship. One of the store's own replaces it, unless it wants an address. */
export function listAllRates({ shipping_rates }: Rates): OfferedRate[] {
  const isDigital = ({ code }: OfferedRate) => code === digitalRate.code
  const hasOwn = shipping_rates.some((rate) => isDigital(rate) && isUndelivered(rate))
  return hasOwn ? shipping_rates : [...shipping_rates.filter((rate) => !isDigital(rate)), digitalRate]
}

type Rates = Pick<Offer, 'shipping_rates'>

/** `isShipped`: false for a cart without goods to ship. */
type GoodsPlace = DeliveryPlace & { isShipped: boolean }

/** True if the store delivers the goods to other places than this one: the address may be the wrong one. */
export function deliversElsewhere({ shipping_rates }: Rates, { isShipped, ...place }: GoodsPlace): boolean {
  return isShipped && shipping_rates.some((rate) => rate.requires_address && explainPlace(rate, place) !== null)
}

/** The only rate is chosen by itself. A pickup is not where the store delivers elsewhere: shoppers choose that. */
export function findOnlyRate(rates: readonly OfferedRate[], offer: Rates, place: GoodsPlace): OfferedRate | null {
  const [only, ...others] = rates
  if (!only || others.length > 0) return null
  return only.requires_address || !deliversElsewhere(offer, place) ? only : null
}

/** A rate may restrict payment methods: pickup cannot be paid on delivery. */
export function isPaidBy(
  { payment_methods: codes }: Pick<OfferedRate, 'payment_methods'>,
  { code }: { code: string },
): boolean {
  return codes.length === 0 || codes.includes(code)
}

/** Without a chosen rate, all methods remain. */
export function methodsWith(
  { payment_methods }: Pick<Offer, 'payment_methods'>,
  rate: OfferedRate | null | undefined,
): CheckoutMethod[] {
  const possible = payment_methods.filter((method) => !rate || isPaidBy(rate, method))
  // Nobody takes cash for a download, unless it is the only way to pay.
  const others = rate?.code === digitalRate.code ? possible.filter(({ code }) => code !== 'cod') : possible
  return others.length > 0 ? others : possible
}

/** The cost of a rate in one checkout. `name`: of a rate whose app quoted the price. */
export type ShippingCost = {
  code: string
  price: number
  arrives_from: string | null
  arrives_to: string | null
  name?: string
}

export const arrivalDay = (which: string) =>
  text({ format: 'date' })
    .nullable()
    .example('2026-12-02')
    .describe(`${which} day of the estimated arrival; null for a rate without delivery times`)

/** The initial destination, so that the first total can be paid. */
export function firstDestination(offer: Offer, home: string) {
  const rateHome = ratesTo(offer, home)[0]
  const rate = rateHome ?? offer.shipping_rates[0]
  const country_code = rate && !rateHome ? rate.country_codes[0]! : home
  const payment_method = methodsWith(offer, rate)[0]?.code ?? null
  return { country_code, shipping_method: rate?.code ?? null, payment_method }
}

export function getAddressCountry(address: CheckoutAddress | null): string | null {
  return address?.country_code ?? parseCountryCode(address?.country)
}

type Placeable = {
  items: readonly MaybeShipped[]
  customer: CheckoutCustomer
  shipping_address: CheckoutAddress | null
  billing_address?: BillingInput | null
  shipping_method: string | null
  payment_method: string | null
  custom_fields?: AnswerChanges | null
}

const countryField = 'shipping_address.country_code'
const billingCountry = 'billing_address.country_code'

/** Fields that every order needs. */
const requiredFields = ['customer.name', 'shipping_address.address', 'shipping_address.city']

type PlaceTerms = Pick<Offer, 'tax_zones' | 'shipping_rates'>
type AddressTerms = PlaceTerms & Pick<Offer, 'asking'>

/** Field → level. Email is required if the phone is hidden; otherwise one of the two suffices. */
function listFieldLevels(terms: AddressTerms, country: string | null): [string, Level][] {
  const { asking } = terms
  const email = asking.phone === 'hidden' ? 'required' : 'optional'
  const levels = { ...asking, ...levelsIn(terms, country) }
  return [
    ['customer.email', email],
    ...requiredFields.map((field): [string, Level] => [field, 'required']),
    ...(Object.keys(configurableFields) as (keyof CheckoutFieldLevels)[]).map((name): [string, Level] => [
      configurableFields[name].of,
      levels[name],
    ]),
  ]
}

/** The country's postal rules override the store's settings, and so does what taxes and shipping depend on. */
function levelsIn(terms: AddressTerms, country: string | null): Pick<CheckoutFieldLevels, 'postal_code' | 'province'> {
  const { postal_code, province } = terms.asking
  if (!country) return { postal_code, province }
  const rules = getAddressRules(country)
  const isByCode = ratesTo(terms, country).some(({ postal_codes }) => postal_codes.length > 0)
  const unless = (has: boolean, level: Level): Level => (has ? level : 'hidden')
  return {
    postal_code: rules.needsPostalCode || isByCode ? 'required' : unless(rules.hasPostalCode, postal_code),
    province:
      rules.needsProvince || dependsOnProvince(terms, country)
        ? 'required'
        : unless(rules.hasProvince || province === 'required', province),
  }
}

export function getFieldLevel(field: string, terms: AddressTerms, country: string | null): Level {
  return new Map(listFieldLevels(terms, country)).get(field) ?? 'optional'
}

/** A name of its own is only needed where the contact has none. */
export function getBillingLevel(part: string, { asking }: AddressTerms, country: string | null): Level {
  const rules = country ? getAddressRules(country) : null
  const choose = (isNeeded = false, isKnown = true): Level => (isNeeded ? 'required' : isKnown ? 'optional' : 'hidden')
  switch (part) {
    case 'postal_code':
      return choose(rules?.needsPostalCode, rules?.hasPostalCode)
    case 'province':
      return choose(rules?.needsProvince, rules?.hasProvince)
    case 'address_2':
      return choose(false, asking.address_2 !== 'hidden')
    default:
      return choose(['address', 'city'].includes(part))
  }
}

/** Choices for the province of an address; empty if it is free text. */
export function provincesIn(terms: PlaceTerms, country: string): readonly Province[] {
  return dependsOnProvince(terms, country) ? listProvinces(country) : getAddressRules(country).provinces
}

/** True if taxes or shipping rates differ between the provinces. */
function dependsOnProvince({ tax_zones, shipping_rates }: PlaceTerms, country: string): boolean {
  return (
    tax_zones.some(({ country_code, provinces }) => country_code === country && provinces.length > 0) ||
    shipping_rates.some((rate) => provincesOf(rate, country).length > 0)
  )
}

/**
 * Faults for missing fields; `rates` can be chosen. The country decides if postal code and province are among them. A
 * payment method is required only if the store has set up any.
 */
export function missingFields(checkout: Placeable, offer: Offer, rates: readonly OfferedRate[]): Fault[] {
  const { items, customer, shipping_address: address, billing_address, shipping_method, payment_method } = checkout
  const country = getAddressCountry(address)
  const rate = rates.find(({ code }) => code === shipping_method)
  const needsAddress = rate ? rate.requires_address : rates.every(({ requires_address }) => requires_address)
  const isRequired = ([field, level]: [string, Level]) =>
    level === 'required' && (needsAddress || !field.startsWith('shipping_address.'))
  const missingLevels = listFieldLevels(offer, country).filter((one) => isRequired(one) && !textAt(checkout, one[0]))
  const isContactMissing = offer.asking.phone === 'optional' && !customer.email && !customer.phone
  const isBillingMissing = needsBillingCountry(offer, items) && !billing_address?.country_code
  const isMissing: [boolean, Fault][] = [
    [items.length === 0, fault('items', checkoutFaults.cart_empty)],
    [isContactMissing, fault('customer.email', checkoutFaults.contact_required)],
    ...missingLevels.map(([field]): [boolean, Fault] => [true, fault(field, generalFaults.required)]),
    [needsAddress && country === null && rates.length > 0, fault(countryField, generalFaults.required)],
    ...(needsAddress ? addressFaults(offer, address, country) : []).map((fault): [boolean, Fault] => [true, fault]),
    [isBillingMissing, fault(billingCountry, generalFaults.required)],
    ...missingBillingFields(billing_address, customer, offer).map((one): [boolean, Fault] => [true, one]),
    ...missingAnswers(checkout.custom_fields, offer.custom_fields).map((one): [boolean, Fault] => [true, one]),
    [rates.length === 0 && !shipping_method, fault(countryField, checkoutFaults.no_shipping_there)],
    [rates.length > 0 && !shipping_method, fault('shipping_method', generalFaults.required)],
    [offer.has_own_methods && !payment_method, fault('payment_method', generalFaults.required)],
  ]
  return isMissing.filter(([is]) => is).map(([, fault]) => fault)
}

/** What is not shipped is taxed where it is billed, which matters where taxes of several countries are charged. */
export function needsBillingCountry({ tax_zones }: Pick<Offer, 'tax_zones'>, items: readonly MaybeShipped[]): boolean {
  return !areAnyShipped(items) && new Set(tax_zones.map(({ country_code }) => country_code)).size > 1
}

/** A billing address is complete whatever the shipping rate; its name may be that of the shopper. */
function missingBillingFields(
  address: BillingInput | null | undefined,
  { name }: CheckoutCustomer,
  offer: Offer,
): Fault[] {
  if (!address) return []
  const missing = (['address', 'city', 'postal_code', 'province'] as const).filter(
    (part) => getBillingLevel(part, offer, address.country_code ?? null) === 'required' && !address[part]?.trim(),
  )
  return [
    ...missing.map((part) => fault(`billing_address.${part}`, generalFaults.required)),
    ...findBillingFaults({ ...address, name: address.name ?? name }),
  ]
}

/** Checks a listed province and the form of the postal code. */
function addressFaults(offer: Offer, address: CheckoutAddress | null, country: string | null): Fault[] {
  if (!address || !country) return []
  const isListed =
    getFieldLevel('shipping_address.province', offer, country) === 'required' && provincesIn(offer, country).length > 0
  return findRegionFaults('shipping_address', address, country, { isListed })
}

function textAt(checkout: Placeable, field: string): string {
  const [outer, inner] = field.split('.') as [string, string | undefined]
  const value = (checkout as Record<string, any>)[outer]
  return String((inner === undefined ? value : value?.[inner]) ?? '').trim()
}
