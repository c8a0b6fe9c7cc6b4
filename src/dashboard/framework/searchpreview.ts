// A preview of the search result of a page, and its inputs.
import { html } from 'hono/html'
import { stripMarkdown } from '../../kit/values/markdown.ts'
import { attributes } from '../../platform/pages/parts.ts'
import type { FormInput, Html, PageContext } from './screen.ts'

/** A result shows the name and the description if it has no texts of its own. */
export type PreviewedPage = {
  name: string
  slug: string
  description: string | null
  seo_title: string | null
  seo_description: string | null
}

export const seoInputs = [
  { name: 'seo_title', hint: 'seo_name_hint' },
  { name: 'seo_description', as: 'area', rows: 3, hint: 'seo_text_hint' },
] as const satisfies readonly FormInput[]

/** Usual limits of search engines, in characters. */
const usualLengths = { title: 60, description: 160 }

export function searchPreview({ t, store }: PageContext, record: PreviewedPage | null, folder: string): Html {
  const { name, slug, description, seo_title, seo_description } = record ?? blankPage
  const title = seo_title ?? name
  const text = collapseWhitespace(seo_description ?? stripMarkdown(description ?? '')) || name
  const address = `${store.storefront_url}/${folder}/`
  const length = (of: keyof typeof usualLengths, { length }: string) => {
    const about = {
      'data-length': t(`seo_length_${of}`, { count: '{count}', most: usualLengths[of] }),
      'data-most': usualLengths[of],
    }
    return html`<p class="hint"${attributes({ ...about, 'data-long': length > usualLengths[of] })}>
${t(`seo_length_${of}`, { count: length, most: usualLengths[of] })}</p>`
  }
  return html`<search-preview><p class="hint">${t('search_preview')}</p><div class="preview">
<p class="hint">${address}<span data-of="slug">${slug}</span></p>
<p class="title"><span data-of="title">${title}</span> · ${store.name}</p>
<p><span data-of="description">${text.slice(0, usualLengths.description)}</span></p></div>
${length('title', title)}${length('description', text)}</search-preview>`
}

const blankPage: PreviewedPage = { name: '', slug: '', description: null, seo_title: null, seo_description: null }

function collapseWhitespace(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
