// Where an order goes.
import { object } from '../kit/declare/composites.ts'
import type { Create } from '../kit/declare/field.ts'
import { text } from '../kit/declare/scalars.ts'
import { countryCodes, countryNames } from '../kit/values/countries.ts'
import { searchable } from '../kit/values/slug.ts'

const line = (max = 120) => text({ max }).nullable().personal()

// prettier-ignore
export const addressFields = {
  name:        line(200).example('Ana Torres'),
  phone:       line(40).example('+52 55 1234 5678'),
  address:     line(500).example('Av. Reforma 222, int. 4'),
  city:        line().example('Ciudad de México'),
  province:    line().example('CDMX'),
  country:     line().example('México'),
  postal_code: line(40).example('06600'),
  notes:       line(1000),
  address_2:   line(500).example('Piso 3'),
  company:     line(200).example('Torres y Cía.'),
}

const addressNames = Object.keys(addressFields) as (keyof typeof addressFields)[]

export type Address = { [K in keyof typeof addressFields]: string | null }
export type AddressInput = Create<typeof addressFields>

export const shippingAddress = () => object(addressFields, { always: addressNames })

/** All fields of the address; the buyer's name and phone unless it names others. */
export function completeAddress(given: AddressInput, buyer: { name: string | null; phone: string | null }): Address {
  const empty = Object.fromEntries(Object.keys(addressFields).map((name) => [name, null])) as Address
  return { ...empty, ...buyer, ...given }
}

/** The ISO code of a country that is named by its code, or in English or Spanish; else null. */
export function countryCodeOf(country: string | null | undefined): string | null {
  codes ??= regionCodes()
  return codes.get(searchable(country).trim()) ?? null
}

let codes: Map<string, string> | undefined

function regionCodes(): Map<string, string> {
  const named = ['en', 'es'].flatMap(countryNames).map(([code, name]): [string, string] => [searchable(name), code])
  const coded = [...countryCodes].map((code): [string, string] => [searchable(code), code])
  return new Map([...named, ...coded, ['uk', 'GB'], ['usa', 'US'], ['ee. uu.', 'US']])
}
