// Short texts that stand in several places, and what they are called in another language.
import { list, object } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { text } from '../../kit/declare/scalars.ts'
import { reason, type Reason } from '../../kit/values/faults.ts'

export type Term = { term: string; text: string }

/** At most `max` of them, none longer than `length`. */
export function termsField({ max, length }: { max: number; length: number }) {
  const words = () => text({ min: 1, max: length }).required()
  return list(object({ term: words().example('Red'), text: words().example('Rojo') }), { max })
    .rule(onceEach)
    .nullMeans([])
}

function onceEach(given: readonly Term[]): Reason | null {
  const known = new Map<string, number>()
  for (const [second, { term }] of given.entries()) {
    const first = known.get(term)
    if (first !== undefined) return reason('repeated_element', { first, second })
    known.set(term, second)
  }
  return null
}

/** What a text is called; itself when nobody has said it otherwise. */
export type SayTerm = (term: string) => string

export function termsOf(terms: readonly Term[] | null | undefined): SayTerm {
  const known = new Map(terms?.map(({ term, text }) => [term, text]))
  return (term) => known.get(term) ?? term
}

/** Those of the texts that there are. */
export function said<T extends object, K extends keyof T & string>(texts: T, names: readonly K[]): Partial<Pick<T, K>> {
  return pick(
    texts,
    names.filter((name) => texts[name]),
  )
}
