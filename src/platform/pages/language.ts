// The language of staff pages: the person's choice, otherwise the browser's preference.
import { html } from 'hono/html'
import { languages, preferredLanguage, type Language } from '../../kit/values/language.ts'
import { addressWith } from './address.ts'
import { pageTranslator } from './messages.ts'
import type { Html } from './page.ts'
import { attributes } from './parts.ts'

/** Holds the choice of a browser for a year. It belongs to all pages of a host: sign-in, consent and dashboard. */
export const languageCookie = { name: 'stoa_language', maxAge: 365 * 24 * 3600 }

/** The query parameter that chooses the language. */
export const languageParameter = 'lang'

export function languageNamed(name: string | undefined): Language | null {
  return languages.find((language) => language === name) ?? null
}

export function personLanguage(cookies: Record<string, string | undefined>, header: string | undefined): Language {
  return languageNamed(cookies[languageCookie.name]) ?? preferredLanguage(header) ?? 'en'
}

/** The name of another language, with a capital as a list shows it. */
export function nameOfLanguage(language: Language, other: string): string {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(other)!
  return name[0]!.toLocaleUpperCase(language) + name.slice(1)
}

/** Links to the same page in each other language, by the language's own name. */
export function languageLinks({ here, language }: { here: string; language: Language }): Html {
  const links = languages
    .filter((other) => other !== language)
    .map((other) => {
      const there = { href: addressWith(here, { [languageParameter]: other }), lang: other, hreflang: other }
      return html`<li><a${attributes({ ...there, rel: 'nofollow' })}>${nameOfLanguage(other, other)}</a></li>`
    })
  const label = pageTranslator(language)('change_language')
  return html`<nav class="languages" aria-label="${label}"><ul>${links}</ul></nav>`
}
