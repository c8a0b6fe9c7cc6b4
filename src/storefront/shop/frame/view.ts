// The frame of every page of a store and its recurring parts: plain HTML that needs no script.
import { html, raw } from 'hono/html'
import { formatDay } from '../../../kit/values/day.ts'
import type { Language } from '../../../kit/values/language.ts'
import { addressWith } from '../../../platform/pages/address.ts'
import { assetPath, loadAssets } from '../../../platform/pages/assets.ts'
import { document } from '../../../platform/pages/frame.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { stylesheetPath } from '../../branding/stylesheet.ts'
import { countCartUnits, readCart } from './cart.ts'
import { isUploaded, buildPictureSources } from '../../../commerce/media/picture.ts'
import { formatParts, type NamedPart } from '../../../commerce/orders/parts.ts'
import type { Html, ShopContext } from './page.ts'
import {
  announcement,
  brand,
  helpLinks,
  toFaviconUrl,
  imprint,
  buildMenuLinks,
  menu,
  policies,
  taxSwitch,
} from './headerfooter.ts'
import { shopTranslator, type ShopTranslate } from './messages.ts'

/** The parts of one bundle, below its name. */
export function renderParts(parts: readonly NamedPart[] | null | undefined): Html | '' {
  return parts ? html`<p class="soft">${formatParts(parts)}</p>` : ''
}

/** `Ships from January 5, 2027`, or `Available from …` for what is not shipped. */
export function formatShipsFrom({ t, language }: ShopContext, day: string, isShipped = true): string {
  return t(isShipped ? 'ships_from' : 'available_from', { date: formatDay(day, language) })
}

type PromisedItem = { available_on?: string | null; requires_shipping?: boolean }

export function renderShipsFrom(
  context: ShopContext,
  { available_on: day, requires_shipping }: PromisedItem,
): Html | '' {
  return day ? html`<p class="soft">${formatShipsFrom(context, day, requires_shipping)}</p>` : ''
}

export const assets = loadAssets(new URL('../assets/', import.meta.url))
const sheet = assetPath('shop.css', assets)

type Frame = {
  title: string
  content: Html
  /** Meta tags for search engines and previews; without them the page is not indexed. */
  head?: Html
  /** The page's own style sheets. */
  styles?: string[]
  /** Without search and cart, so that nothing leads away from the checkout. */
  bare?: boolean
}

export function frame(context: ShopContext, { title, content, head, styles = [], bare = false }: Frame): Html {
  const { store, offer, face, language, t } = context
  const look = stylesheetPath(face)
  const name = offer.store_title ?? store.name
  const header = menu(context, { label: t('menu'), links: buildMenuLinks(context, face.header_menu) })
  return document(language, {
    title: title === name ? name : `${title} · ${name}`,
    styles: [sheet, ...(bare ? [] : [assetPath('catalogue.css', assets)]), ...styles, ...(look ? [look] : [])],
    icon: toFaviconUrl(context),
    script: assetPath('script.js', assets),
    head,
    body: html`
<a class="skip" href="#main">${t('skip')}</a>
${bare ? '' : announcement(context)}
<header class="top">
<a class="brand" href="${buildHomePath(context)}">${brand(context)}</a>
${bare ? '' : html`${search(context)}<div class="tools">${accountLink(context)}${cartLink(context)}</div>${header}`}
</header>
<main id="main" tabindex="-1">
${content}
</main>
<footer class="foot">
${imprint(context, context.year)}
${policies(context)}
${bare ? '' : menu(context, { label: t('more'), links: buildMenuLinks(context, face.footer_menu) })}
${bare ? '' : helpLinks(context)}
${bare || !context.taxView.canSwitch ? '' : html`<p class="languages">${taxSwitch(context)}</p>`}
${languageSwitch(context, bare ? languageButton : languageLink)}
</footer>`,
  })
}

/** A page without a store. */
export function bareFrame(language: Language, title: string, content: Html): Html {
  return document(language, { title, styles: [sheet], body: html`<main class="note">${content}</main>` })
}

export function buildHomePath({ root }: Pick<ShopContext, 'root'>): string {
  return root || '/'
}

function search({ root, t, query }: ShopContext): Html {
  return html`<form class="search" role="search" action="${root}/search">
<label class="hidden" for="q">${t('search')}</label>
<input id="q" name="q" type="search" value="${query.q ?? ''}" placeholder="${t('search')}" maxlength="100"
enterkeyhint="search" autocomplete="off">
<button aria-label="${t('search')}">${glass}</button>
<div class="matches" id="matches" hidden></div>
</form>
<script src="${assetPath('search.js', assets)}" defer></script>`
}

function cartLink(context: ShopContext): Html {
  const count = countCartUnits(readCart(context))
  return html`<a class="cart-link" id="cart-link" data-swap href="${context.root}/cart">${bag}
<span>${context.t('cart')}</span>
${count > 0 ? html`<b><span class="hidden">: </span>${count}</b>` : ''}</a>`
}

/** The same for everybody, because catalog pages are cached. */
function accountLink({ store, root, t }: ShopContext): Html | '' {
  if (!store.customer_accounts) return ''
  return html`<a class="cart-link person" href="${root}/account">${person}<span>${t('account')}</span></a>`
}

const drawing = (path: string) => raw(`<svg viewBox="0 0 20 20" aria-hidden="true"><path d="${path}"/></svg>`)
const glass = drawing('m13.5 13.5 4 4M15 9A6 6 0 1 1 3 9a6 6 0 0 1 12 0Z')
const person = drawing('M13.5 6.5a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0ZM3.5 17.5c.8-3 3.4-4.5 6.5-4.5s5.7 1.5 6.5 4.5')
const bag = drawing('M4 6.5h12l-1 11H5zM7 9V5.5a3 3 0 0 1 6 0V9')

/** The other languages that the store offers. */
function languageSwitch(context: ShopContext, draw: (context: ShopContext, other: Language) => Html): Html | '' {
  const others = context.languages.filter((other) => other !== context.language)
  if (others.length === 0) return ''
  // Keeps a dot on the line of the language before it.
  const links = others.map(
    (other, index) => html`<span>${draw(context, other)}${index < others.length - 1 ? ' ·' : ''}</span>
`,
  )
  return html`<p class="languages">${links}<span class="hidden">${context.t('switch_language')}</span></p>`
}

function languageLink({ here }: ShopContext, other: Language): Html {
  const there = { href: addressWith(here, { lang: other }), lang: other, hreflang: other, rel: 'nofollow' }
  return html`<a${attributes(there)}>${shopTranslator(other)('this_language')}</a>`
}

/** Submits the checkout's form, so that the input stays. */
function languageButton({ root }: ShopContext, other: Language): Html {
  const button = { form: 'checkout', formaction: `${root}/checkout?lang=${other}`, name: 'act', value: 'update' }
  const name = shopTranslator(other)('this_language')
  return html`<button class="link"${attributes({ ...button, lang: other })}>${name}</button>`
}

/** A script shows it when the shop is unreachable. */
export function offline(t: ShopTranslate): Html {
  return html`<p class="notice error" id="offline" role="alert" hidden>${t('offline')}</p>`
}

export function spoken(): Html {
  return html`<p class="hidden" role="status" id="spoken"></p>`
}

/** A page with a message and a link, which defaults to the products. */
export function note(
  context: ShopContext,
  { title, text, more }: { title: string; text: string; more?: Html | '' },
): Html {
  const away = html`<p><a class="button" href="${buildHomePath(context)}">${context.t('continue_shopping')}</a></p>`
  return frame(context, {
    title,
    content: html`<div class="note"><h1>${title}</h1><p>${text}</p>${more ?? away}</div>`,
  })
}

type PictureOptions = {
  /** Visible without scrolling. */
  eager?: boolean
  /** Its width on the page, for `sizes`. */
  sizes?: string
  /** A missing image shows the first letter of this. Defaults to the alternative text. */
  name?: string
}

/** Uploaded images have several sizes; others are loaded from their own host. */
export function picture(
  { store }: Pick<ShopContext, 'store'>,
  url: string | null | undefined,
  alt: string,
  { eager = false, sizes = '6rem', name = alt }: PictureOptions = {},
): Html {
  const own = url ? buildPictureSources(url, store.id) : null
  const letter = html`<span class="letter" aria-hidden="true">${[...name][0]?.toUpperCase() ?? ''}</span>`
  if (!url || !toLargestImageUrl({ store }, url)) return html`<span class="tile">${letter}</span>`
  const order = eager ? { fetchpriority: 'high' } : { loading: 'lazy' }
  const source = buildImageSource({ store }, url, sizes)
  return html`<span class="tile">${own ? ground(own.colour) : ''}
<img${attributes({ ...source, ...order, decoding: 'async' })} alt="${alt}">${letter}</span>`
}

/** The source attributes of an img. */
export function buildImageSource({ store }: Pick<ShopContext, 'store'>, url: string | null, sizes: string) {
  const own = url ? buildPictureSources(url, store.id) : null
  return own
    ? { src: own.src, srcset: own.srcset, sizes, width: own.width, height: own.height }
    : { src: url && toHttps(url), referrerpolicy: 'no-referrer' }
}

/** A placeholder until the image has loaded. The page's policy forbids style attributes, so it is an SVG. */
function ground(colour: string): Html {
  return html`<svg aria-hidden="true"><path d="M0 0h9999v9999H0z" fill="#${colour}"/></svg>`
}

/** The URL of the full-size image; null if the page cannot show it. */
export function toLargestImageUrl(
  { store }: Pick<ShopContext, 'store'>,
  url: string | null | undefined,
): string | null {
  const own = url ? buildPictureSources(url, store.id) : null
  if (own) return own.largest
  // An image that another store has uploaded is not this store's.
  return url && (url.startsWith('https:') || !isUploaded(url)) ? toHttps(url) : null
}

/** Pages load images only over https, which most http hosts support too. */
function toHttps(url: string): string {
  return url.replace(/^http:/i, 'https:')
}
