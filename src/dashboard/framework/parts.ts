// Recurring parts of screens.
import { html } from 'hono/html'
import type { FulfillmentStatus, PaymentStatus, OrderStatus } from '../../commerce/orders/states.ts'
import type { Language } from '../../kit/values/language.ts'
import { percentIn } from '../../kit/values/percents.ts'
import type { Html } from './screen.ts'
import { attributes } from '../../platform/pages/parts.ts'
import type { MessageKey, Translate } from './messages.ts'

/** A state in a word; its colour only repeats what the word says. */
export function mark(text: string, tone: Tone): Html {
  return html`<span class="mark ${tone}">${text}</span>`
}

export function panel(title: string, content: Html | Html[], more: Html | '' = ''): Html {
  return html`<section class="panel"><div class="head"><h2>${title}</h2>${more}</div>${content}</section>`
}

/** A panel that a person opens. */
export function foldedPanel(title: string, content: Html, { id, isOpen }: { id?: string; isOpen: boolean }): Html {
  return html`<details class="panel"${attributes({ id, open: isOpen })}><summary>${title}</summary>${content}</details>`
}

/** The actions of a record in a list; `name` tells screen readers which record. */
export function recordActions(t: Translate, name: string, content: Html, isOpen = false): Html {
  const label = html`${t('actions')}<span class="hidden"> ${name}</span>`
  return html`<details class="more"${attributes({ open: isOpen })}><summary>${label}</summary>
${content}</details>`
}

/** Shown instead of an empty list. */
export function emptyState(t: Translate, title: MessageKey, text: MessageKey): Html {
  return html`<div class="empty"><h2>${t(title)}</h2><p>${t(text)}</p></div>`
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

type Tone = 'good' | 'warn' | 'bad' | 'plain'

// prettier-ignore
export const tones: Record<OrderStatus, Tone> = {
  pending: 'warn', confirmed: 'plain', in_progress: 'plain', completed: 'good', cancelled: 'bad', returned: 'bad',
}
// prettier-ignore
const paymentTones: Record<PaymentStatus, Tone> = {
  pending: 'warn', paid: 'good', refunded: 'plain', failed: 'bad',
}
type PaymentAmounts = { payment_status: PaymentStatus; captured_amount: number; refunded_amount: number }

/** What was paid of an order, with the states between those of the API. */
export function paymentMark(
  t: Translate,
  { payment_status: status, captured_amount, refunded_amount }: PaymentAmounts,
): Html {
  if (status === 'paid' && refunded_amount > 0) return mark(t('payment_status_partly_refunded'), 'warn')
  if (status === 'pending' && captured_amount > 0) return mark(t('payment_status_partly_paid'), 'warn')
  return mark(t(`payment_status_${status}`), paymentTones[status])
}

// prettier-ignore
export const fulfillmentTones: Record<FulfillmentStatus, Tone> = {
  unfulfilled: 'warn', partial: 'warn', fulfilled: 'good',
}
