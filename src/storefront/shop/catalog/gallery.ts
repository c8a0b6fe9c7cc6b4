// The pictures and films of a product. Without a script each picture is a link to all of it; with one they open over
// the page, where keys and swipes go through them.
import { html } from 'hono/html'
import { isFilm } from '../../../commerce/catalog/gallery.ts'
import type { PublicProduct } from '../../../commerce/catalog/public.ts'
import { assetPath } from '../../../platform/pages/assets.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Choice } from './choice.ts'
import type { Html, Visit } from '../frame/page.ts'
import { assets, largestOf, picture } from '../frame/view.ts'

const sizes = '(min-width: 48rem) 36rem, calc(88vw - 1.75rem)'
const maximumItems = 60

type Item = { url: string; alt: string; poster?: string | undefined }

/** What is chosen stands first, then the main picture; variants' own come last. */
export function gallery(visit: Visit, product: PublicProduct, choices: readonly Choice[], chosen?: Choice): Html {
  const { say } = visit
  const items = itemsOf(product, choices, chosen)
  // What scrolls can be reached by the keyboard.
  const about = attributes({ role: 'group', 'aria-label': say('pictures'), tabindex: items.length > 1 && '0' })
  return html`<div class="gallery"${about}>
${items.length === 0 ? picture(visit, null, product.name) : items.map((item, index) => shown(visit, item, index === 0))}
</div>
${items.some(({ url }) => !isFilm(url)) ? enlarged(visit) : ''}`
}

function itemsOf({ name, main_image, gallery }: PublicProduct, choices: readonly Choice[], chosen?: Choice): Item[] {
  const own = (url: string | null | undefined) => (url ? [{ url, alt_text: null }] : [])
  const known = new Map(gallery.map((item) => [item.url, item]))
  const all = [...own(chosen?.image), ...own(main_image), ...gallery, ...choices.flatMap(({ image }) => own(image))]
  return [...new Set(all.map(({ url }) => url))].slice(0, maximumItems).map((url) => {
    const { alt_text, poster } = known.get(url) ?? {}
    return { url, alt: alt_text ?? name, poster }
  })
}

/** Films elsewhere need a rule of their own in the page's policy. */
export function filmsFrom({ gallery }: PublicProduct): { mediaFrom?: string[] } {
  return gallery.some(({ url }) => isFilm(url)) ? { mediaFrom: ["'self'", 'https:'] } : {}
}

function shown(visit: Visit, { url, alt, poster }: Item, isFirst: boolean): Html | '' {
  if (isFilm(url)) return film(visit, { url, alt, poster })
  const image = picture(visit, url, alt, { eager: isFirst, sizes })
  const large = largestOf(visit, url)
  return large ? html`<a class="whole" href="${large}">${image}</a>` : image
}

function film(visit: Visit, { url, alt, poster }: Item): Html | '' {
  if (!url.startsWith('https:')) return ''
  const still = poster && largestOf(visit, poster)
  const own = { src: url, poster: still, preload: 'none', controls: true, playsinline: true }
  return html`<video class="tile"${attributes({ ...own, 'aria-label': visit.say('film_of', { name: alt }) })}></video>`
}

/** Empty until its script opens it. */
function enlarged({ say }: Visit): Html {
  const step = (by: number, word: 'previous' | 'next', sign: string) =>
    html`<button type="button" class="quiet" data-step="${by}" aria-label="${say(word)}">${sign}</button>`
  return html`<dialog id="large" aria-label="${say('pictures')}">
<div class="strip" tabindex="0" role="group" aria-label="${say('pictures')}"></div>
<form method="dialog">${step(-1, 'previous', '‹')}${step(1, 'next', '›')}
<button class="quiet" aria-label="${say('close')}">×</button></form>
</dialog>
<script src="${assetPath('gallery.js', assets)}" defer></script>`
}
