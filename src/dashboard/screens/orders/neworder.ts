// An order made by hand: what is sold, to whom and where it goes. Its sums are those of a rehearsal, before it is made.
import { html } from 'hono/html'
import type { Order } from '../../../commerce/orders/order.ts'
import { findOffer } from '../../../storefront/checkout/offers/offer.ts'
import { field } from '../../../platform/pages/form.ts'
import { endpoint } from '../../framework/api.ts'
import { form } from '../../framework/form.ts'
import type { Action, Choices, Html, Input, Screen, Visit } from '../../framework/page.ts'
import { panel } from '../../framework/parts.ts'
import { wordIn } from '../../framework/words.ts'
import { addressInputs } from './actions.ts'
import { itemsIn, lineFieldOf, lineFields } from './lines.ts'
import { taxSums } from './taxsums.ts'

// prettier-ignore
const inputs: Input[] = [
  { name: 'customer_id', label: 'customer_chosen', picks: 'customers', group: 'customer_name' },
  { name: 'customer_name', label: 'name', hint: 'new_customer_hint', isHalf: true },
  { name: 'customer_email', label: 'email', isHalf: true },
  { name: 'customer_phone', label: 'phone', isHalf: true },
  { name: 'tax_id', isHalf: true },
  ...addressInputs.map((input, at): Input => (at === 0 ? { ...input, group: 'delivery' } : input)),
  { name: 'shipping_method', options: ratesOf, isHalf: true },
  { name: 'shipping_cost', as: 'money', hint: 'shipping_cost_hint', isHalf: true },
  { name: 'discount_code', group: 'order_money', isHalf: true },
  { name: 'discount_amount', as: 'money', hint: 'discount_amount_hint', isHalf: true },
  { name: 'tax_amount', label: 'tax', as: 'money', hint: 'tax_amount_hint', isHalf: true },
  { name: 'payment_method', options: methodsOf, isHalf: true },
  { name: 'payment_status', label: 'payment_state', isHalf: true,
    options: ({ say }) => (['pending', 'paid'] as const).map((status) => [status, say(`payment_status_${status}`)]) },
  { name: 'customer_notes', as: 'area', group: 'notes' },
  { name: 'internal_notes', as: 'area' },
  { name: 'notify_customer' },
]

const make: Action = {
  route: endpoint('POST /orders'),
  inputs,
  body: orderIn,
  fieldOf: lineFieldOf,
  rehearses: true,
  done: 'order_made',
  to: ({ id }: Order) => `/orders/${id}`,
}

export const newOrderScreen: Screen = {
  path: '/orders/new',
  scope: 'write:orders',
  title: 'order_new',
  section: 'orders',
  within: { path: '/orders', title: 'orders' },
  actions: { make },
  async show(visit) {
    const drawn = await form(visit, {
      act: 'make',
      action: make,
      button: 'order_make',
      values: { payment_status: 'pending' },
      lead: await lineFields(visit),
      more: sums(visit),
      entering: ['pick', 'items'],
    })
    return { content: html`<div class="panel">${drawn}</div>` }
  },
}

function orderIn({ form: sent }: Visit): object {
  const hasAddress = addressInputs.some(({ name }) => field(sent, name) !== '')
  return { items: itemsIn(sent), ...(hasAddress ? {} : { shipping_address: null }) }
}

async function ratesOf({ db, store, say, price }: Visit): Promise<Choices> {
  const { shipping_rates } = await findOffer(db, store)
  return shipping_rates.map(({ code, name, price: amount }) => [
    code,
    `${name ?? wordIn(say, `method_${code}`, code)} · ${price(amount)}`,
  ])
}

async function methodsOf({ db, store, say }: Visit): Promise<Choices> {
  const { payment_methods } = await findOffer(db, store)
  return payment_methods.map(({ code, name }) => [code, name ?? wordIn(say, `method_${code}`, code)])
}

/** What it would come to. */
function sums(visit: Visit): Html {
  const { say, price, rehearsed } = visit
  const tried = rehearsed as Order | undefined
  const line = (text: string, amount: number, name = '') =>
    html`<div class="${name}"><dt>${text}</dt><dd>${price(amount)}</dd></div>`
  const drawn = tried
    ? html`<dl class="sums" id="sums">${line(say('subtotal'), tried.subtotal)}
${tried.discount_amount > 0 ? line(say('discount'), -tried.discount_amount) : ''}
${line(say('shipping'), tried.shipping_cost)}
${taxSums(visit, tried).added.map(([name, amount]) => line(name, amount))}${line(say('total'), tried.total, 'total')}
${taxSums(visit, tried).included.map(([name, amount]) => line(name, amount))}</dl>`
    : html`<p class="hint">${say('sums_later')}</p>`
  const button = html`<button class="quiet" name="rehearse" value="1">${say('sums_now')}</button>`
  return panel(say('sums'), drawn, button)
}
