// Recurring parts of screens.
import { html } from 'hono/html'
import type { PaymentStatus } from '../../commerce/orders/states.ts'
import type { Language } from '../../kit/values/language.ts'
import { percentIn } from '../../kit/values/percents.ts'
import type { Html } from './screen.ts'
import { attributes } from '../../platform/pages/parts.ts'
import { icon, type IconName } from './icons.ts'
import type { MessageKey, Translate } from './messages.ts'
import { toPreviewUrl } from './picturepreview.ts'
import { statusMark, getStatusTones } from './statuses.ts'

export { mark } from './statuses.ts'

export function panel(title: string, content: Html | Html[], more: Html | '' = ''): Html {
  return html`<section class="panel"><div class="head"><h2>${title}</h2>${more}</div>${content}</section>`
}

/** A panel that is closed at first. */
export function foldedPanel(title: string, content: Html, { id, isOpen }: { id?: string; isOpen: boolean }): Html {
  return html`<details class="panel"${attributes({ id, open: isOpen })}><summary>${title}</summary>${content}</details>`
}

type DialogProps = { id: string; kind: string; isOpen: boolean }

/** A button that opens a dialog. Without a script, the dialog unfolds below it. */
export function actionDialog(title: string, content: Html, { id, kind, isOpen }: DialogProps): Html {
  const summary = html`<summary class="button${kind && ` ${kind}`}">${title}</summary>`
  return html`<details class="act"${attributes({ id, open: isOpen })}>${summary}
<dialog open aria-label="${title}"><h2>${title}</h2>${content}</dialog></details>`
}

/** The button of a header that opens a list of actions. */
export function menu(title: string, content: Html): Html {
  return html`<button class="quiet" type="button" popovertarget="more">${title} ${icon('open_menu')}</button>
<div id="more" class="menu-box" popover role="group" aria-label="${title}">${content}</div>`
}

/** A small picture in a row, or the sign that there is none. */
export function thumbnail(image: string | null | undefined, storeId: string): Html {
  return image
    ? html`<img src="${toPreviewUrl(image, storeId)}" alt="" loading="lazy" width="40" height="40">`
    : html`<i>${icon('image')}</i>`
}

/** The actions of a record in a list; `name` tells screen readers which record. */
export function recordActions(t: Translate, name: string, content: Html, isOpen = false): Html {
  const label = html`${t('actions')}<span class="hidden"> ${name}</span>`
  return html`<details class="more"${attributes({ open: isOpen })}><summary>${label}</summary>
${content}</details>`
}

type EmptyExtras = { icon?: IconName; action?: Html | '' }

/** Replaces an empty list: explains it, and links to the first record. */
export function emptyState(t: Translate, title: MessageKey, text: MessageKey, extras: EmptyExtras = {}): Html {
  const { icon: name = 'inbox', action = '' } = extras
  return html`<div class="empty"><span class="disc">${icon(name)}</span><h2>${t(title)}</h2><p>${t(text)}</p>
${action ? html`<div class="pair">${action}</div>` : ''}</div>`
}

/** Terms with their values. Those without a value are left out. */
export function facts(pairs: readonly (readonly [string, Html | string | null])[]): Html {
  const there = pairs.filter(([, value]) => value !== null && value !== '')
  const rows = there.map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)
  return html`<dl class="facts">${rows}</dl>`
}

/** A plural message for a script, which puts the number in its place. */
export function countAttributes(name: string, message: (count: number) => string): Record<string, string> {
  return { [`data-${name}-one`]: message(1), [`data-${name}-other`]: message(2).replace('2', '{count}') }
}

export function percentText(language: Language, percent: number): string {
  return percentIn(language, 2)(percent / 100)
}

export const tones = getStatusTones('order')
export const fulfillmentTones = getStatusTones('fulfillment')

type PaymentAmounts = { payment_status: PaymentStatus; captured_amount: number; refunded_amount: number }

/** The payment status of an order, with states between those of the API. */
export function paymentMark(
  t: Translate,
  { payment_status: status, captured_amount, refunded_amount }: PaymentAmounts,
): Html {
  if (status === 'paid' && refunded_amount > 0) return statusMark(t, 'payment', 'partly_refunded')
  if (status === 'pending' && captured_amount > 0) return statusMark(t, 'payment', 'partly_paid')
  return statusMark(t, 'payment', status)
}
