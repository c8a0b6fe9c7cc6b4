// The frame of account pages: the shopper's name, navigation, and sign-out.
import { html } from 'hono/html'
import { assetPath } from '../../../platform/pages/assets.ts'
import { attributes, notice } from '../../../platform/pages/parts.ts'
import type { Html } from '../frame/page.ts'
import type { ShopMessageKey } from '../frame/messages.ts'
import { accountPath, type ShopperContext } from '../frame/shopper.ts'
import { assets, frame } from '../frame/view.ts'

const places = [
  ['', 'account_orders'],
  ['/addresses', 'account_addresses'],
  ['/profile', 'account_profile'],
] as const satisfies [path: string, title: ShopMessageKey][]

type AccountPage = { place: (typeof places)[number][0]; title?: string; content: Html }

/** The values of `?done=`. */
const doneMessages = ['saved', 'added', 'removed'] as const

export function accountPage(context: ShopperContext, { place, title, content }: AccountPage): Html {
  const { t, root, shopper, query } = context
  const heading = title ?? t(places.find(([path]) => path === place)![1])
  const links = places.map(([path, text]) => {
    const about = { href: `${root}${accountPath}${path}`, 'aria-current': path === place && 'page' }
    return html`<li><a${attributes(about)}>${t(text)}</a></li>`
  })
  const message = doneMessages.find((name) => name === query.done)
  return frame(context, {
    title: heading,
    styles: [assetPath('account.css', assets)],
    content: html`<div class="account"><div class="who">
<nav class="menu" aria-label="${t('account')}"><ul>${links}</ul></nav>
<form method="post" action="${root}${accountPath}/sign-out"><p>${shopper.email}
<button class="link">${t('sign_out')}</button></p></form></div>
<h1>${heading}</h1>
${message ? notice('done', t(`account_${message}`)) : ''}
${content}</div>`,
  })
}
