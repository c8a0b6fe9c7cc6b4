// What a record, or the shop itself, says in other languages: a screen for each language.
import { html } from 'hono/html'
import { languages, type Language } from '../../kit/values/language.ts'
import { field, type Form } from '../../platform/pages/form.ts'
import { attributes, hidden } from '../../platform/pages/parts.ts'
import { offeredLanguages, ownLanguage } from '../../tenancy/stores/language.ts'
import type { Term } from '../../tenancy/stores/terms.ts'
import type { Html, Input, Screen, Visit } from './page.ts'
import { nameOfLanguage } from './places.ts'
import { sheet } from './sheet.ts'

type Translated = Pick<Screen, 'section' | 'within' | 'params'> & {
  /** Of the screens, before the language, and of the API. */
  path: string
  api: string
  texts: readonly Input[]
  /** What the record itself says: it stands where nothing is typed. */
  own: (visit: Visit) => Promise<object>
  /** Short texts that stand in several places: each has a field of its own. */
  termsOf?: (visit: Visit) => Promise<readonly string[]>
}

export function translationScreens({ path, api, texts, own, termsOf, ...place }: Translated): Screen[] {
  return languages.map((language) => ({
    ...sheet({
      ...place,
      path: `${path}/${language}`,
      title: `language_${language}`,
      api,
      inputs: texts.map((input) => ({ ...input, name: `${language}.${input.name}` })),
      usual: async (_, visit) => ({ [language]: await own(visit) }),
      before: ({ say }) => html`<p class="hint">${say('translations_text')}</p>`,
      ...(termsOf ? withTerms(language, termsOf) : {}),
    }),
    limits,
  }))
}

function withTerms(language: Language, termsOf: NonNullable<Translated['termsOf']>) {
  return {
    body: ({ form }: Visit, typed: Record<string, object>) => ({
      [language]: { ...typed[language], terms: termsIn(form) },
    }),
    more: async (visit: Visit, record: Record<Language, { terms: Term[] } | null>) =>
      terms(visit, await termsOf(visit), record[language]?.terms ?? []),
  }
}

/** A product has at most as many: each option has a title and 100 values. Each takes two fields of a form. */
const mostTerms = 303
const limits = { fields: 2 * mostTerms + 50, bytes: 256 * 1024 }

function termsIn(form: Form): Term[] {
  const typed = Array.from({ length: mostTerms }, (_, at) => ({
    term: field(form, `terms.${at}.term`),
    text: field(form, `terms.${at}.text`),
  }))
  return typed.filter(({ text }) => text !== '')
}

/** Those that the shop says now, and those that were translated before. */
function terms({ say, form, refused }: Visit, said: readonly string[], translated: readonly Term[]): Html | '' {
  const known = new Map((refused ? termsIn(form) : translated).map(({ term, text }) => [term, text]))
  const all = [...new Set([...said, ...known.keys()])].slice(0, mostTerms)
  if (all.length === 0) return ''
  const drawn = all.map((term, at) => {
    const id = `terms.${at}.text`
    const about = attributes({ id, name: id, value: known.get(term) ?? '', autocomplete: 'off', maxlength: 2000 })
    return html`<div class="field"><label for="${id}">${term}</label>
${hidden(`terms.${at}.term`, term)}<input${about}></div>`
  })
  return html`<fieldset class="part"><legend>${say('terms')}</legend><p class="hint">${say('terms_text')}</p>
<div class="fields">${drawn}</div></fieldset>`
}

/** The languages into which something can be translated: those that the shop offers beside its own. */
export function translationLinks({ say, base, store, language }: Visit, path: string): Html | '' {
  const others = offeredLanguages(store).filter((other) => other !== ownLanguage(store))
  if (others.length === 0) return ''
  const links = others.map(
    (other) => html`<li><a class="main" href="${base}${path}/${other}">${nameOfLanguage(language, other)}</a></li>`,
  )
  return html`<section class="panel"><h2>${say('translations')}</h2><ul class="rows">${links}</ul></section>`
}
