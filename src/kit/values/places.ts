// Whether an address is in a province, or has a postal code of a list. It has no side effects.
import { isProvinceIn, parseProvinceCode } from './provinces.ts'
import { searchable } from './slug.ts'

export type DeliveryPlace = { country_code: string | null; province?: string | null; postal_code?: string | null }

/** Compares ISO 3166-2 codes. A name without a code is compared as text. */
export function isInProvince({ country_code, province }: DeliveryPlace, whole: string): boolean {
  const code = parseProvinceCode(country_code, province)
  const wholeCode = parseProvinceCode(country_code, whole)
  return code && wholeCode ? isProvinceIn(code, wholeCode) : plain(province) === plain(whole)
}

/**
 * The length of the part that fits, or null. `10*` is a prefix, `10000-19999` a range of codes of one length (with
 * `..` where codes have dashes), and all else a whole code. A code without its extension is whole: 90210 of 90210-1234.
 */
export function fitPostalCode(pattern: string, code: string | null | undefined): number | null {
  const [text, main] = [plain(code), plain(code?.split('-')[0])]
  const { from, to, isPrefix } = parsePostalCodes(pattern)
  const part = text.slice(0, from.length)
  const isPart = part.length === from.length && part >= from && part <= to
  const fits = isPrefix ? isPart : text === from || main === from
  return fits ? from.length : null
}

/** False for a range whose end comes first, and for a pattern without letters and digits. */
export function isPostalCodePattern(pattern: string): boolean {
  const { from, to } = parsePostalCodes(pattern)
  return from !== '' && from <= to && pattern.split('..').length <= 2
}

// How many digits are before and after the dash of a code: in Brazil, the US, Portugal, Japan, Taiwan and Poland.
const dashedLengths = new Set(['5-3', '5-4', '4-3', '3-4', '3-2', '2-3'])

/** True for a range such as 1000-19999, which no code would fit. A code can have a dash itself: 01310-100, LV-1010. */
export function hasUnevenEnds(pattern: string): boolean {
  const isMarked = pattern.includes('..')
  const ends = pattern.split(isMarked ? '..' : '-').map(plain)
  const [from = '', to = ''] = ends
  if (ends.length !== 2 || from.length === to.length) return false
  const [start, end] = ends.map((one) => one.match(/^([a-z]*)\d+$/)?.[1])
  const areAlike = start !== undefined && start === end
  return isMarked || (areAlike && !(start === '' && dashedLengths.has(`${from.length}-${to.length}`)))
}

type PostalCodes = { from: string; to: string; isPrefix: boolean }

function parsePostalCodes(pattern: string): PostalCodes {
  if (pattern.trimEnd().endsWith('*')) {
    const prefix = plain(pattern.replaceAll('*', ''))
    return { from: prefix, to: prefix, isPrefix: true }
  }
  const parts = pattern.includes('..') ? pattern.split('..') : pattern.split('-')
  const [from, to] = parts.length === 2 ? parts.map(plain) : []
  if (from && to && from.length === to.length) return { from, to, isPrefix: true }
  const whole = plain(pattern)
  return { from: whole, to: whole, isPrefix: false }
}

/** Ignores case, spaces and dashes. */
function plain(input: string | null | undefined): string {
  return searchable(input).replace(/[\s.-]/g, '')
}
