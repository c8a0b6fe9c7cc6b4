// What a search engine shows of a page.
import { html } from 'hono/html'
import { attributes } from '../../platform/pages/parts.ts'
import type { Html, Visit } from './page.ts'

type Page = { name: string; slug: string; description?: string | null }

const maximumDescription = 160

export function searchPreview({ say, baseUrl, store }: Visit, record: Page | null, folder: string): Html {
  const { name = '', slug = '', description = '' } = record ?? {}
  const text = (description ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, maximumDescription)
  const address = `${baseUrl}/s/${store.slug}/${folder}/`
  const about = { 'data-most': maximumDescription }
  return html`<search-preview${attributes(about)}><p class="hint">${say('search_shows')}</p><div class="preview">
<p class="hint">${address}<span data-of="slug">${slug}</span></p>
<p class="title"><span data-of="name">${name}</span> · ${store.name}</p>
<p><span data-of="description">${text || name}</span></p></div></search-preview>`
}
