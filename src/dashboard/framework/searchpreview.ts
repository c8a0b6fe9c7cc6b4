// What a search engine shows of a page.
import { html } from 'hono/html'
import { attributes } from '../../platform/pages/parts.ts'
import type { Html, PageContext } from './screen.ts'

type PreviewedPage = { name: string; slug: string; description?: string | null }

const maxDescription = 160

export function searchPreview({ t, baseUrl, store }: PageContext, record: PreviewedPage | null, folder: string): Html {
  const { name = '', slug = '', description = '' } = record ?? {}
  const text = (description ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, maxDescription)
  const address = `${baseUrl}/s/${store.slug}/${folder}/`
  const about = { 'data-most': maxDescription }
  return html`<search-preview${attributes(about)}><p class="hint">${t('search_preview')}</p><div class="preview">
<p class="hint">${address}<span data-of="slug">${slug}</span></p>
<p class="title"><span data-of="name">${name}</span> · ${store.name}</p>
<p><span data-of="description">${text || name}</span></p></div></search-preview>`
}
