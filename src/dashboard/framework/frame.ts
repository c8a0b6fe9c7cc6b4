// The frame around every screen: the stores, the way between the sections, and what a form has done.
import { html } from 'hono/html'
import { assetPath, assetsOf } from '../../platform/pages/assets.ts'
import { document } from '../../platform/pages/frame.ts'
import { languageLinks } from '../../platform/pages/language.ts'
import { notice } from '../../platform/pages/parts.ts'
import { shortcutDialog, palette } from './shortcuts.ts'
import { navigation } from './navigation.ts'
import type { Html, Screen, ScreenContent, PageContext } from './screen.ts'
import { roleText } from './roletext.ts'
import { isMessageKey } from './messages.ts'

const morph = new URL(import.meta.resolve('idiomorph/dist/idiomorph.min.js'))

export const assets = assetsOf(new URL('../assets/', import.meta.url), [morph])

export function frame(
  context: PageContext,
  screen: Pick<Screen, 'path' | 'title' | 'section' | 'within'>,
  content: ScreenContent,
): Html {
  const { t, store, language } = context
  const title = content.title ?? t(screen.title)
  return document(language, {
    title: `${title} · ${store.name}`,
    styles: [assetPath('dashboard.css', assets)],
    script: assetPath('idiomorph.min.js', assets),
    module: assetPath('dashboard.ts', assets),
    body: html`
<a class="skip" href="#main">${t('skip')}</a>
<header class="bar"><button class="quiet" type="button" popovertarget="side">${t('menu')}</button>
<strong>${store.name}</strong></header>
${side(context, screen)}
<main id="main" tabindex="-1">
${screen.within ? backLink(context, screen.within) : ''}
<div class="head"><h1 id="title">${title}</h1>
${content.buttons ? html`<div class="pair">${content.buttons}</div>` : ''}</div>
<div id="said">${notices(context)}</div>
${content.content}
</main>
<div id="offline" class="notice error" role="alert" hidden>${t('offline')}</div>
<div id="ended" class="notice warning" role="alert" hidden><p><strong>${t('session_ended')}.</strong>
${t('session_ended_text')} <a href="${context.root}/oauth/login" target="_blank">${t('sign_in_tab')}</a></p></div>
${palette(context)}${shortcutDialog(context)}
<p id="spoken" class="hidden" role="status"></p>
<i id="guarding" hidden data-text="${t('unsaved')}"></i>`,
  })
}

function side(context: PageContext, here: Pick<Screen, 'path' | 'section'>): Html {
  const { t, base, baseUrl, store, role, root, session } = context
  return html`<aside id="side" class="side" popover aria-label="${t('menu')}">
${storeSwitcher(context)}
<a class="button quiet finder" href="${base}/find" data-opens="palette">${t('find')}
<kbd aria-hidden="true">⌘K</kbd></a>
${navigation(context, here)}
<div class="who"><p><a href="${base}/find" data-opens="keys">${t('shortcuts')}</a></p>
<p><a href="${baseUrl}/s/${store.slug}">${t('visit_shop')}</a></p>
<p><a href="${baseUrl}/glossary" hreflang="en">${t('glossary')}</a></p>
<p class="hint">${t('signed_in_as', { email: session.email })} · ${roleText(t, role)}</p>
<p><a href="${base}/settings/security">${t('account')}</a></p>
${languageLinks(context)}
<form method="post" action="${root}/oauth/logout" data-whole>
<button class="link">${t('sign_out')}</button></form></div>
</aside>`
}

function storeSwitcher({ t, store, session, root, opensStores }: PageContext): Html {
  const others = session.stores.filter(({ id, status }) => id !== store.id && status !== 'closed')
  return html`<details class="switch"><summary><strong>${store.name}</strong></summary>
<ul aria-label="${t('stores')}">${others.map(
    ({ id, name }) => html`<li><a href="${root}/dashboard/${id}">${name}</a></li>`,
  )}${opensStores ? html`<li><a href="${root}/dashboard/new">${t('store_new_short')}</a></li>` : ''}</ul></details>`
}

function backLink({ t, base, params }: PageContext, { path, title }: NonNullable<Screen['within']>): Html {
  const to = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const back = t('back_to', { place: t(title) })
  return html`<p class="trail"><a href="${base}${to}" aria-label="${back}">‹ ${t(title)}</a></p>`
}

/** Names the confirmation that the next page shows, and a count: `saved`, `changed_count.3`. */
export const noticeCookie = 'stoa_notice'

function notices({ t, cookies, rejection }: PageContext): Html | '' {
  const [done = '', count = ''] = (cookies[noticeCookie] ?? '').split('.')
  if (rejection?.text && !rejection.isShown) return notice('error', rejection.text)
  return rejection || !isMessageKey(done) ? '' : notice('done', t(done, { count: Number(count) || 0 }))
}
