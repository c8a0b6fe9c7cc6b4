// One discount: its usability, a trial with an amount, its orders and its terms.
import { html } from 'hono/html'
import { historyLink } from '../audit/history.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { discount, type Discount, discountKinds } from '../../../commerce/discounts/discount.ts'
import { order } from '../../../commerce/orders/order.ts'
import { endpoint } from '../../framework/api.ts'
import { readNumber } from '../../assets/numbers.ts'
import { mark, panel, tones } from '../../framework/parts.ts'
import { record } from '../../framework/record.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { formatDiscountEffect, usabilityMark, formatDiscountUses, discounts } from './discounts.ts'
import { discountInputs, limits, planHint, save } from './forms.ts'
import { findDiscountByCode, listDiscountGroupNames } from '../../../commerce/discounts/uses.ts'
import { placeBelow } from '../../framework/placement.ts'
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import { buildDiscountChecks, type DiscountCheck } from '../../../commerce/discounts/checks.ts'
import { computeDiscount, type FoundDiscount } from '../../../commerce/discounts/pricing.ts'
import { attributes } from '../../../platform/pages/parts.ts'

const change = endpoint('PATCH /discounts/{id}')

const label = ({ code }: Discount) => code

// prettier-ignore
export const discountScreen = record({
  path: '/discounts/{id}', ...placeBelow(discounts), resource: discount, limits,
  actions: {
    save,
    on: { route: change, body: { is_active: true }, done: 'discount_is_on' },
    off: { route: change, body: { is_active: false }, done: 'discount_is_off' },
    delete: {
      route: endpoint('DELETE /discounts/{id}'), done: 'discount_deleted', to: () => '/discounts',
      confirm: { title: 'discount_delete_ask', text: 'discount_delete_text', button: 'delete' },
    },
  },
  more: withGroups,
  metadata: 'PATCH /discounts/{id}',
  name: label,
  buttons: [
    historyLink,
    { to: (_, { params }) => `/discounts/new?copy=${params.id!}`, text: 'duplicate', scope: 'write:discounts' },
  ],
  main: [
    { title: 'status', lead: usability, facts: [
      ['discount_value', formatDiscountEffect],
      ['uses', formatDiscountUses],
      ['min_order_amount', ({ min_order_amount: amount }, { price }) => amount > 0 ? price(amount) : null],
      ['min_quantity', ({ min_quantity: count }) => count > 0 ? String(count) : null],
      ['customer_groups', ({ groups }, { t }) => groups && (groups.join(', ') || mark(t('group_gone'), 'warn'))],
      'once_per_customer',
      ['discount_applies', formatScope],
    ], buttons: [
      { act: 'off', label, text: 'discount_deactivate', when: ({ is_active }) => is_active },
      { act: 'on', label, text: 'discount_activate', when: ({ is_active }) => !is_active },
      { act: 'delete', label, text: 'delete', kind: 'quiet danger' },
    ] },
    { title: 'discount_terms', scope: 'write:discounts',
      form: { act: 'save', edits: true, inputs: discountInputs, more: planHint } },
  ],
  side: [{ title: 'discount_try', content: trial }, ordersPanel],
})

/** Says whether the discount is usable, or why not. */
function usability(context: PageContext, entity: Discount): Html {
  const { t, formatTime } = context
  const { unusable_reason: reason, starts_at, expires_at, max_uses, applies_to_all } = entity
  const { applicable_product_ids: products, applicable_category_ids: categories } = entity
  const times = { when: formatTime((reason === 'not_started' ? starts_at : expires_at) ?? new Date()), count: max_uses }
  const isForNothing = !applies_to_all && products.length === 0 && categories.length === 0
  return html`<p>${usabilityMark(entity, context)} ${reason ? t(`unusable_${reason}`, times) : t('usable_now')}
${!reason && expires_at ? t('usable_until', times) : ''}
${entity.is_automatic ? mark(t('discount_automatic'), 'plain') : ''}</p>
${isForNothing ? html`<p>${mark(t('discount_for_nothing'), 'warn')}</p>` : ''}`
}

function formatScope(entity: Discount, { t }: PageContext): string {
  const { applies_to_all, applicable_product_ids: products, applicable_category_ids: categories } = entity
  if (applies_to_all) return t('discount_for_all')
  const some = [
    products.length > 0 && t('products_count', { count: products.length }),
    categories.length > 0 && t('categories_count', { count: categories.length }),
  ]
  return some.filter(Boolean).join(', ')
}

/** Adds the names of the groups that the discount is limited to. */
async function withGroups({ db, store, ids }: PageContext, one: Discount) {
  const isLimited = one.customer_group_ids.length > 0
  return { ...one, groups: isLimited ? await listDiscountGroupNames(db, store.id, ids.id!) : null }
}

const shownOrders = 10

async function ordersPanel(context: PageContext, { code }: Discount): Promise<Html | ''> {
  const { db, store, role, t, base, formatDate, price } = context
  if (!mayUse(role, 'read:orders')) return ''
  const query = { page: 1, per_page: shownOrders, sort: 'created_at', order: 'desc', discount_code: code } as const
  const { data, pagination } = await entityPage(db, order, store, query)
  if (data.length === 0) return panel(t('discount_orders'), html`<p>${t('discount_orders_none')}</p>`)
  const rows = data.map(
    ({ id, order_number, created_at, status, discount_amount, customer_name }) => html`<tr>
<td><a class="main whole" href="${base}/orders/${id}">#${order_number}</a> ${
      status === 'cancelled' || status === 'returned' ? mark(t(`status_${status}`), tones[status]) : ''
    }<small class="hint">${[formatDate(created_at), customer_name].filter(Boolean).join(' · ')}</small></td>
<td class="number">−${price(discount_amount)}</td></tr>`,
  )
  const all = html`<a href="${base}/orders?discount_code=${encodeURIComponent(code)}">${t('discount_orders_all', {
    count: pagination.total,
  })}</a>`
  const table = html`<table class="plain" aria-label="${t('discount_orders')}"><tbody>${rows}</tbody></table>`
  return panel(t('discount_orders'), html`${table}<p>${all}</p>`)
}

// Tries a discount on a cart with an amount, a quantity and a customer, and shows which of its rules are met.

type Trial = { total: string; quantity: number; email: string | null }

/** Applies the discount to such a cart, as the checkout does if no other discount applies. */
async function trial(context: PageContext, discount: Discount): Promise<Html> {
  const { t, here, store, query } = context
  const cart = readTrial(context)
  const inputs = [
    { name: 'total', text: html`${t('discount_try_total')} <small>${store.currency}</small>`, inputmode: 'decimal' },
    { name: 'quantity', text: t('try_quantity'), inputmode: 'numeric' },
    ...(discount.once_per_customer || discount.customer_group_ids.length > 0
      ? [{ name: 'email', text: t('try_email'), inputmode: 'email' }]
      : []),
  ].map(({ name, text, inputmode }) => {
    const about = { id: `try-${name}`, name, value: query[name] ?? '', inputmode, maxlength: 200, autocomplete: 'off' }
    const kind = name === 'email' ? '' : 'number'
    return html`<p class="field"><label for="try-${name}">${text}</label>
<input${attributes({ ...about, class: kind })}></p>`
  })
  return html`<form action="${new URL(here, 'http://here').pathname}" class="try">${inputs}
<p class="send"><button class="quiet">${t('discount_try_button')}</button></p></form>
<div role="status">${cart ? await renderTrialResult(context, discount, cart) : ''}</div>`
}

function readTrial({ query, language }: PageContext): Trial | null {
  const read = (text = '') => String(readNumber(text, language)).trim()
  const total = read(query.total)
  const quantity = read(query.quantity) || '1'
  const isAmount = /^\d{1,12}(\.\d{1,4})?$/.test(total) && /^[1-9]\d{0,5}$/.test(quantity)
  return isAmount ? { total, quantity: Number(quantity), email: query.email?.trim() || null } : null
}

async function renderTrialResult(
  context: PageContext,
  { code }: Discount,
  { total, quantity, email }: Trial,
): Promise<Html> {
  const { db, store, t, price } = context
  const found = await findDiscountByCode(db, store, code, { email })
  const row = found && forAnyItems(found)
  const cart = [{ product_id: null, category_id: null, quantity, total: new Decimal(total) }]
  const pricing = { currency: store.currency, now: db.clock.now() }
  const { amount, free_shipping, reason } = computeDiscount(row, cart, pricing)
  const effect = free_shipping ? t('try_free_shipping') : t('try_gives', { amount: price(toNumber(amount)) })
  const groups = row && row.customer_group_ids.length > 0 ? await listDiscountGroupNames(db, store.id, row.id) : []
  const checks = row ? buildDiscountChecks(row, cart, { ...pricing, groups }) : []
  return html`<p>${reason ? mark(t(`try_${reason}`), 'warn') : mark(effect, 'good')}</p>
<ul class="checks" aria-label="${t('discount_checks')}">${checks.map((check) => checkLine(context, check))}</ul>`
}

/** The trial's amount counts only items that the discount applies to. */
function forAnyItems(row: FoundDiscount): FoundDiscount {
  return { ...row, applies_to_all: true, buy_product_ids: [], buy_category_ids: [] }
}

function checkLine({ t, price, formatTime }: PageContext, { rule, is_met, values }: DiscountCheck): Html {
  const kinds = discountKinds.filter((kind) => String(values.kinds ?? '').includes(kind))
  const rows = Object.entries(values).map(([name, value]) => [
    name,
    value instanceof Date ? formatTime(value) : name === 'amount' ? price(Number(value)) : String(value),
  ])
  const text = t(`check_${rule}`, {
    ...Object.fromEntries(rows),
    ...(kinds.length > 0 ? { kinds: kinds.map((kind) => t(`combines_${kind}`)).join(', ') } : {}),
  })
  return html`<li>${mark(t(is_met ? 'check_met' : 'check_not_met'), is_met ? 'good' : 'warn')} ${text}</li>`
}
