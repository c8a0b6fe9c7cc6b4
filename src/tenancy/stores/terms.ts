// Translations of short texts that appear in several places.
import { list, object } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { text } from '../../kit/declare/scalars.ts'
import { reason, type Reason, generalFaults } from '../../kit/values/faults.ts'

export type Term = { term: string; text: string }

/** Up to `max` terms, each of up to `length` characters. */
export function termsField({ max, length }: { max: number; length: number }) {
  const words = () => text({ min: 1, max: length }).required()
  return list(
    object({
      term: words().example('Red').describe("Term in the store's default language"),
      text: words().example('Rojo').describe('Text'),
    }),
    { max },
  )
    .rule(onceEach)
    .nullMeans([])
}

function onceEach(terms: readonly Term[]): Reason | null {
  const positions = new Map<string, number>()
  for (const [second, { term }] of terms.entries()) {
    const first = positions.get(term)
    if (first !== undefined) return reason(generalFaults.repeated_element, { first, second })
    positions.set(term, second)
  }
  return null
}

/** Translates a text; returns the text itself when it has no translation. */
export type TranslateTerm = (term: string) => string

export function buildTermTranslator(terms: readonly Term[] | null | undefined): TranslateTerm {
  const texts = new Map(terms?.map(({ term, text }) => [term, text]))
  return (term) => texts.get(term) ?? term
}

/** Drops empty texts. */
export function presentTexts<T extends object, K extends keyof T & string>(
  texts: T,
  names: readonly K[],
): Partial<Pick<T, K>> {
  return pick(
    texts,
    names.filter((name) => texts[name]),
  )
}
