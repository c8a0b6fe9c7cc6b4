// One abandoned checkout: items, shopper, last step and recovery link.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { townLine } from '../../../commerce/orders/address.ts'
import { findOffer } from '../../../storefront/checkout/offers/offer.ts'
import { draft, findDraft, type CheckoutDraft } from '../../../storefront/checkout/cart/draft.ts'
import { findWithholdReason } from '../../../storefront/checkout/drafts/recovery.ts'
import { mail } from '../../../tenancy/emails/mail.ts'
import { facts, mark, panel } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { messageOr } from '../../framework/messages.ts'
import { renderAnswers } from '../orders/document.ts'
import { draftTones, recoveryMailTones, formatShopperName, carts } from './carts.ts'
import { placeBelow } from '../../framework/placement.ts'
import { findItemPictures, renderItem } from '../orders/itempictures.ts'

// prettier-ignore
export const cartScreen = record({
  path: '/carts/{id}', ...placeBelow(carts), feature: 'abandoned_checkouts', resource: draft,
  read: ({ db, store, ids, deps }: PageContext) => findDraft(db, store, ids.id!, deps),
  name: formatShopperName,
  marks: [
    ({ status }, { t }) => mark(t(`draft_status_${status}`), draftTones[status]),
    ({ abandoned_at, created_at }, { formatTime }) => formatTime(abandoned_at ?? created_at),
  ],
  main: [contents, recovery],
  side: [
    { title: 'customer', head: findCustomerLink, facts: [
      ['name', ({ customer }) => customer?.name ?? null],
      ['email', ({ customer: { email } = {} }) => email ? html`<a href="mailto:${email}">${email}</a>` : null],
      ['phone', ({ customer }) => customer?.phone ?? null],
      'customer_notes',
      ['discount_codes', ({ discount_codes: codes }) => codes?.join(', ') || null],
      ['step', ({ status, step }, { t }) => status === 'recovered' ? null : t(`reached_${step}`)],
    ] },
    { title: 'answers', when: hasAnswers, content: renderCartAnswers },
    { title: 'delivery', facts: [
      ['shipping_address', formatDestination],
      ['shipping_method', ({ shipping_method: code }, { t }) => code && messageOr(t, `method_${code}`, code)],
      ['payment_method', ({ payment_method: code }, { t }) => code && messageOr(t, `method_${code}`, code)],
    ] },
  ],
})

function hasAnswers({ custom_fields }: CheckoutDraft): boolean {
  return Object.keys(custom_fields).length > 0
}

/** With the labels of today: the checkout keeps only keys. */
async function renderCartAnswers(context: PageContext, { custom_fields }: CheckoutDraft): Promise<Html | ''> {
  const { custom_fields: asked } = await findOffer(context.db, context.store)
  const answers = Object.entries(custom_fields).map(([key, value]) => {
    return { key, label: asked.find((one) => one.key === key)?.label ?? key, value }
  })
  return renderAnswers(context, { custom_fields: answers }) ?? ''
}

function findCustomerLink({ t, base }: PageContext, { customer }: CheckoutDraft): Html | '' {
  const { email } = customer ?? {}
  return email ? html`<a href="${base}/customers?search=${encodeURIComponent(email)}">${t('find_customer')}</a>` : ''
}

async function contents(context: PageContext, { items, order_bumps, ...sums }: CheckoutDraft): Promise<Html> {
  const { t, price } = context
  const pictures = await findItemPictures(context, items)
  const goods = items.map(
    (item) => html`<tr><td>${renderItem(context, item, pictures, [item.variant_name])}</td>
<td class="number">${item.quantity} × ${price(item.unit_price)}</td>
<td class="number">${price(item.total_price)}</td></tr>`,
  )
  const bumps = order_bumps.map(
    (bump) =>
      html`<tr><td><strong>${bump.title}</strong></td><td></td><td class="number">${price(bump.price)}</td></tr>`,
  )
  const line = (text: string, amount: number) =>
    amount === 0 ? '' : html`<div><dt>${text}</dt><dd>${price(amount)}</dd></div>`
  return panel(
    t('items'),
    html`<table class="plain" aria-label="${t('items')}"><tbody>${goods}${bumps}</tbody></table>
<dl class="sums">
${line(t('subtotal'), sums.subtotal)}${line(t('discount'), -sums.discount)}${line(t('shipping'), sums.shipping)}
${line(t('tax'), sums.tax)}<div class="total"><dt>${t('total')}</dt><dd>${price(sums.total)}</dd></div></dl>`,
  )
}

/** Shows the recovery link, its email, and whether the shopper returned. */
async function recovery(context: PageContext, cart: CheckoutDraft): Promise<Html> {
  const { t, formatTime, base, role } = context
  const { recovery_url: url, recovery_mail: state, recovery_mail_at: at, recovery_opened_at: openedAt } = cart
  const { recovered_at, order_id, status } = cart
  const isOpen = status === 'active' || status === 'abandoned'
  const link = html`<p>${t('recovery_link_text')}</p><copy-text label="${t('copy')}" done="${t('copied')}">
<code>${url}</code></copy-text>`
  const reason = state === 'withheld' ? await findWithholdReason(context.db, context.store.id, context.ids.id!) : null
  const order = order_id && html`<a class="main" href="${base}/orders/${order_id}">${t('recovered_order')}</a>`
  return panel(
    t('recovery'),
    html`${isOpen && url ? link : ''}
${facts([
  [
    t('recovery_mail'),
    html`${mark(t(`recovery_mail_${state}`), recoveryMailTones[state])} ${at ? formatTime(at) : ''}
${reason ? html`<small class="hint">${t(`withheld_${reason}`)}</small>` : ''}`,
  ],
  [t('recovery_opened'), openedAt ? formatTime(openedAt) : t('never')],
  [t('recovered_at'), recovered_at ? formatTime(recovered_at) : null],
  [t('order_number'), order],
])}
${mayUse(role, 'read:orders') ? await mails(context) : ''}`,
  )
}

async function mails({ db, store, params, t, formatTime }: PageContext): Promise<Html | ''> {
  const query = { page: 1, per_page: 20, sort: 'created_at', order: 'desc', checkout_id: params.id } as const
  const { data } = await entityPage(db, mail, store, query)
  if (data.length === 0) return ''
  const rows = data.map(
    ({ kind, status, created_at, error }) => html`<li><div><p>${messageOr(t, `mail_${kind}`, kind)}
${messageOr(t, `mail_status_${status}`, status)}</p>
<p class="hint">${[formatTime(created_at), error].filter(Boolean).join(' · ')}</p></div></li>`,
  )
  return html`<h3>${t('other_mails')}</h3><ul class="rows">${rows}</ul>`
}

function formatDestination({ shipping_address: to }: CheckoutDraft): Html | string {
  const { address, address_2, country_code = null } = to ?? {}
  const lines = [address, address_2, townLine(to, country_code), country_code].filter(Boolean)
  return lines.length > 0 ? html`${lines.map((line) => html`${line}<br>`)}` : '–'
}
