// The frame of every page of a store and its recurring parts: plain HTML that needs no script.
import { html, raw } from 'hono/html'
import type { Language } from '../kit/values/language.ts'
import { catalogue, icon, script, style } from './assets.ts'
import { countOf, readCart } from './cart.ts'
import type { Html, Visit } from './page.ts'
import { sayIn } from './words.ts'

type Frame = {
  title: string
  content: Html
  /** Meta tags for search engines and previews; without, the page is not to be listed. */
  head?: Html
  /** At the checkout nothing leads away: no search, no cart. */
  bare?: boolean
}

export function frame(visit: Visit, { title, content, head, bare = false }: Frame): Html {
  const { store, offer, language } = visit
  const name = offer.store_title ?? store.name
  return skeleton(language, {
    title: title === name ? name : `${title} · ${name}`,
    head: html`${head ?? html`<meta name="robots" content="noindex">`}
${bare ? '' : html`<link rel="stylesheet" href="${catalogue.path}">`}`,
    body: html`
<a class="skip" href="#main">${visit.say('skip')}</a>
<header class="top">
<a class="brand" href="${homeOf(visit)}">${name}</a>
${bare ? '' : html`${search(visit)}${cartLink(visit)}`}
</header>
<main id="main" tabindex="-1">
${content}
</main>
<footer class="foot">
<p>© ${visit.db.clock.now().getUTCFullYear()} ${store.name}</p>
${languageSwitch(visit)}
</footer>`,
  })
}

/** A page without a store. */
export function bareFrame(language: Language, title: string, content: Html): Html {
  return skeleton(language, {
    title,
    head: html`<meta name="robots" content="noindex">`,
    body: html`<main class="note">${content}</main>`,
  })
}

function skeleton(language: Language, { title, head, body }: { title: string; head: Html; body: Html }): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${style.path}">
${head}
<link rel="icon" href="${icon.path}">
<script src="${script.path}" defer></script>
</head>
<body>
${body}
</body>
</html>
`
}

export function homeOf({ root }: Pick<Visit, 'root'>): string {
  return root || '/'
}

function search({ root, say, query }: Visit): Html {
  return html`<form class="search" role="search" action="${root}/search">
<label class="hidden" for="q">${say('search')}</label>
<input id="q" name="q" type="search" value="${query.q ?? ''}" placeholder="${say('search')}" maxlength="100"
enterkeyhint="search" autocomplete="off">
<button aria-label="${say('search')}">${glass}</button>
</form>`
}

function cartLink(visit: Visit): Html {
  const count = countOf(readCart(visit))
  return html`<a class="cart-link" href="${visit.root}/cart">${bag}<span>${visit.say('cart')}</span>
${count > 0 ? html`<b><span class="hidden">: </span>${count}</b>` : ''}</a>`
}

const drawing = (path: string) => raw(`<svg viewBox="0 0 20 20" aria-hidden="true"><path d="${path}"/></svg>`)
const glass = drawing('m13.5 13.5 4 4M15 9A6 6 0 1 1 3 9a6 6 0 0 1 12 0Z')
const bag = drawing('M4 6.5h12l-1 11H5zM7 9V5.5a3 3 0 0 1 6 0V9')

function languageSwitch({ language, here, say }: Visit): Html {
  const other = language === 'en' ? 'es' : 'en'
  const there = { href: addressWith(here, { lang: other }), lang: other, hreflang: other, rel: 'nofollow' }
  return html`<p><a${attributes(there)}>${sayIn(other)('this_language')}</a>
<span class="hidden">${say('switch_language')}</span></p>`
}

/** The same address with other parameters; null takes one out. */
export function addressWith(here: string, parameters: Record<string, string | null>): string {
  const url = new URL(here, 'http://here')
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  return url.pathname + url.search
}

/** A page of the store that only says something, and where to go from there: back to its products unless said. */
export function note(visit: Visit, { title, text, more }: { title: string; text: string; more?: Html | '' }): Html {
  const away = html`<p><a class="button" href="${homeOf(visit)}">${visit.say('continue_shopping')}</a></p>`
  return frame(visit, { title, content: html`<div class="note"><h1>${title}</h1><p>${text}</p>${more ?? away}</div>` })
}

export function notice(kind: 'error' | 'warning' | 'done', content: Html | string): Html {
  return html`<div class="notice ${kind}" role="${kind === 'error' ? 'alert' : 'status'}">${content}</div>`
}

/** ` name="value"` of each that there is: true gives the name alone; false, null and '' give nothing. */
export function attributes(given: Record<string, string | number | boolean | null | undefined>): Html {
  const there = Object.entries(given).filter(([, value]) => value || value === 0)
  return html`${there.map(([name, value]) => (value === true ? html` ${name}` : html` ${name}="${value}"`))}`
}

type About = { fault?: string | undefined; hint?: string | undefined; focus?: boolean }

/** Of a field with this name: what is wrong with it, its hint, and whether it gets the focus. */
export function aboutField(name: string, { fault, hint, focus = false }: About): Html {
  const described = [hint ? `${name}-hint` : '', fault ? `${name}-fault` : ''].filter(Boolean).join(' ')
  return attributes({ 'aria-describedby': described, 'aria-invalid': fault ? 'true' : null, autofocus: focus })
}

/** What is wrong with the field that it stands beside. */
export function faultOf(name: string, fault: string | undefined): Html | '' {
  return fault ? html`<p class="fault" id="${name}-fault">${fault}</p>` : ''
}

/** The browser loads it from where the merchant keeps it, if the page's policy lets it. */
export function picture(url: string | null | undefined, alt: string, { eager = false } = {}): Html {
  if (!url?.startsWith('https:')) {
    return html`<span class="tile letter" aria-hidden="true">${[...alt][0]?.toUpperCase() ?? ''}</span>`
  }
  const order = attributes(eager ? { fetchpriority: 'high' } : { loading: 'lazy' })
  return html`<span class="tile">
<img src="${url}" alt="${alt}"${order} decoding="async" referrerpolicy="no-referrer"></span>`
}
