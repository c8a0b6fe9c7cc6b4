// Explains whether a shipping rate is offered to an order, what it costs, and why it is not offered. It has no side
// effects.
import { reason, type Reason } from '../../kit/values/faults.ts'
import { Decimal } from '../../kit/values/money.ts'
import { parseProvinceCode, provinceName } from '../../kit/values/provinces.ts'
import { fitPostalCode, isInProvince, type DeliveryPlace } from '../../kit/values/places.ts'
import { rateFaults } from './errors.ts'
import type { Load } from './load.ts'
import { digitalRate, isUndelivered } from './rate.ts'
import { computeShippingCost, type Parcel, type RateFields, type RatePrice } from './shippingcost.ts'

// prettier-ignore
export const rateConditions = [
  'country_codes', 'provinces', 'postal_codes', 'min_weight', 'max_weight', 'min_amount', 'max_amount',
  'excluded_categories',
] as const

export type RateArea = Pick<RateFields, 'country_codes' | 'provinces' | 'postal_codes'>
/** `refusal`: why its app does not offer it. */
export type RateConditions = Pick<RateFields, (typeof rateConditions)[number] | DeliveryTerms> & { refusal?: Reason }
type DeliveryTerms = 'code' | 'requires_address' | 'pickup_address'

export type RateExplanation = { isOffered: boolean; price: Decimal; reasons: Reason[] }

export function explainRate(rate: RateConditions & RatePrice, parcel: Parcel, place: DeliveryPlace): RateExplanation {
  const reasons = listRateReasons(rate, parcel, place)
  return { isOffered: reasons.length === 0, price: computeShippingCost(rate, parcel), reasons }
}

/** All reasons against a rate. What is not known yet excludes none: a part of the place, or `goods`. */
export function listRateReasons(
  rate: RateConditions,
  { load, goods }: { load: Load; goods: Decimal | null },
  place: DeliveryPlace,
): Reason[] {
  return [
    explainPlace(rate, place),
    explainShipment(rate, load),
    explainWeight(rate, load),
    explainAmount(rate, goods),
    explainGoods(rate, load),
    rate.refusal ?? null,
  ].filter((one) => one !== null)
}

/** Provinces narrow the countries that they are in. */
export function explainPlace(
  { country_codes, provinces, postal_codes }: RateArea,
  place: DeliveryPlace,
): Reason | null {
  const { country_code: country, province, postal_code: code } = place
  if (!country) return null
  if (country_codes.length > 0 && !country_codes.includes(country)) return reason(rateFaults.does_not_ship, { country })
  const within = provincesOf({ provinces }, country)
  if (within.length > 0 && province && !within.some((one) => isInProvince(place, one)))
    return reason(rateFaults.not_to_province, { province: nameOfProvince(country, province) })
  const isServed = !code || postal_codes.length === 0 || postal_codes.some((one) => fitPostalCode(one, code) !== null)
  return isServed ? null : reason(rateFaults.not_to_postal_code, { postal_code: code })
}

const nameOfProvince = (country: string, text: string): string => provinceName(parseProvinceCode(country, text)) ?? text

/** The provinces of this country to which the rate is limited. */
export function provincesOf({ provinces }: Pick<RateArea, 'provinces'>, country: string): string[] {
  return provinces.filter((code) => code.startsWith(`${country}-`))
}

/** A store may tell downloads apart by their categories instead, as before there was `requires_shipping`. */
function explainShipment(rate: RateConditions, { isShipped, lines }: Load): Reason | null {
  if (!isShipped) return isUndelivered(rate) ? null : reason(rateFaults.nothing_to_ship)
  const [first] = lines
  const isForOthers = rate.code === digitalRate.code && rate.excluded_categories.length === 0
  return first && isForOthers ? reason(rateFaults.goods_to_ship, { product: first.name }) : null
}

function explainWeight({ min_weight: min, max_weight: max }: RateConditions, { weight }: Load): Reason | null {
  if (min !== null && weight < min) return reason(rateFaults.too_light, { limit: min, weight })
  return max !== null && weight > max ? reason(rateFaults.too_heavy, { limit: max, weight }) : null
}

function explainAmount({ min_amount: min, max_amount: max }: RateConditions, goods: Decimal | null): Reason | null {
  if (goods === null) return null
  const amount = goods.toNumber()
  if (min !== null && goods.lessThan(min)) return reason(rateFaults.amount_too_small, { limit: min, amount })
  return max !== null && goods.greaterThan(max) ? reason(rateFaults.amount_too_large, { limit: max, amount }) : null
}

function explainGoods({ excluded_categories: excluded }: RateConditions, { lines }: Load): Reason | null {
  const goods = lines.flatMap((line) => [line, ...line.parts])
  const first = goods.find(({ categories }) => categories.some((id) => excluded.includes(id)))
  return first ? reason(rateFaults.not_carried, { product: first.name }) : null
}
