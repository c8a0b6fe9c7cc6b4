// What a search engine shows of a page, and the inputs for it.
import { html } from 'hono/html'
import { plainOf } from '../../kit/values/markdown.ts'
import { attributes } from '../../platform/pages/parts.ts'
import type { FormInput, Html, PageContext } from './screen.ts'

/** Without texts of its own, a result shows the name and the description. */
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

/** What search engines usually show, in characters. */
const most = { title: 60, description: 160 }

export function searchPreview({ t, store }: PageContext, record: PreviewedPage | null, folder: string): Html {
  const { name, slug, description, seo_title, seo_description } = record ?? blank
  const title = seo_title ?? name
  const text = lineOf(seo_description ?? plainOf(description ?? '')) || name
  const address = `${store.storefront_url}/${folder}/`
  const length = (of: keyof typeof most, { length }: string) => {
    const about = { 'data-length': t(`seo_length_${of}`, { count: '{count}', most: most[of] }), 'data-most': most[of] }
    return html`<p class="hint"${attributes({ ...about, 'data-long': length > most[of] })}>
${t(`seo_length_${of}`, { count: length, most: most[of] })}</p>`
  }
  return html`<search-preview><p class="hint">${t('search_preview')}</p><div class="preview">
<p class="hint">${address}<span data-of="slug">${slug}</span></p>
<p class="title"><span data-of="title">${title}</span> · ${store.name}</p>
<p><span data-of="description">${text.slice(0, most.description)}</span></p></div>
${length('title', title)}${length('description', text)}</search-preview>`
}

const blank: PreviewedPage = { name: '', slug: '', description: null, seo_title: null, seo_description: null }

function lineOf(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
