// The screen of a manual order. A dry run computes its sums before it is created.
import { html } from 'hono/html'
import { discountRows } from '../../../commerce/orders/discountrows.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import { findOffer } from '../../../storefront/checkout/offers/offer.ts'
import { endpoint } from '../../framework/api.ts'
import { record } from '../../framework/record.ts'
import type { ScreenAction, Choices, Html, FormInput, PageContext } from '../../framework/screen.ts'
import { panel } from '../../framework/parts.ts'
import { messageOr } from '../../framework/messages.ts'
import { addressInputs, billingInputs, isEmptyIn, noteInputs } from './actions.ts'
import { orderItems, toItemField, itemFields } from './itemfields.ts'
import { buildTaxSums } from './taxes.ts'
import { orders } from './orders.ts'
import { placeBelow } from '../../framework/placement.ts'

export const customerInput: FormInput = { name: 'customer_id', label: 'customer_chosen', picks: 'customers' }

// prettier-ignore
export const contactInputs: readonly FormInput[] = [
  { name: 'customer_name', label: 'name', hint: 'new_customer_hint', isHalf: true },
  { name: 'customer_email', label: 'email', isHalf: true },
  { name: 'customer_phone', label: 'phone', isHalf: true },
  { name: 'tax_id', isHalf: true },
]

export const deliveryInputs: readonly FormInput[] = [
  ...addressInputs,
  { name: 'shipping_method', options: listRateChoices, isHalf: true },
]

const billedInputs: FormInput[] = billingInputs.map((input, at): FormInput =>
  at === 0 ? { ...input, group: 'billing_address', hint: 'billing_hint' } : input,
)

// prettier-ignore
const inputs: FormInput[] = [
  { ...customerInput, group: 'customer_name' },
  ...contactInputs,
  ...deliveryInputs.map((input, at): FormInput => (at === 0 ? { ...input, group: 'delivery' } : input)),
  { name: 'shipping_cost', as: 'money', hint: 'shipping_cost_hint', isHalf: true },
  ...billedInputs,
  { name: 'discount_codes', as: 'lines', rows: 2, hint: 'discount_codes_hint', group: 'order_money', isHalf: true },
  { name: 'discount_amount', as: 'money', hint: 'discount_amount_hint', isHalf: true },
  { name: 'tax_amount', label: 'tax', as: 'money', hint: 'tax_amount_hint', isHalf: true },
  { name: 'payment_method', options: listMethodChoices, isHalf: true },
  { name: 'payment_status', label: 'payment_state', isHalf: true,
    options: ({ t }) => (['pending', 'paid'] as const).map((status) => [status, t(`payment_status_${status}`)]) },
  { name: 'customer_notes', as: 'area', group: 'notes' },
  ...noteInputs,
  { name: 'notify_customer' },
]

const create: ScreenAction = {
  route: endpoint('POST /orders'),
  inputs,
  body: orderBody,
  fieldOf: toItemField,
  hasDryRun: true,
  done: 'order_made',
  to: ({ id }: Order) => `/orders/${id}`,
}

// prettier-ignore
export const newOrderScreen = record({
  path: '/orders/new', ...placeBelow(orders), scope: 'write:orders', title: 'order_new', actions: { make: create },
  buttons: [{ to: () => '/orders/drafts/new', text: 'draft_new' }],
  main: [{ form: {
    act: 'make', button: 'order_make', values: () => ({ payment_status: 'pending' }), enterButton: ['pick', 'items'],
    lead: (context) => itemFields(context), more: sums,
  } }],
})

function orderBody({ form: input, language }: PageContext): object {
  return {
    items: orderItems({ form: input, language }),
    ...(isEmptyIn(input, addressInputs) ? { shipping_address: null } : {}),
    ...(isEmptyIn(input, billingInputs) ? { billing_address: null } : {}),
  }
}

async function listRateChoices({ db, store, t, price }: PageContext): Promise<Choices> {
  const { shipping_rates } = await findOffer(db, store)
  return shipping_rates.map(({ code, name, price: amount }) => [
    code,
    `${name ?? messageOr(t, `method_${code}`, code)} · ${price(amount)}`,
  ])
}

export async function listMethodChoices({ db, store, t }: PageContext): Promise<Choices> {
  const { payment_methods } = await findOffer(db, store)
  return payment_methods.map(({ code, name }) => [code, name ?? messageOr(t, `method_${code}`, code)])
}

/** Shows the sums of the dry run. */
function sums(context: PageContext): Html {
  const { t, price, dryRunResult } = context
  const preview = dryRunResult as Order | undefined
  const taxes = preview ? buildTaxSums(context, preview) : { added: [], included: [] }
  const line = (text: string, amount: number, name = '') =>
    html`<div class="${name}"><dt>${text}</dt><dd>${price(amount)}</dd></div>`
  const list = preview
    ? html`<dl class="sums" id="sums">${line(t('subtotal'), preview.subtotal)}
${discountRows(preview).map(({ name, amount }) =>
  amount > 0 ? line(name ? `${t('discount')} (${name})` : t('discount'), -amount) : '',
)}
${line(t('shipping'), preview.shipping_cost)}
${taxes.added.map(([name, amount]) => line(name, amount))}${line(t('total'), preview.total, 'total')}
${taxes.included.map(([name, amount]) => line(name, amount))}</dl>`
    : html`<p class="hint">${t('sums_later')}</p>`
  const button = html`<button class="quiet" name="rehearse" value="1">${t('sums_now')}</button>`
  return panel(t('sums'), list, button)
}
