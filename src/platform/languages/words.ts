// The texts of all pages for shoppers, one file per language. A file that lacks a word of the English one does not
// compile.
import { fillIn, type Language, type Speak } from '../../kit/values/language.ts'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }
import fr from './fr.json' with { type: 'json' }
import it from './it.json' with { type: 'json' }
import pt from './pt.json' with { type: 'json' }

/** Chosen by {count}; forms that a language does not distinguish are `other`. */
type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }
/** Values replace {name}. */
export type WordText = string | Plural

type EnglishWords = typeof en
type WordGroup = keyof EnglishWords
type WordOf<G extends WordGroup> = G extends WordGroup ? keyof EnglishWords[G] & string : never

export const dictionaries: Record<Language, { [G in WordGroup]: Record<keyof EnglishWords[G], WordText> }> = {
  de,
  en,
  es,
  fr,
  it,
  pt,
}

/** Speaks the words of these groups. */
export function speaks<G extends WordGroup>(...groups: G[]): (language: Language) => Speak<WordOf<G>> {
  const speakers = new Map<Language, Speak<WordOf<G>>>()
  return (language) => {
    let speak = speakers.get(language)
    if (!speak) speakers.set(language, (speak = speakerOf(language, groups)))
    return speak
  }
}

function speakerOf(language: Language, groups: readonly WordGroup[]): Speak<string> {
  const texts: Record<string, WordText> = Object.assign({}, ...groups.map((group) => dictionaries[language][group]))
  const rules = new Intl.PluralRules(language)
  const numbers = new Intl.NumberFormat(language)
  return (word, values = {}) => {
    const text = texts[word]!
    if (typeof text === 'string') return fillIn(text, values)
    const count = Number(values.count)
    return fillIn(text[rules.select(count)] ?? text.other, { ...values, count: numbers.format(count) })
  }
}
