// Meta tags for search engines and link previews.
import { html } from 'hono/html'
import type { Language } from '../../../kit/values/language.ts'
import { stripMarkdown } from '../../../kit/values/markdown.ts'
import type { Untranslated } from '../../../tenancy/stores/translations.ts'
import type { Html, ShopContext } from './page.ts'

type Meta = { title: string; description: string; path: string; type?: 'website' | 'product'; image?: string | null }

type DescribedRecord = {
  name: string
  description: string | null
  seo_title: string | null
  seo_description: string | null
} & Untranslated

/** Texts for search engines: a name in the page's language is better than a title in another. */
export function buildSeoTexts(record: DescribedRecord): { title: string; description: string | null } {
  const { name, description, seo_title, seo_description, untranslated } = record
  const isForeign = (text: string, visibleText: string) =>
    untranslated?.includes(text) && !untranslated.includes(visibleText)
  return {
    title: (isForeign('seo_title', 'name') ? null : seo_title) ?? name,
    description:
      (isForeign('seo_description', 'description') ? null : seo_description) ??
      (description && stripMarkdown(description)),
  }
}

const maxDescription = 160

export function renderMeta(context: ShopContext, { title, description, path, type = 'website', image }: Meta): Html {
  const { offer, store } = context
  const url = addressIn(offer.storefront_url + path, requestedLanguage(context))
  const short = shortenText(description)
  return html`<meta name="description" content="${short}">
<link rel="canonical" href="${url}">
${listAlternates(context, offer.storefront_url + path).map(
  ({ hreflang, href }) => html`<link rel="alternate" hreflang="${hreflang}" href="${href}">
`,
)}<meta property="og:site_name" content="${offer.store_title ?? store.name}">
<meta property="og:type" content="${type}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${short}">
<meta property="og:url" content="${url}">
<meta property="og:locale" content="${context.language}">
${
  image
    ? html`<meta property="og:image" content="${image}">
<meta name="twitter:card" content="summary_large_image">`
    : html`<meta name="twitter:card" content="summary">`
}`
}

export type Alternate = { hreflang: string; href: string }

/**
 * The URLs of a page: the plain one uses the reader's language, and each language has its own.
 * Each lists all of them, and is canonical itself. In a store with one language a page has one URL.
 */
export function listAlternates({ languages }: Pick<ShopContext, 'languages'>, url: string): Alternate[] {
  if (languages.length === 1) return []
  const inLanguages = languages.map((language) => ({ hreflang: language, href: addressIn(url, language) }))
  return [{ hreflang: 'x-default', href: url }, ...inLanguages]
}

/** The language in the URL; null if it is the reader's, or the store's only one. */
export function requestedLanguage({ query, language, languages }: ShopContext): Language | null {
  return query.lang === language && languages.length > 1 ? language : null
}

export function addressIn(url: string, language: string | null): string {
  return language === null ? url : `${url}${url.includes('?') ? '&' : '?'}lang=${language}`
}

function shortenText(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  if (line.length <= maxDescription) return line
  const [, words = line.slice(0, maxDescription)] = /^(.+) /.exec(line.slice(0, maxDescription)) ?? []
  return `${words}…`
}
