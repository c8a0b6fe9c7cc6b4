// Addresses of a customer. They are kept in one column of the record, so that all of them change together.
import { complete, either, list, object } from '../../kit/declare/composites.ts'
import type { Create, Entity, ReadContext } from '../../kit/declare/field.ts'
import { InvalidValue } from '../../kit/declare/invalidvalue.ts'
import { resource } from '../../kit/declare/resource.ts'
import { flag, text } from '../../kit/declare/scalars.ts'
import { createBody, patchBody, type Rule } from '../../kit/declare/shape.ts'
import { plainDigits } from '../../kit/values/digits.ts'
import { parseCountryCode } from '../../kit/values/countries.ts'
import { fault, generalFaults, reason, type Reason } from '../../kit/values/faults.ts'
import { newId, toUuid } from '../../kit/values/ids.ts'
import { parseProvinceCode, provinceName } from '../../kit/values/provinces.ts'
import { countryCode } from '../../tenancy/stores/store.ts'

export const maxAddresses = 50

const line = (max = 120) => text({ max }).nullable().personal()

/** An unknown country is refused: it decides on tax and shipping. */
function countryRule(country: string | null): Reason | null {
  return !country?.trim() || parseCountryCode(country) ? null : reason(generalFaults.unknown_country)
}

export const countryName = () => line().rule(countryRule).example('México')

// prettier-ignore
const lines = {
  name:         line(200).example('Ana Torres'),
  company:      line(200).example('Torres y Cía.').describe('Company name'),
  address:      line(500).example('Av. Reforma 222, int. 4').describe('Street and number'),
  address_2:    line(500).example('Piso 3').describe('Second address line'),
  city:         line().example('Ciudad de México'),
  province:     line().example('CDMX').describe('Province or state; a code such as MX-CMX is stored as its name'),
  postal_code:  line(40).becomes(plainDigits).example('06600'),
  country_code: countryCode().personal().example('MX').describe("Defaults to the store's country"),
  phone:        line(40).becomes(plainDigits).example('+52 55 1234 5678'),
}

const defaults = ['is_default_shipping', 'is_default_billing'] as const

// prettier-ignore
const writableFields = {
  ...lines,
  is_default_shipping: flag().describe('Whether it is the default shipping address; one address always is'),
  is_default_billing:  flag().describe('Whether it is the default billing address; one address always is'),
}

// prettier-ignore
const inputFields = {
  ...writableFields,
  country: countryName().describe('Country, by its name or ISO code; stored as country_code, which goes before it'),
}

const addressId = () => text({ max: 64 }).example('addr_01j4ppgy1yf81r8stpc70j8epm')

// prettier-ignore
const fields = {
  id:            addressId().readonly(),
  ...writableFields,
  province_code: text({ max: 10 }).nullable().personal().readonly().example('MX-CMX')
    .describe('ISO 3166-2 code of the province; null if unknown'),
}

export type CustomerAddress = Entity<typeof fields>
export type NewAddress = Create<typeof inputFields>

const places = ['address', 'address_2', 'city', 'postal_code', 'company'] as const

const placeRule: Rule<NewAddress> = {
  fields: ['address'],
  check: (input) => (places.some((name) => input[name]) ? null : fault('address', generalFaults.required)),
}

/** The JSON schema of one address, and the bodies of its routes. */
export const customerAddress = resource('customers', fields, {}, { noun: 'Customer address' })
export const newAddress = createBody(inputFields, [placeRule])
export const addressChanges = patchBody(inputFields)

/** One of the addresses, in responses. */
export const defaultBillingAddress = () => complete(fields)

const element = object({
  ...fields,
  ...inputFields,
  id: addressId().describe('ID of an address that is kept; new addresses get one'),
})

/** Other fields of a complete address are accepted as they were read. */
export const customerAddresses = () =>
  list(either<CustomerAddress>([element.spec.schema], readElement, complete(fields)), { max: maxAddresses })
    .becomes(withOwnIds)
    .becomes(withDefaults)

function readElement(input: object, context: ReadContext): CustomerAddress | InvalidValue {
  const read = element.spec.read(input, context) as (NewAddress & { id?: string }) | InvalidValue
  if (read instanceof InvalidValue) return read
  const wrong = placeRule.check(read, context)
  return wrong ? new InvalidValue([wrong].flat()) : completeAddress(read, context)
}

/** A new address with all its fields. */
export function completeAddress(
  { id, ...input }: NewAddress & { id?: string },
  { country_code }: Pick<ReadContext, 'country_code'>,
): CustomerAddress {
  const address = withCountryCode(input)
  const country = address.country_code ?? country_code
  const empty = Object.fromEntries(Object.keys(lines).map((name) => [name, null]))
  return withProvince(
    {
      id: id !== undefined && toUuid('addr', id) ? id : newId('addr'),
      ...(empty as Record<keyof typeof lines, null>),
      province_code: null,
      is_default_shipping: false,
      is_default_billing: false,
      ...address,
      country_code: country,
    },
    country,
  )
}

/** The input with the code of its country in place of the name. */
export function withCountryCode<A extends { country?: string | null; country_code?: string | null }>({
  country,
  ...input
}: A): Omit<A, 'country'> {
  const code = input.country_code ?? parseCountryCode(country)
  return code === null ? input : { ...input, country_code: code }
}

/** An ID that appears twice names only the first address. */
function withOwnIds(addresses: readonly CustomerAddress[]): CustomerAddress[] {
  return addresses.map((one, index) =>
    addresses.findIndex(({ id }) => id === one.id) < index ? { ...one, id: newId('addr') } : one,
  )
}

/** One address is the default of each kind: the first that says so, else the first. */
export function withDefaults(addresses: readonly CustomerAddress[]): CustomerAddress[] {
  return defaults.reduce<CustomerAddress[]>(
    (all, name) => {
      const first = Math.max(
        0,
        all.findIndex((one) => one[name]),
      )
      return all.map((one, index) => ({ ...one, [name]: index === first }))
    },
    [...addresses],
  )
}

/** Adds the addresses that are not among these; none of them becomes a default. */
export function addMissingAddresses(
  addresses: readonly CustomerAddress[],
  others: readonly CustomerAddress[],
): CustomerAddress[] {
  const knownKeys = new Set(addresses.map(buildAddressKey))
  const missing = others.filter((one) => !knownKeys.has(buildAddressKey(one)))
  const plain = missing.map((one) => ({ ...one, is_default_shipping: false, is_default_billing: false }))
  return withDefaults([...addresses, ...plain])
}

function buildAddressKey({ name, address, address_2, city, postal_code, country_code }: CustomerAddress): string {
  return JSON.stringify([name, address, address_2, city, postal_code, country_code]).toLowerCase()
}

/** Puts an address in its place or at the end; the others are no longer defaults where it is one. */
export function withAddress(addresses: readonly CustomerAddress[], address: CustomerAddress): CustomerAddress[] {
  const others = addresses.map((one) => {
    if (one.id === address.id) return address
    const clearing = defaults.filter((name) => address[name]).map((name) => [name, false])
    return { ...one, ...Object.fromEntries(clearing) }
  })
  const isNew = addresses.every(({ id }) => id !== address.id)
  return withDefaults(isNew ? [...others, address] : others)
}

export type AddressRegion = { province?: string | null; province_code?: string | null }

/**
 * Stores a province's name as given, with its code. A code is stored as its name, unless it is from another country.
 */
export function withProvince<A extends AddressRegion>(address: A, country: string | null): A {
  const { province } = address
  if (!province) return { ...address, province_code: null }
  const code = parseProvinceCode(country, province)
  return { ...address, province: isoCode.test(province) ? provinceName(code) : province, province_code: code }
}

const isoCode = /^[A-Z]{2}-[A-Z0-9]{1,3}$/i
