// The texts that people read are in languages/<language>/<area>.json, one ICU message per key. The keys are typed from
// the English files; messages.test.ts compares the others with them. A text that a language lacks is in English.
import { readFileSync } from 'node:fs'
import { IntlMessageFormat } from 'intl-messageformat'
import type { Language, Translate } from '../../kit/values/language.ts'

const folder = new URL('../../../languages/', import.meta.url)

type Messages = Record<string, string>

/** English messages by the name of their area, such as { shop }. */
type EnglishAreas = Record<string, Messages>

export type KeyOf<Areas extends EnglishAreas> = { [A in keyof Areas]: keyof Areas[A] & string }[keyof Areas]

/** Messages that are not in languages/, by language. English replaces missing ones. */
type AddedMessages = Partial<Record<Language, Messages>>

/** Translates the keys of these areas. A file is read when a person first needs its language. */
export function translatorFor<Areas extends EnglishAreas>(
  areas: Areas,
  more: readonly AddedMessages[] = [],
): (language: Language) => Translate<KeyOf<Areas>> {
  const translators = new Map<Language, Translate<string>>()
  return (language) => {
    let translate = translators.get(language)
    if (!translate) translators.set(language, (translate = openTranslator(language, areas, more)))
    return translate
  }
}

function openTranslator(
  language: Language,
  areas: EnglishAreas,
  moreMessages: readonly AddedMessages[],
): Translate<string> {
  const translations = language === 'en' ? [] : Object.keys(areas).map((area) => readMessages(language, area))
  const more = moreMessages.map((one) => ({ ...one.en, ...one[language] }))
  const texts: Messages = Object.assign({}, ...Object.values(areas), ...translations, ...more)
  const formats = new Map<string, IntlMessageFormat>()
  return (key, values) => {
    const text = texts[key]!
    if (!text.includes('{')) return text
    let format = formats.get(key)
    if (!format) formats.set(key, (format = openFormat(text, language)))
    return format.format(values) as string
  }
}

function readMessages(language: Language, area: string): Messages {
  return JSON.parse(readFileSync(new URL(`${language}/${area}.json`, folder), 'utf8')) as Messages
}

/** Messages hold no markup: anything between < and > is text. */
function openFormat(text: string, language: Language): IntlMessageFormat {
  return new IntlMessageFormat(text, language, undefined, { ignoreTag: true })
}
