// An order made by hand: what is sold, to whom and where it goes. Its sums are those of a rehearsal, before it is made.
import { html } from 'hono/html'
import type { Order } from '../../../commerce/orders/order.ts'
import { findOffer } from '../../../storefront/checkout/offers/offer.ts'
import { field } from '../../../platform/pages/form.ts'
import { endpoint } from '../../framework/api.ts'
import { form } from '../../framework/form.ts'
import type { ScreenAction, Choices, Html, FormInput, Screen, PageContext } from '../../framework/screen.ts'
import { panel } from '../../framework/parts.ts'
import { messageOr } from '../../framework/messages.ts'
import { addressInputs } from './actions.ts'
import { itemsIn, lineFieldOf, lineFields } from './lines.ts'
import { taxSums } from './taxsums.ts'

// prettier-ignore
const inputs: FormInput[] = [
  { name: 'customer_id', label: 'customer_chosen', picks: 'customers', group: 'customer_name' },
  { name: 'customer_name', label: 'name', hint: 'new_customer_hint', isHalf: true },
  { name: 'customer_email', label: 'email', isHalf: true },
  { name: 'customer_phone', label: 'phone', isHalf: true },
  { name: 'tax_id', isHalf: true },
  ...addressInputs.map((input, at): FormInput => (at === 0 ? { ...input, group: 'delivery' } : input)),
  { name: 'shipping_method', options: ratesOf, isHalf: true },
  { name: 'shipping_cost', as: 'money', hint: 'shipping_cost_hint', isHalf: true },
  { name: 'discount_code', group: 'order_money', isHalf: true },
  { name: 'discount_amount', as: 'money', hint: 'discount_amount_hint', isHalf: true },
  { name: 'tax_amount', label: 'tax', as: 'money', hint: 'tax_amount_hint', isHalf: true },
  { name: 'payment_method', options: methodsOf, isHalf: true },
  { name: 'payment_status', label: 'payment_state', isHalf: true,
    options: ({ t }) => (['pending', 'paid'] as const).map((status) => [status, t(`payment_status_${status}`)]) },
  { name: 'customer_notes', as: 'area', group: 'notes' },
  { name: 'internal_notes', as: 'area' },
  { name: 'notify_customer' },
]

const make: ScreenAction = {
  route: endpoint('POST /orders'),
  inputs,
  body: orderIn,
  fieldOf: lineFieldOf,
  hasDryRun: true,
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
  async show(context) {
    const drawn = await form(context, {
      act: 'make',
      action: make,
      button: 'order_make',
      values: { payment_status: 'pending' },
      lead: await lineFields(context),
      more: sums(context),
      enterButton: ['pick', 'items'],
    })
    return { content: html`<div class="panel">${drawn}</div>` }
  },
}

function orderIn({ form: sent }: PageContext): object {
  const hasAddress = addressInputs.some(({ name }) => field(sent, name) !== '')
  return { items: itemsIn(sent), ...(hasAddress ? {} : { shipping_address: null }) }
}

async function ratesOf({ db, store, t, price }: PageContext): Promise<Choices> {
  const { shipping_rates } = await findOffer(db, store)
  return shipping_rates.map(({ code, name, price: amount }) => [
    code,
    `${name ?? messageOr(t, `method_${code}`, code)} · ${price(amount)}`,
  ])
}

async function methodsOf({ db, store, t }: PageContext): Promise<Choices> {
  const { payment_methods } = await findOffer(db, store)
  return payment_methods.map(({ code, name }) => [code, name ?? messageOr(t, `method_${code}`, code)])
}

/** What it would come to. */
function sums(context: PageContext): Html {
  const { t, price, dryRunResult } = context
  const tried = dryRunResult as Order | undefined
  const line = (text: string, amount: number, name = '') =>
    html`<div class="${name}"><dt>${text}</dt><dd>${price(amount)}</dd></div>`
  const drawn = tried
    ? html`<dl class="sums" id="sums">${line(t('subtotal'), tried.subtotal)}
${tried.discount_amount > 0 ? line(t('discount'), -tried.discount_amount) : ''}
${line(t('shipping'), tried.shipping_cost)}
${taxSums(context, tried).added.map(([name, amount]) => line(name, amount))}${line(t('total'), tried.total, 'total')}
${taxSums(context, tried).included.map(([name, amount]) => line(name, amount))}</dl>`
    : html`<p class="hint">${t('sums_later')}</p>`
  const button = html`<button class="quiet" name="rehearse" value="1">${t('sums_now')}</button>`
  return panel(t('sums'), drawn, button)
}
