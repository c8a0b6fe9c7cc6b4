// One discount: whether it can be used now and why not, what it would take off, the orders that used it, and its terms.
import { html } from 'hono/html'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { etagOf } from '../../../kit/declare/conditions.ts'
import { entityPage, findRecord } from '../../../kit/declare/page.ts'
import { Decimal, toNumber } from '../../../kit/values/money.ts'
import { discount, type Discount } from '../../../commerce/discounts/discount.ts'
import { findDiscountByCode } from '../../../commerce/discounts/operations.ts'
import { discountOf } from '../../../commerce/discounts/pricing.ts'
import { order } from '../../../commerce/orders/order.ts'
import { attributes } from '../../../platform/pages/parts.ts'
import { endpoint } from '../../framework/api.ts'
import { button } from '../../framework/form.ts'
import { facts, mark, panel, tones } from '../../framework/parts.ts'
import type { Html, Screen, Visit } from '../../framework/page.ts'
import { gives, usabilityMark, usesOf } from './discounts.ts'
import { discountForm, limits, save } from './forms.ts'

const change = endpoint('PATCH /discounts/{id}')

export const discountScreen: Screen = {
  path: '/discounts/{id}',
  scope: 'read:discounts',
  title: 'discounts',
  section: 'discounts',
  within: { path: '/discounts', title: 'discounts' },
  params: { id: discount },
  limits,
  actions: {
    save,
    on: { route: change, body: { is_active: true }, done: 'discount_is_on' },
    off: { route: change, body: { is_active: false }, done: 'discount_is_off' },
    delete: {
      route: endpoint('DELETE /discounts/{id}'),
      ask: { title: 'discount_delete_ask', text: 'discount_delete_text', button: 'discount_delete' },
      done: 'discount_deleted',
      to: () => '/discounts',
    },
  },
  async show(visit) {
    const { db, store, ids, say, base, params, role } = visit
    const { entity, json } = await findRecord(db, discount, store.id, ids.id!)
    const mayWrite = mayUse(role, 'write:discounts')
    const [editing, orders, trial] = await Promise.all([
      mayWrite ? discountForm(visit, { type: entity.type, record: entity, version: etagOf(json) }) : null,
      mayUse(role, 'read:orders') ? used(visit, entity) : '',
      tried(visit, entity),
    ])
    return {
      title: entity.code,
      buttons: mayWrite
        ? html`<a class="button quiet" href="${base}/discounts/new?copy=${params.id!}">${say('duplicate')}</a>`
        : '',
      content: html`<div class="columns"><div>${usability(visit, entity, mayWrite)}
${editing ? panel(say('discount_terms'), editing) : ''}</div><div>${trial}${orders}</div></div>`,
    }
  },
}

/** Why it cannot be used, or under what condition it can. */
function usability(visit: Visit, entity: Discount, mayWrite: boolean): Html {
  const { say, when, price } = visit
  const { unusable_reason: reason, starts_at, expires_at, max_uses, min_order_amount, is_active, code } = entity
  const { applies_to_all, applicable_product_ids: products, applicable_category_ids: categories } = entity
  const times = { when: when((reason === 'not_started' ? starts_at : expires_at) ?? new Date()), count: max_uses }
  const isForNothing = !applies_to_all && products.length === 0 && categories.length === 0
  const some = say('discount_some', { products: products.length, categories: categories.length })
  const fixed = { label: code }
  const buttons = html`<div class="pair next">${
    is_active
      ? button(visit, { act: 'off', fixed, text: 'switch_off' })
      : button(visit, { act: 'on', fixed, text: 'switch_on' })
  }${button(visit, { act: 'delete', fixed, text: 'discount_delete', kind: 'quiet danger' })}</div>`
  return panel(
    say('discount_now'),
    html`<p>${usabilityMark(entity, visit)} ${reason ? say(`unusable_${reason}`, times) : say('usable_now')}
${!reason && expires_at ? say('usable_until', times) : ''}</p>
${isForNothing ? html`<p>${mark(say('discount_for_nothing'), 'warn')}</p>` : ''}
${facts([
  [say('gives'), gives(entity, visit)],
  [say('uses'), usesOf(entity)],
  [say('min_order_amount'), min_order_amount > 0 ? price(min_order_amount) : null],
  [say('discount_applies'), applies_to_all ? say('discount_for_all') : some],
])}${mayWrite ? buttons : ''}`,
  )
}

/** What it would do to a cart of what it covers, as the checkout asks it. */
async function tried({ db, store, say, price, here, query }: Visit, { code }: Discount): Promise<Html> {
  const typed = (query.total ?? '').replace(',', '.')
  const isAmount = /^\d{1,12}(\.\d{1,4})?$/.test(typed)
  const row = isAmount ? await findDiscountByCode(db, store.id, code) : undefined
  const cart = { product_id: null, category_id: null, total: new Decimal(isAmount ? typed : 0) }
  const context = { currency: store.currency, now: db.clock.now() }
  const { amount, free_shipping, reason } = discountOf(row && { ...row, applies_to_all: true }, [cart], context)
  const given = free_shipping ? say('try_free_shipping') : say('try_gives', { amount: price(toNumber(amount)) })
  const verdict = reason ? mark(say(`try_${reason}`), 'warn') : mark(given, 'good')
  const input = {
    id: 'try',
    name: 'total',
    value: query.total ?? '',
    inputmode: 'decimal',
    class: 'number',
    maxlength: 20,
  }
  return panel(
    say('discount_try'),
    html`<form action="${new URL(here, 'http://here').pathname}" class="try"><p class="field">
<label for="try">${say('discount_try_total')} <small>${store.currency}</small></label>
<input${attributes({ ...input, autocomplete: 'off' })}></p>
<p class="send"><button class="quiet">${say('discount_try_button')}</button></p></form>
<div role="status">${isAmount ? verdict : ''}</div>`,
  )
}

const shownOrders = 10

async function used({ db, store, say, base, day, price }: Visit, { code }: Discount): Promise<Html> {
  const query = { page: 1, per_page: shownOrders, sort: 'created_at', order: 'desc', discount_code: code } as const
  const { data, pagination } = await entityPage(db, order, store, query)
  if (data.length === 0) return panel(say('discount_orders'), html`<p>${say('discount_orders_none')}</p>`)
  const rows = data.map(
    ({ id, order_number, created_at, status, discount_amount, customer_name }) => html`<tr>
<td><a class="main whole" href="${base}/orders/${id}">#${order_number}</a> ${
      status === 'cancelled' || status === 'returned' ? mark(say(`status_${status}`), tones[status]) : ''
    }<small class="hint">${[day(created_at), customer_name].filter(Boolean).join(' · ')}</small></td>
<td class="number">−${price(discount_amount)}</td></tr>`,
  )
  const all = html`<a href="${base}/orders?discount_code=${encodeURIComponent(code)}">${say('discount_orders_all', {
    count: pagination.total,
  })}</a>`
  const table = html`<table class="plain" aria-label="${say('discount_orders')}"><tbody>${rows}</tbody></table>`
  return panel(say('discount_orders'), html`${table}<p>${all}</p>`)
}
