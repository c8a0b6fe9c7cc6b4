// Places whose value added tax differs from that of their country: Directive 2006/112/EC, articles 5 to 7 (Campione
// d'Italia by Directive (EU) 2019/475), and for Northern Ireland the Windsor Framework, article 8. As of 2026-11-27.
import { isProvinceIn, parseProvinceCode } from '../../kit/values/provinces.ts'

type Territory = {
  name: string
  country_code: string
  /** Prefixes. */
  postal_codes?: readonly string[]
  /** ISO 3166-2 codes. */
  provinces?: readonly string[]
}

/** Parts of countries of the EU that are outside its VAT area: what is sent there is exported. */
// prettier-ignore
const outside: readonly Territory[] = [
  { name: 'Canary Islands',     country_code: 'ES', postal_codes: ['35', '38'], provinces: ['ES-CN'] },
  { name: 'Ceuta',              country_code: 'ES', postal_codes: ['51'], provinces: ['ES-CE'] },
  { name: 'Melilla',            country_code: 'ES', postal_codes: ['52'], provinces: ['ES-ML'] },
  { name: 'Livigno',            country_code: 'IT', postal_codes: ['23041'] },
  { name: "Campione d'Italia",  country_code: 'IT', postal_codes: ['22061'] },
  { name: 'Büsingen',           country_code: 'DE', postal_codes: ['78266'] },
  { name: 'Helgoland',          country_code: 'DE', postal_codes: ['27498'] },
  { name: 'Åland',              country_code: 'FI', postal_codes: ['22'], provinces: ['FI-01'] },
  { name: 'Mount Athos',        country_code: 'GR', postal_codes: ['63086', '63087'], provinces: ['GR-69'] },
  { name: 'French overseas',    country_code: 'FR', postal_codes: ['97', '984', '986', '987', '988'],
    provinces: ['FR-971', 'FR-972', 'FR-973', 'FR-974', 'FR-975', 'FR-976', 'FR-977', 'FR-978', 'FR-986', 'FR-987',
      'FR-988'] },
]

/** Places outside the EU that are treated as a part of its VAT area: one of them for goods alone. */
// prettier-ignore
const inside: readonly (Territory & { taxed_as: string; isForGoods?: boolean })[] = [
  { name: 'Monaco',             country_code: 'MC', taxed_as: 'FR' },
  { name: 'Northern Ireland',   country_code: 'GB', taxed_as: 'GB', postal_codes: ['BT'], provinces: ['GB-NIR'],
    isForGoods: true },
]

/** `isBilled`: nothing is delivered there. */
type VatPlace = { country_code: string; province?: string | null; postal_code?: string | null; isBilled?: boolean }

/** True for a part of an EU country that is outside the VAT area. */
export function isOutsideVat(place: VatPlace): boolean {
  return outside.some((territory) => isWithin(place, territory))
}

/** The country whose taxes are those of this place in the VAT area; undefined for other places. */
export function taxedAs(place: VatPlace): string | undefined {
  const fits = (one: (typeof inside)[number]) => isWithin(place, one) && !(one.isForGoods && place.isBilled)
  return inside.find(fits)?.taxed_as
}

function isWithin({ country_code, province, postal_code }: VatPlace, territory: Territory): boolean {
  if (country_code !== territory.country_code) return false
  const { postal_codes, provinces = [] } = territory
  if (!postal_codes) return true
  const input = (postal_code ?? '').replace(/[\s.-]/g, '').toUpperCase()
  // A code may begin with that of its country: FI-22100, AX-22100, D-27498.
  const codes = [input, input.startsWith(country_code) ? input.slice(2) : input, input.replace(/^[A-Z]+/, '')]
  const provinceCode = parseProvinceCode(country_code, province)
  const isThere = provinceCode !== null && provinces.some((whole) => isProvinceIn(provinceCode, whole))
  return isThere || postal_codes.some((start) => codes.some((code) => code.startsWith(start)))
}

// Parts of countries that have a country code of their own, in ISO 3166-1.
// prettier-ignore
const partsOfCountries: Record<string, string> = {
  AX: 'FI-01',
  GP: 'FR-971', MQ: 'FR-972', GF: 'FR-973', RE: 'FR-974', PM: 'FR-975', YT: 'FR-976', BL: 'FR-977', MF: 'FR-978',
  WF: 'FR-986', PF: 'FR-987', NC: 'FR-988',
}

/** The same place as a part of its country: RE 97400 as FR 97400; undefined for other countries. */
export function asPartOfCountry<P extends VatPlace>(place: P): P | undefined {
  const province = partsOfCountries[place.country_code]
  return province ? { ...place, country_code: province.slice(0, 2), province } : undefined
}
