import type slugify from '@sindresorhus/slugify'
import { createRequire } from 'node:module'
import { plainText, visibleText } from './names.ts'

/** A URL-safe name; a text without Latin letters falls back to the end of `id`. */
export function buildSlug(name: string, id: string, maxLength = 80): string {
  // Full-width letters and ligatures become plain Latin letters.
  const latin = visibleText(name.slice(0, 200)).replace(/[\uff00-\uffef\ufb00-\ufb06]+/g, plainText)
  const slug = slugifier()(latin)
    .slice(0, maxLength)
    .replace(/(?<!-)-+$/, '')
  return (
    slug ||
    id
      .slice(-12)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
  )
}

/** Its tables of letters take 1 MB: they are loaded with the first name. */
function slugifier(): typeof slugify {
  transliterate ??= (createRequire(import.meta.url)('@sindresorhus/slugify') as { default: typeof slugify }).default
  return transliterate
}
let transliterate: typeof slugify | undefined

/** The slug for a record whose usual slug is taken: ends with part of its ID. */
export function longerSlug(slug: string, id: string): string {
  return `${slug}-${id.slice(-6).toLowerCase()}`
}

/**
 * The lower-case text that searches compare: without accents, with ß as ss, every apostrophe as ', and without the
 * spaces that some write between Chinese or Japanese letters. The SQL function fold_letters does the same.
 */
export function searchable(...texts: (string | null | undefined)[]): string {
  return texts
    .filter(Boolean)
    .join(' ')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[ßæœþłđøıðħŧς’‘ʼ`´＇]/g, (letter) => transliterations[letter]!)
    .replace(/(?<=[\u3005-\u30ff\u3400-\u9fff]) (?=[\u3005-\u30ff\u3400-\u9fff])/g, '')
}

// prettier-ignore
const transliterations: Record<string, string> = {
  ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ł: 'l', đ: 'd', ø: 'o', ı: 'i', ð: 'd', ħ: 'h', ŧ: 't', ς: 'σ',
  '’': "'", '‘': "'", ʼ: "'", '`': "'", '´': "'", '＇': "'",
}

/** True if the input has three letters or digits in a row, by which an index of trigrams finds it. */
export function hasTrigram(input: string): boolean {
  return /[a-z0-9]{3}/.test(searchable(input))
}

/** The pattern of a substring search for a person's input, in which wildcards are literal. */
export function containsPattern(input: string): string {
  return `%${searchable(input).replace(/[\\%_]/g, '\\$&')}%`
}
