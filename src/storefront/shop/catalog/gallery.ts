// Images and videos of a product. Without a script each image links to its full size; with one they open in an overlay
// with keyboard and swipe navigation.
import { html } from 'hono/html'
import { isFilm } from '../../../commerce/catalog/gallery.ts'
import type { PublicProduct } from '../../../commerce/catalog/public.ts'
import { assetPath } from '../../../platform/pages/assets.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import type { Choice } from './choice.ts'
import type { Html, ShopContext } from '../frame/page.ts'
import { assets, toLargestImageUrl, picture } from '../frame/view.ts'

const sizes = '(min-width: 48rem) 36rem, calc(88vw - 1.75rem)'
const maximumItems = 60

type GalleryTile = { url: string; alt: string; poster?: string | undefined }

/** The selected variant's image comes first, then the main image; those of other variants come last. */
export function gallery(
  context: ShopContext,
  product: PublicProduct,
  choices: readonly Choice[],
  selection?: Choice,
): Html {
  const { t } = context
  const items = buildGalleryTiles(product, choices, selection)
  const tiles = items.map((item, index) => tile(context, item, index === 0))
  // Makes a scrolling gallery reachable by keyboard.
  const about = attributes({ role: 'group', 'aria-label': t('pictures'), tabindex: items.length > 1 && '0' })
  return html`<div class="gallery"${about}>
${tiles.length === 0 ? picture(context, null, product.name) : tiles}
</div>
${items.some(({ url }) => !isFilm(url)) ? renderLightbox(context) : ''}`
}

function buildGalleryTiles(
  { name, main_image, gallery }: PublicProduct,
  choices: readonly Choice[],
  selection?: Choice,
): GalleryTile[] {
  const toTiles = (url: string | null | undefined) => (url ? [{ url, alt_text: null }] : [])
  const byUrl = new Map(gallery.map((item) => [item.url, item]))
  const all = [
    ...toTiles(selection?.image),
    ...toTiles(main_image),
    ...gallery,
    ...choices.flatMap(({ image }) => toTiles(image)),
  ]
  return [...new Set(all.map(({ url }) => url))].slice(0, maximumItems).map((url) => {
    const { alt_text, poster } = byUrl.get(url) ?? {}
    return { url, alt: alt_text ?? name, poster }
  })
}

/** Videos of other hosts need a source in the page's policy. */
export function filmsFrom({ gallery }: PublicProduct): { mediaFrom?: string[] } {
  return gallery.some(({ url }) => isFilm(url)) ? { mediaFrom: ["'self'", 'https:'] } : {}
}

function tile(context: ShopContext, { url, alt, poster }: GalleryTile, isFirst: boolean): Html | '' {
  if (isFilm(url)) return film(context, { url, alt, poster })
  const image = picture(context, url, alt, { eager: isFirst, sizes })
  const large = toLargestImageUrl(context, url)
  return large ? html`<a class="whole" href="${large}">${image}</a>` : image
}

function film(context: ShopContext, { url, alt, poster }: GalleryTile): Html | '' {
  if (!url.startsWith('https:')) return ''
  const still = poster && toLargestImageUrl(context, poster)
  const own = { src: url, poster: still, preload: 'none', controls: true, playsinline: true }
  return html`<video class="tile"${attributes({ ...own, 'aria-label': context.t('film_of', { name: alt }) })}></video>`
}

/** Stays empty until its script opens it. */
function renderLightbox({ t }: ShopContext): Html {
  const step = (delta: number, key: 'previous' | 'next', sign: string) =>
    html`<button type="button" class="quiet" data-step="${delta}" aria-label="${t(key)}">${sign}</button>`
  return html`<dialog id="large" aria-label="${t('pictures')}">
<div class="strip" tabindex="0" role="group" aria-label="${t('pictures')}"></div>
<form method="dialog">${step(-1, 'previous', '‹')}${step(1, 'next', '›')}
<button class="quiet" aria-label="${t('close')}">×</button></form>
</dialog>
<script src="${assetPath('gallery.js', assets)}" defer></script>`
}
