// The languages of pages and mail: which one a browser asks for, and texts that stand side by side.

export const languages = ['en', 'es'] as const

export type Language = (typeof languages)[number]

/** The best of Accept-Language, or null when it names none of ours. */
export function preferredLanguage(accepted: string | undefined): Language | null {
  const wanted = (accepted ?? '')
    .slice(0, 500)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';')
      const quality = Number(parameters.map((one) => /^\s*q=([\d.]+)$/.exec(one)?.[1]).find(Boolean) ?? 1)
      return { language: languages.find((one) => tag === one || tag.startsWith(`${one}-`)), quality }
    })
  const [best] = wanted.filter(({ language, quality }) => language && quality > 0).sort((a, b) => b.quality - a.quality)
  return best?.language ?? null
}

/** A text in each language, in the order of `languages`; {name} is filled in. */
export type Words = Record<string, readonly [string, string]>

export type Speak<Word> = (word: Word, values?: Record<string, string | number>) => string

export function speaker<W extends Words>(words: W): (language: Language) => Speak<keyof W> {
  return (language) => {
    const column = languages.indexOf(language)
    return (word, values = {}) => filled(words[word]![column]!, values)
  }
}

/** The text with the values in the places of their {names}. */
export function filled(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))
}
