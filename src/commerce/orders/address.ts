// Addresses of orders.
import { object } from '../../kit/declare/composites.ts'
import type { Create } from '../../kit/declare/field.ts'
import { text } from '../../kit/declare/scalars.ts'
import { plainDigits } from '../../kit/values/digits.ts'
import { parseCountryCode } from '../../kit/values/countries.ts'
import { fault, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { pick } from '../../kit/declare/row.ts'
import {
  parseProvinceCode,
  provinceName,
  getAddressRules,
  townFields,
  type AddressRules,
  type TownPart,
} from '../../kit/values/provinces.ts'
import { searchable } from '../../kit/values/slug.ts'
import { countryCode } from '../../tenancy/stores/store.ts'
import { countryName, withProvince, type AddressRegion } from '../customers/address.ts'

const line = (max = 120) => text({ max }).nullable().personal()

// prettier-ignore
export const addressFields = {
  name:        line(200).example('Ana Torres'),
  phone:       line(40).becomes(plainDigits).example('+52 55 1234 5678'),
  address:     line(500).example('Av. Reforma 222, int. 4').describe('Street and number'),
  city:        line().example('Ciudad de México'),
  province:    line().example('CDMX').describe('Province or state; a code such as MX-CMX is stored as its name'),
  country:     countryName().describe('Country, by its name or ISO code'),
  postal_code: line(40).becomes(plainDigits).example('06600'),
  notes:       line(1000).describe('Notes'),
  address_2:   line(500).example('Piso 3').describe('Second address line'),
  company:     line(200).example('Torres y Cía.').describe('Company name'),
}

/** Fields that are derived from the others. */
export const derivedFields = {
  province_code: line(10).example('MX-CMX').describe('ISO 3166-2 code of the province; null if unknown'),
}

/** Accepts a complete address as it was read. */
const inputFields = {
  ...addressFields,
  province_code: line(10).readonly(),
  country_code: countryCode().nullable().example('MX').describe('ISO code of the country; goes before its name'),
}

const storedFields = { ...addressFields, ...derivedFields }
const addressNames = Object.keys(storedFields) as (keyof typeof storedFields)[]

export type ShippingAddress = { [K in keyof typeof storedFields]: string | null }
export type AddressInput = Create<typeof addressFields> & { country_code?: string | null }

export const shippingAddress = () =>
  object(storedFields, { always: addressNames }).nullable().takes(object(inputFields).nullable())

/** All fields of an address; name and phone default to the buyer's. `country` is used if the address names none. */
export function completeAddress(
  input: AddressInput,
  buyer: { name: string | null; phone: string | null },
  country: string | null = null,
): ShippingAddress {
  const empty = Object.fromEntries(Object.keys(storedFields).map((name) => [name, null])) as ShippingAddress
  const { country_code: _, ...lines } = input
  return withProvince({ ...empty, ...buyer, ...lines }, addressCountry(input) ?? country)
}

/** The ISO code of the country that an address names; null if it names none. */
export function addressCountry(
  address: Pick<AddressInput, 'country' | 'country_code'> | null | undefined,
): string | null {
  return address?.country_code ?? parseCountryCode(address?.country)
}

/** Changes an address of an order. A new country by its code takes the place of the name. */
export function mergeOrderAddress(
  before: AddressInput | null,
  { country_code: code, ...lines }: AddressInput,
  country: string | null,
): ShippingAddress {
  const withoutCountry =
    code && lines.country === undefined && parseCountryCode(before?.country) !== code ? { country: null } : {}
  return mergeAddress<AddressInput>(before, { ...lines, ...withoutCountry }, country) as ShippingAddress
}

/** Changes an address field by field. */
export function mergeAddress<A extends AddressRegion>(before: A | null, input: A, country: string | null): A {
  return withProvince({ ...before, ...input }, country)
}

/** What is wrong with the province, if it is one of a list, and with the form of the postal code. */
export function findRegionFaults(
  name: string,
  { province, province_code, postal_code }: AddressRegion & { postal_code?: string | null },
  country: string,
  { isListed }: { isListed: boolean },
): Fault[] {
  const { postalCode, example } = getAddressRules(country)
  const isUnknown = isListed && province && !(province_code ?? parseProvinceCode(country, province))
  const isWrong = postalCode && postal_code?.trim() && !postalCode.test(postal_code.trim())
  return [
    ...(isUnknown ? [fault(`${name}.province`, generalFaults.no_province, { country })] : []),
    ...(isWrong
      ? [fault(`${name}.postal_code`, generalFaults.no_postal_code, { country, example: example ?? '' })]
      : []),
  ]
}

/** Postal code, city and province on one line, as addresses of the country have it. */
export function townLine(address: Partial<ShippingAddress> | null, country?: string | null): string {
  if (!address) return ''
  const place = country ?? parseCountryCode(address.country)
  const rules = place ? getAddressRules(place) : null
  const values = { ...pick(address, ['postal_code', 'city']), province: provinceIn(address, place, rules) }
  const own = rules?.town ?? []
  const others = townFields(place).slice(own.length)
  return [...own, ...others.map((field): TownPart => ({ field, before: ' ' }))].reduce((line, { field, before }) => {
    const value = values[field]?.trim()
    return value ? (line === '' ? value : line + before + value) : line
  }, '')
}

/** Its short code where addresses have that; otherwise its name, unless the city has the same. */
function provinceIn(
  { province, province_code, city }: Partial<ShippingAddress>,
  country: string | null,
  rules: AddressRules | null,
): string | null {
  const code = province_code ?? parseProvinceCode(country, province)
  if (rules?.abbreviatesProvince && code?.startsWith(`${country}-`)) return code.slice(3)
  const name = provinceName(code) ?? province ?? null
  return searchable(city).trim() === searchable(name).trim() ? null : name
}
