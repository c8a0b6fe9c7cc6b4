// One checkout that was left: what was in it, who left it and how far they came, and the way back to it.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { townLine } from '../../../commerce/orders/address.ts'
import { draft, findDraft, type CheckoutDraft } from '../../../storefront/checkout/cart/draft.ts'
import { mail } from '../../../tenancy/emails/mail.ts'
import { facts, mark, panel } from '../../framework/parts.ts'
import type { Html, Screen, Visit } from '../../framework/page.ts'
import { wordIn } from '../../framework/words.ts'
import { draftTones, letterTones, whoOf } from './carts.ts'

export const cartScreen: Screen = {
  path: '/carts/{id}',
  scope: 'read:checkout_drafts',
  feature: 'abandoned_checkouts',
  title: 'carts',
  section: 'carts',
  within: { path: '/carts', title: 'carts' },
  params: { id: draft },
  async show(visit) {
    const { db, store, ids, tools, say, when } = visit
    const record = await findDraft(db, store, ids.id!, tools)
    const { status, abandoned_at, created_at } = record
    return {
      title: whoOf(record),
      content: html`<p class="states">${mark(say(`draft_status_${status}`), draftTones[status])}
<span class="hint">${when(abandoned_at ?? created_at)}</span></p>
<div class="columns"><div>${contents(visit, record)}${await recovery(visit, record)}</div>
<div>${shopper(visit, record)}${destination(visit, record)}</div></div>`,
    }
  },
}

function contents({ say, price }: Visit, { items, order_bumps, ...sums }: CheckoutDraft): Html {
  const rows = [
    ...items.map(({ product_name, variant_name, quantity, unit_price, total_price }) => ({
      name: product_name,
      note: variant_name,
      times: `${quantity} × ${price(unit_price)}`,
      amount: total_price,
    })),
    ...order_bumps.map((bump) => ({ name: bump.title, note: null, times: '', amount: bump.price })),
  ].map(
    ({
      name,
      note,
      times,
      amount,
    }) => html`<tr><td><strong>${name}</strong>${note ? html`<small>${note}</small>` : ''}</td>
<td class="number">${times}</td><td class="number">${price(amount)}</td></tr>`,
  )
  const line = (text: string, amount: number) =>
    amount === 0 ? '' : html`<div><dt>${text}</dt><dd>${price(amount)}</dd></div>`
  return panel(
    say('items'),
    html`<table class="plain" aria-label="${say('items')}"><tbody>${rows}</tbody></table><dl class="sums">
${line(say('subtotal'), sums.subtotal)}${line(say('discount'), -sums.discount)}${line(say('shipping'), sums.shipping)}
${line(say('tax'), sums.tax)}<div class="total"><dt>${say('total')}</dt><dd>${price(sums.total)}</dd></div></dl>`,
  )
}

/** The way back, who was told of it, and whether they came. */
async function recovery(visit: Visit, record: CheckoutDraft): Promise<Html> {
  const { say, when, base, role } = visit
  const { recovery_url: url, recovery_mail: state, recovery_mail_at: at, recovery_opened_at: opened } = record
  const { recovered_at, order_id, status } = record
  const isOpen = status === 'active' || status === 'abandoned'
  const link = html`<p>${say('recovery_link_text')}</p><copy-text label="${say('copy')}" done="${say('copied')}">
<code>${url}</code></copy-text>`
  const order = order_id && html`<a class="main" href="${base}/orders/${order_id}">${say('recovered_order')}</a>`
  return panel(
    say('recovery'),
    html`${isOpen && url ? link : ''}
${facts([
  [say('recovery_mail'), html`${mark(say(`recovery_mail_${state}`), letterTones[state])} ${at ? when(at) : ''}`],
  [say('recovery_opened'), opened ? when(opened) : say('never')],
  [say('recovered_at'), recovered_at ? when(recovered_at) : null],
  [say('order_number'), order],
])}
${mayUse(role, 'read:orders') ? await mails(visit) : ''}`,
  )
}

async function mails({ db, store, params, say, when }: Visit): Promise<Html | ''> {
  const query = { page: 1, per_page: 20, sort: 'created_at', order: 'desc', checkout_id: params.id } as const
  const { data } = await entityPage(db, mail, store, query)
  if (data.length === 0) return ''
  const rows = data.map(
    ({ kind, status, created_at, error }) => html`<li><div><p>${wordIn(say, `mail_${kind}`, kind)}
${wordIn(say, `mail_status_${status}`, status)}</p>
<p class="hint">${[when(created_at), error].filter(Boolean).join(' · ')}</p></div></li>`,
  )
  return html`<h3>${say('other_mails')}</h3><ul class="rows">${rows}</ul>`
}

function shopper({ say, base }: Visit, { customer, step, discount_code, customer_notes, status }: CheckoutDraft): Html {
  const { name = null, email = null, phone = null } = customer ?? {}
  const find =
    email && html`<a href="${base}/customers?search=${encodeURIComponent(email)}">${say('find_customer')}</a>`
  return panel(
    say('customer'),
    facts([
      [say('name'), name],
      [say('email'), email && html`<a href="mailto:${email}">${email}</a>`],
      [say('phone'), phone],
      [say('customer_notes'), customer_notes],
      [say('discount_code'), discount_code],
      [say('step'), status === 'recovered' ? null : say(`reached_${step}`)],
      [say('customers'), find],
    ]),
  )
}

function destination({ say }: Visit, { shipping_address: to, shipping_method, payment_method }: CheckoutDraft): Html {
  const { address, address_2, country_code = null } = to ?? {}
  const lines = [address, address_2, townLine(to, country_code), country_code].filter(Boolean)
  return panel(
    say('delivery'),
    facts([
      [say('shipping_address'), lines.length > 0 ? html`${lines.map((line) => html`${line}<br>`)}` : '–'],
      [say('shipping_method'), shipping_method && wordIn(say, `method_${shipping_method}`, shipping_method)],
      [say('payment_method'), payment_method && wordIn(say, `method_${payment_method}`, payment_method)],
    ]),
  )
}
