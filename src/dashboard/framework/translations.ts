// Translations of a record or of the shop: one screen for each language.
import { html } from 'hono/html'
import { languages, type Language } from '../../kit/values/language.ts'
import { field, type Form } from '../../platform/pages/form.ts'
import { attributes, hidden } from '../../platform/pages/parts.ts'
import { offeredLanguages, ownLanguage } from '../../tenancy/stores/language.ts'
import type { Term } from '../../tenancy/stores/terms.ts'
import type { Html, FormInput, Screen, PageContext } from './screen.ts'
import { nameOfLanguage } from '../../platform/pages/language.ts'
import type { MessageKey } from './messages.ts'
import { settingsForm } from './settingsform.ts'

type TranslationProps = Pick<Screen, 'section' | 'within' | 'params'> & {
  /** Path of the screens without the language, and of the API. */
  path: string
  api: string
  texts: readonly FormInput[]
  /** The untranslated texts, shown as placeholders. */
  own: (context: PageContext) => Promise<object>
  /** Short texts that appear in several places: each has a field of its own. */
  termsOf?: (context: PageContext) => Promise<readonly string[]>
}

export function translationScreens({ path, api, texts, own, termsOf, ...place }: TranslationProps): Screen[] {
  return languages.map((language) => ({
    ...settingsForm({
      ...place,
      path: `${path}/${language}`,
      title: `language_${language}`,
      api,
      inputs: texts.map(({ label, ...input }) => ({
        ...input,
        name: `${language}.${input.name}`,
        label: label ?? (input.name as MessageKey),
      })),
      placeholders: async (_, context) => ({ [language]: await own(context) }),
      before: ({ t }) => html`<p class="hint">${t('translations_text')}</p>`,
      ...(termsOf ? withTerms(language, termsOf) : {}),
    }),
    limits,
  }))
}

function withTerms(language: Language, termsOf: NonNullable<TranslationProps['termsOf']>) {
  return {
    body: ({ form }: PageContext, input: Record<string, object>) => ({
      [language]: { ...input[language], terms: termsIn(form) },
    }),
    more: async (context: PageContext, record: Record<Language, { terms: Term[] } | null>) =>
      terms(context, await termsOf(context), record[language]?.terms ?? []),
  }
}

/** The maximum of a product: each option has a title and 100 values. Each term takes two form fields. */
const maxTerms = 303
const limits = { fields: 2 * maxTerms + 50, bytes: 256 * 1024 }

function termsIn(form: Form): Term[] {
  const entries = Array.from({ length: maxTerms }, (_, at) => ({
    term: field(form, `terms.${at}.term`),
    text: field(form, `terms.${at}.text`),
  }))
  return entries.filter(({ text }) => text !== '')
}

/** Current terms, and those with an old translation. */
function terms(
  { t, form, rejection }: PageContext,
  words: readonly string[],
  translations: readonly Term[],
): Html | '' {
  const textByTerm = new Map((rejection ? termsIn(form) : translations).map(({ term, text }) => [term, text]))
  const all = [...new Set([...words, ...textByTerm.keys()])].slice(0, maxTerms)
  if (all.length === 0) return ''
  const rows = all.map((term, at) => {
    const id = `terms.${at}.text`
    const about = attributes({ id, name: id, value: textByTerm.get(term) ?? '', autocomplete: 'off', maxlength: 2000 })
    return html`<div class="field"><label for="${id}">${term}</label>
${hidden(`terms.${at}.term`, term)}<input${about}></div>`
  })
  return html`<fieldset class="part"><legend>${t('terms')}</legend><p class="hint">${t('terms_text')}</p>
<div class="fields">${rows}</div></fieldset>`
}

/** Links to the translations into each further language of the shop. */
export function translationLinks({ t, base, store, language }: PageContext, path: string): Html | '' {
  const others = offeredLanguages(store).filter((other) => other !== ownLanguage(store))
  if (others.length === 0) return ''
  const links = others.map(
    (other) => html`<li><a class="main" href="${base}${path}/${other}">${nameOfLanguage(language, other)}</a></li>`,
  )
  return html`<section class="panel"><h2>${t('translations')}</h2><ul class="rows">${links}</ul></section>`
}
