// Decides how a sale is taxed, based on its destination, its buyer and the store's settings. It has no side effects.
import { euCountries } from '../../kit/values/countries.ts'
import { publicId } from '../../kit/values/ids.ts'
import { pick } from '../../kit/declare/row.ts'
import { fitPostalCode, isInProvince, type DeliveryPlace } from '../../kit/values/places.ts'
import { parseProvinceCode } from '../../kit/values/provinces.ts'
import { checkTaxId, northernIreland } from './taxid.ts'
import { asPartOfCountry, isOutsideVat, taxedAs } from './territories.ts'
import type { ShippingTax, TaxReason } from './taxzone.ts'
import type { TaxTerms, TaxZone } from './terms.ts'

/** The destination of a sale. Without a country, it is taxed as a sale in the store's country. */
export type TaxPlace = DeliveryPlace & {
  /** True for the billing address: nothing is delivered. */
  isBilled?: boolean
  /** The place of what is not shipped, if it is billed elsewhere. */
  billed?: DeliveryPlace | undefined
}

/** Goods are taxed where they are delivered, and what is not shipped where it is billed. */
export function choosePlace(delivery: DeliveryPlace, billing: DeliveryPlace | null, isDelivered: boolean): TaxPlace {
  if (!billing) return delivery
  const billed = pick(billing, placeNames)
  if (!isDelivered) return { ...billed, isBilled: true }
  const isElsewhere = placeNames.some((name) => (delivery[name] ?? null) !== (billed[name] ?? null))
  return { ...delivery, billed: billed.country_code && isElsewhere ? billed : undefined }
}

const placeNames = ['country_code', 'province', 'postal_code'] as const

export type TaxBuyer = { tax_id: string | null; is_exempt: boolean }

/** One tax of a rate. `name` is the zone's name if it has a single tax; null without a zone. */
export type TaxComponent = {
  name: string | null
  rate: number
  reason: TaxReason
  /** The tax number under which the store collects it; null: the store's own. */
  tax_id: string | null
  /** Also charged on the components before it. */
  compound: boolean
}

/** Has at least one component, without duplicates. */
export type TaxRate = { components: readonly TaxComponent[] }

export type Treatment = {
  country_code: string
  /** Prices include the tax. */
  included: boolean
  shipping: ShippingTax
  rounding: TaxTerms['tax_rounding']
  /** The reason why the whole sale is untaxed; null if it is taxed. */
  relief: TaxReason | null
  /** The province of the billing address, if the sale is taxed there; empty if it has none. */
  billed_province?: string
  /** `categoryId` is a uuid. */
  rateOf(categoryId: string | null): TaxRate
  /** The treatment of what is not shipped, if it is billed elsewhere. */
  billed?: Treatment | undefined
}

/** Goods without a word on it are shipped. */
export type TaxedGoods = { category_id: string | null; requires_shipping?: boolean | undefined }

export function treatmentOf({ requires_shipping }: Pick<TaxedGoods, 'requires_shipping'>, sale: Treatment): Treatment {
  return (requires_shipping === false ? sale.billed : undefined) ?? sale
}

/** Null if the store charges no tax anywhere. `home` is the store's country. */
export function resolveTaxTreatment(terms: TaxTerms, home: string, place: TaxPlace, buyer: TaxBuyer): Treatment | null {
  const { tax_zones: zones } = terms
  if (zones.length === 0 && Number(terms.tax_rate) === 0) return null
  const country_code = place.country_code ?? home
  const there = { ...place, country_code }
  const isAway = isOutsideVat(there)
  const country = taxedAs(there) ?? country_code
  const isInVat = !isAway && (euCountries.has(country) || taxedAs(there) !== undefined)
  const isHome = !isAway && (country === home || (isInVat && euCountries.has(home)))
  const ownZones = isAway ? zones.filter(isPartOfCountry) : zones
  const part = asPartOfCountry(there)
  const zone =
    matchTaxZone(ownZones, there) ??
    (part && matchTaxZone(zones.filter(isPartOfCountry), part)) ??
    matchTaxZone(ownZones, { country_code: country }) ??
    (isHome ? matchTaxZone(zones, { country_code: home }) : undefined)
  const isExport = !zone && !isHome && zones.length > 0
  const relief =
    getTaxExemption(buyer) ??
    (isInVat && country !== home && isUnionBusiness(terms, home, country, buyer) ? 'reverse_charge' : null) ??
    (isExport ? 'export' : null)
  const reliefRate = relief && singleRate({ zone, rate: 0, reason: relief })
  return {
    country_code,
    included: zone?.included ?? terms.tax_included,
    // An export is free of the tax that shipping bears at home.
    shipping: resolveShippingTax(zone ?? (isExport ? matchTaxZone(zones, { country_code: home }) : undefined), terms),
    rounding: terms.tax_rounding,
    relief,
    ...(place.isBilled ? { billed_province: parseProvinceCode(country_code, place.province) ?? '' } : {}),
    rateOf: (categoryId) => reliefRate ?? resolveTaxRate(zone, Number(terms.tax_rate), categoryId),
    billed: (place.billed && resolveTaxTreatment(terms, home, { ...place.billed, isBilled: true }, buyer)) ?? undefined,
  }
}

/** The zone decides whether and how shipping is taxed; otherwise the store decides. */
function resolveShippingTax(zone: TaxZone | undefined, { tax_shipping }: TaxTerms): ShippingTax {
  const way = zone?.shipping_tax ?? null
  const isTaxed = way !== 'none' && (zone?.shipping ?? (way !== null || tax_shipping))
  return isTaxed ? (way ?? 'standard') : 'none'
}

function isPartOfCountry({ provinces, postal_codes }: TaxZone): boolean {
  return provinces.length > 0 || postal_codes.length > 0
}

export const anonymousBuyer: TaxBuyer = { tax_id: null, is_exempt: false }

/** True if the displayed prices include tax. */
export function containsTax(terms: TaxTerms, { country_code: home }: { country_code: string }): boolean {
  const treatment = resolveTaxTreatment(terms, home, { country_code: home }, anonymousBuyer)
  return treatment !== null && treatment.included && treatment.rateOf(null).components.some(({ rate }) => rate > 0)
}

/** The most specific zone for the place: by postal code (longest prefix first), then by province, then by country. */
function matchTaxZone(zones: readonly TaxZone[], place: TaxPlace): TaxZone | undefined {
  const candidates = zones.flatMap((zone) => {
    const fit = scoreZoneFit(zone, place)
    return fit === null ? [] : [{ zone, fit }]
  })
  // Sorting is stable, so equally specific zones keep the store's order.
  return candidates.sort((a, b) => b.fit - a.fit)[0]?.zone
}

function scoreZoneFit({ country_code, provinces, postal_codes }: TaxZone, place: TaxPlace): number | null {
  if (country_code !== place.country_code) return null
  if (provinces.length > 0 && !provinces.some((one) => isInProvince(place, one))) return null
  const lengths = postal_codes
    .map((prefix) => fitPostalCode(`${prefix}*`, place.postal_code))
    .filter((length) => length !== null)
  if (postal_codes.length > 0 && lengths.length === 0) return null
  return Math.max(0, ...lengths) * 2 + (provinces.length > 0 ? 1 : 0)
}

/**
 * Businesses in another EU country owe the tax themselves if the store has a tax number (Directive 2006/112/EC,
 * articles 138 and 196). For goods, Northern Ireland is one of them.
 */
function isUnionBusiness({ tax_id: own }: TaxTerms, home: string, there: string, { tax_id }: TaxBuyer): boolean {
  if (!own || !tax_id || !euCountries.has(home)) return false
  const { country } = checkTaxId(tax_id, there)
  return country !== null && country !== home && (euCountries.has(country) || country === northernIreland)
}

function getTaxExemption({ is_exempt }: TaxBuyer): TaxReason | null {
  return is_exempt ? 'exempt' : null
}

type Tax = { rate: number; reason: TaxReason }

function singleRate({ zone, rate, reason }: Tax & { zone: TaxZone | undefined }): TaxRate {
  return { components: [{ name: zone?.name ?? null, rate, reason, tax_id: zone?.tax_id ?? null, compound: false }] }
}

/** A category's rate replaces the zone's rate, or that of one of its components. */
function resolveTaxRate(zone: TaxZone | undefined, usual: number, categoryId: string | null): TaxRate {
  if (!zone) return singleRate({ zone, rate: usual, reason: usual === 0 ? 'zero' : 'standard' })
  const category = categoryId && publicId('cat', categoryId)
  const categoryRates = zone.category_rates.filter(({ category_id }) => category_id === category)
  const whole = categoryRates.find(({ component }) => !component)
  if (whole || zone.components.length === 0) return singleRate({ zone, ...(whole ?? pick(zone, ['rate', 'reason'])) })
  return {
    components: zone.components.map(({ name, rate, tax_id, compound }) => {
      const tax = categoryRates.find(({ component }) => component === name) ?? {
        rate,
        reason: rate === 0 ? 'zero' : zone.reason,
      }
      return { name, rate: tax.rate, reason: tax.reason, tax_id: tax_id ?? zone.tax_id, compound }
    }),
  }
}
