// The frame around every screen: the stores, the way between the sections, and what a form has done.
import { html } from 'hono/html'
import { assetPath, assetsOf } from '../../platform/pages/assets.ts'
import { document } from '../../platform/pages/frame.ts'
import { notice } from '../../platform/pages/parts.ts'
import { keySheet, palette } from './keys.ts'
import { navigation } from './navigation.ts'
import type { Html, Screen, Shown, Visit } from './page.ts'
import { isWord } from './words.ts'

const morph = new URL(import.meta.resolve('idiomorph/dist/idiomorph.min.js'))

export const assets = assetsOf(new URL('../assets/', import.meta.url), [morph])

export function frame(visit: Visit, screen: Pick<Screen, 'path' | 'title' | 'section' | 'within'>, shown: Shown): Html {
  const { say, store, language } = visit
  const title = shown.title ?? say(screen.title)
  return document(language, {
    title: `${title} · ${store.name}`,
    styles: [assetPath('dashboard.css', assets)],
    script: assetPath('idiomorph.min.js', assets),
    module: assetPath('dashboard.ts', assets),
    body: html`
<a class="skip" href="#main">${say('skip')}</a>
<header class="bar"><button class="quiet" type="button" popovertarget="side">${say('menu')}</button>
<strong>${store.name}</strong></header>
${side(visit, screen)}
<main id="main" tabindex="-1">
${screen.within ? trail(visit, screen.within) : ''}
<div class="head"><h1 id="title">${title}</h1>
${shown.buttons ? html`<div class="pair">${shown.buttons}</div>` : ''}</div>
<div id="said">${said(visit)}</div>
${shown.content}
</main>
<div id="offline" class="notice error" role="alert" hidden>${say('offline')}</div>
<div id="ended" class="notice warning" role="alert" hidden><p><strong>${say('session_ended')}.</strong>
${say('session_ended_text')} <a href="${visit.root}/oauth/login" target="_blank">${say('sign_in_tab')}</a></p></div>
${palette(visit)}${keySheet(visit)}
<p id="spoken" class="hidden" role="status"></p>
<i id="guarding" hidden data-text="${say('unsaved')}"></i>`,
  })
}

function side(visit: Visit, here: Pick<Screen, 'path' | 'section'>): Html {
  const { say, base, baseUrl, store, role, root, session } = visit
  return html`<aside id="side" class="side" popover aria-label="${say('menu')}">
${switcher(visit)}
<a class="button quiet finder" href="${base}/find" data-opens="palette">${say('find')}
<kbd aria-hidden="true">⌘K</kbd></a>
${navigation(visit, here)}
<div class="who"><p><a href="${base}/find" data-opens="keys">${say('shortcuts')}</a></p>
<p><a href="${baseUrl}/s/${store.slug}">${say('visit_shop')}</a></p>
<p class="hint">${say('signed_in_as', { email: session.email })} · ${say(`role_${role}`)}</p>
<p><a href="${base}/settings/security">${say('account')}</a></p>
<form method="post" action="${root}/oauth/logout" data-whole>
<button class="link">${say('sign_out')}</button></form></div>
</aside>`
}

function switcher({ say, store, session, root, opensStores }: Visit): Html {
  const others = session.stores.filter(({ id, status }) => id !== store.id && status !== 'closed')
  return html`<details class="switch"><summary><strong>${store.name}</strong></summary>
<ul aria-label="${say('stores')}">${others.map(
    ({ id, name }) => html`<li><a href="${root}/dashboard/${id}">${name}</a></li>`,
  )}${opensStores ? html`<li><a href="${root}/dashboard/new">${say('store_new_short')}</a></li>` : ''}</ul></details>`
}

function trail({ say, base, params }: Visit, { path, title }: NonNullable<Screen['within']>): Html {
  const to = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const back = say('back_to', { place: say(title) })
  return html`<p class="trail"><a href="${base}${to}" aria-label="${back}">‹ ${say(title)}</a></p>`
}

/** Names the confirmation that the next page shows, and a count: `saved`, `changed_count.3`. */
export const noticeCookie = 'stoa_notice'

function said({ say, cookies, refused }: Visit): Html | '' {
  const [done = '', count = ''] = (cookies[noticeCookie] ?? '').split('.')
  if (refused?.text && !refused.isSaid) return notice('error', refused.text)
  return refused || !isWord(done) ? '' : notice('done', say(done, { count: Number(count) || 0 }))
}
