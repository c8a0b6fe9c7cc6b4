// Checks the format and check digits of a tax number. No registry is asked whether the number is in use.
import type * as jsvat from 'jsvat'
import { createRequire } from 'node:module'
import { text } from '../../kit/declare/scalars.ts'

export const taxIdStatuses = ['valid', 'invalid', 'unchecked'] as const
/** `unchecked`: numbers of the country cannot be checked. */
export type TaxIdStatus = (typeof taxIdStatuses)[number]

export const taxId = () => text({ min: 1, max: 40 }).example('DE111111125')

/** The prefix of Northern Ireland's numbers for trade in goods with the EU. */
export const northernIreland = 'XI'

// Greece uses a prefix of its own in tax numbers, and Northern Ireland has the numbers of Great Britain.
const vatPrefixes: Record<string, string> = { GR: 'EL', [northernIreland]: 'GB' }
const toVatPrefix = (country: string) => vatPrefixes[country] ?? country

/** Few stores check tax numbers: the rules of all countries are loaded with the first one. */
function rules() {
  if (!taxIdRules) {
    const { checkVAT, countries } = createRequire(import.meta.url)('jsvat') as typeof jsvat
    // Numbers of the EU as a whole belong to no country.
    const forms = new Map(countries.filter(({ codes }) => codes[0] !== 'EU').map((form) => [form.codes[0]!, form]))
    taxIdRules = { checkVAT, forms }
  }
  return taxIdRules
}
let taxIdRules: { checkVAT: typeof jsvat.checkVAT; forms: ReadonlyMap<string, jsvat.Country> } | undefined

/** `country` is the number's country; for a number without a prefix, the buyer's. */
export function checkTaxId(input: string, buyersCountry: string): { status: TaxIdStatus; country: string | null } {
  const { checkVAT, forms } = rules()
  const number = input.toUpperCase().replace(/[\s./-]/g, '')
  const [, letters, rest] = /^([A-Z]{2})(.*)$/.exec(number) ?? []
  const tries: [country: string, number: string][] = [[buyersCountry, toVatPrefix(buyersCountry) + number]]
  if (letters) {
    const country = letters === 'EL' ? 'GR' : letters
    tries.unshift([country, toVatPrefix(country) + rest])
  }
  const formOf = (country: string) => forms.get(country === northernIreland ? 'GB' : country)
  const match = tries.find(([country, whole]) => formOf(country) && checkVAT(whole, [formOf(country)!]).isValid)
  if (match) return { status: 'valid', country: match[0] }
  return { status: forms.has(buyersCountry) ? 'invalid' : 'unchecked', country: null }
}
