// Whether a tax number has the form and the check digits of its country's. Nobody is asked whether it is in use.
import { checkVAT, countries } from 'jsvat'
import { text } from '../../kit/declare/scalars.ts'

export const taxIdStatuses = ['valid', 'invalid', 'unchecked'] as const
/** `unchecked`: of a country whose numbers are not known here. */
export type TaxIdStatus = (typeof taxIdStatuses)[number]

export const taxId = () => text({ min: 1, max: 40 }).example('DE111111125')

// Greece has its own letters in tax numbers.
const prefixOf = (country: string) => (country === 'GR' ? 'EL' : country)
// Numbers of the EU as a whole are those of no country.
const forms = new Map(countries.filter(({ codes }) => codes[0] !== 'EU').map((form) => [form.codes[0], form]))

/** `country`: whose number it is; of one without letters in front, that of the buyer. */
export function checkTaxId(typed: string, buyersCountry: string): { status: TaxIdStatus; country: string | null } {
  const number = typed.toUpperCase().replace(/[\s./-]/g, '')
  const [, letters, rest] = /^([A-Z]{2})(.*)$/.exec(number) ?? []
  const tries: [country: string, number: string][] = [[buyersCountry, prefixOf(buyersCountry) + number]]
  if (letters) {
    const country = letters === 'EL' ? 'GR' : letters
    tries.unshift([country, prefixOf(country) + rest])
  }
  const match = tries.find(([country, whole]) => forms.has(country) && checkVAT(whole, [forms.get(country)!]).isValid)
  if (match) return { status: 'valid', country: match[0] }
  return { status: forms.has(buyersCountry) ? 'invalid' : 'unchecked', country: null }
}
