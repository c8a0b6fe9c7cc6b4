// The frame around every screen: stores, navigation, and the result of a form.
import { html } from 'hono/html'
import { assetPath, loadAssets } from '../../platform/pages/assets.ts'
import { document } from '../../platform/pages/frame.ts'
import { languageLinks } from '../../platform/pages/language.ts'
import { notice } from '../../platform/pages/parts.ts'
import { shortcutDialog, palette } from './shortcuts.ts'
import { navigation } from './navigation.ts'
import { icon, iconAlone, type IconName } from './icons.ts'
import type { Html, Screen, ScreenContent, PageContext } from './screen.ts'
import { roleText } from './roletext.ts'
import { isMessageKey } from './messages.ts'

const morph = new URL(import.meta.resolve('idiomorph/dist/idiomorph.min.js'))

export const assets = loadAssets(new URL('../assets/', import.meta.url), [morph])

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
    hasFont: true,
    body: html`
<a class="skip" href="#main">${t('skip')}</a>
<header class="bar"><button class="quiet" type="button" popovertarget="side">${iconAlone('menu', t('menu'))}</button>
<strong>${store.name}</strong>
${bell(context)}
<a class="button quiet" href="${context.base}/find" data-opens="palette">${iconAlone('search', t('find'))}</a></header>
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
<i id="guarding" hidden data-text="${t('unsaved')}"></i>
<template id="unsaved"><span role="status">${icon('edit')} ${t('unsaved_changes')}</span>
<button class="quiet" type="button" data-discard>${t('discard')}</button></template>
<template id="icons">${scriptIcons.map((name) => icon(name, `is-${name}`))}</template>`,
  })
}

/** Icons for elements that scripts add to the page. */
const scriptIcons = ['up', 'down', 'close', 'drag', 'add'] as const

function side(context: PageContext, here: Pick<Screen, 'path' | 'section'>): Html {
  const { t, base, store } = context
  return html`<aside id="side" class="side" popover aria-label="${t('menu')}">
<div class="crown">${storeSwitcher(context)}
<live-bell from="${base}/notifications.json">${bell(context)}</live-bell></div>
<a class="button quiet finder" href="${base}/find" data-opens="palette"><span>${icon('search')} ${t('find')}</span>
<kbd aria-hidden="true">⌘K</kbd></a>
${navigation(context, here)}
<p class="visit"><a href="${store.storefront_url}" target="_blank">${icon('external')} ${t('visit_shop')}</a></p>
${accountMenu(context)}
</aside>`
}

function bell({ t, base, unread = 0 }: PageContext): Html {
  const countText = unread > 99 ? '99+' : unread
  const count = html`<b class="unread-count" data-unread${unread === 0 ? html` hidden` : ''}>${countText}</b>`
  return html`<a class="button quiet bell" href="${base}/notifications" title="${t('notifications')}">
${iconAlone('bell', t('notifications'))}${count}</a>`
}

/** A menu that needs no script. */
function menu(id: string, about: { label: string; button: Html }, content: Html): Html {
  return html`<button class="quiet opener" type="button" popovertarget="${id}">${about.button}</button>
<div id="${id}" class="menu-box" popover role="group" aria-label="${about.label}">${content}</div>`
}

const renderInitial = (name: string) =>
  html`<i class="initial" aria-hidden="true">${[...name][0]?.toUpperCase() ?? ''}</i>`

function accountMenu(context: PageContext): Html {
  const { t, base, baseUrl, role, root, session } = context
  const item = (name: IconName, to: string, text: string, more: Html | '' = '') =>
    html`<li><a href="${to}"${more}>${icon(name)} ${text}</a></li>`
  const content = html`<p class="hint">${t('signed_in_as', { email: session.email })}</p>
<ul>${item('account', `${base}/settings/security`, t('account'))}
${item('keys', `${base}/find`, t('shortcuts'), html` data-opens="keys"`)}
${item('glossary', `${baseUrl}/glossary`, t('glossary'), html` hreflang="en"`)}</ul>
${languageLinks(context)}`
  const button = html`${renderInitial(session.email)}<span class="two"><span>${session.email}</span>
<small>${roleText(t, role)}</small></span>${icon('choose')}`
  return html`<div class="who">${menu('me', { label: t('account'), button }, content)}
<form method="post" action="${root}/oauth/logout" data-whole>
<button class="quiet" title="${t('sign_out')}">${iconAlone('sign_out', t('sign_out'))}</button></form></div>`
}

function storeSwitcher({ t, store, session, root, opensStores }: PageContext): Html {
  const others = session.stores.filter(({ id, status }) => id !== store.id && status !== 'closed')
  const items = others.map(
    ({ id, name }) => html`<li><a href="${root}/dashboard/${id}">${renderInitial(name)} ${name}</a></li>`,
  )
  const fresh = opensStores
    ? html`<li><a href="${root}/dashboard/new">${icon('add')} ${t('store_new_short')}</a></li>`
    : ''
  const name = html`${renderInitial(store.name)}<strong>${store.name}</strong>`
  if (items.length === 0 && !fresh) return html`<div class="switch"><p class="opener">${name}</p></div>`
  const button = html`${name}${icon('choose')}`
  const content = html`<ul aria-label="${t('stores')}">${items}${fresh}</ul>`
  return html`<div class="switch">${menu('stores', { label: t('stores'), button }, content)}</div>`
}

function backLink({ t, base, params }: PageContext, { path, title }: NonNullable<Screen['within']>): Html {
  const to = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const back = t('back_to', { place: t(title) })
  return html`<p class="trail"><a href="${base}${to}" aria-label="${back}">${icon('back')} ${t(title)}</a></p>`
}

/** Carries the confirmation for the next page, and a count: `saved`, `changed_count.3`. */
export const noticeCookie = 'stoa_notice'

function notices({ t, cookies, rejection }: PageContext): Html | '' {
  const [message = '', count = ''] = (cookies[noticeCookie] ?? '').split('.')
  if (rejection?.text && !rejection.isShown) return notice('error', rejection.text)
  return rejection || !isMessageKey(message) ? '' : notice('done', t(message, { count: Number(count) || 0 }))
}
