// The actions on an order; each calls an endpoint of the API.
import { suggestOrderTags } from '../tagsuggestions.ts'
import { html } from 'hono/html'
import { field, type Form } from '../../../platform/pages/form.ts'
import { parseCountryCode } from '../../../kit/values/countries.ts'
import { endpoint } from '../../framework/api.ts'
import { readPieceKey } from '../../../commerce/orders/parts.ts'
import { readNumber } from '../../assets/numbers.ts'
import { panel } from '../../framework/parts.ts'
import type { Confirmation, Html, PageContext, ScreenAction, FormInput } from '../../framework/screen.ts'
import { countries, provinces } from '../../framework/choices.ts'
import type { TypedForm } from './itemfields.ts'

const updateOrder = endpoint('PATCH /orders/{id}')
const updateFulfillment = endpoint('PATCH /orders/{id}/fulfillments/{fulfillment_id}')

const refundOrder = endpoint('POST /orders/{id}/refunds')
const paymentLink = endpoint('POST /orders/{id}/payment-link')

const addressFields = [
  'name',
  'company',
  'address',
  'address_2',
  'postal_code',
  'city',
  'province',
  'country',
  'phone',
  'notes',
] as const

type OrderAddress = 'shipping_address' | 'billing_address'

const suggestProvinces =
  (address: OrderAddress): FormInput['suggests'] =>
  (context) => {
    const country = parseCountryCode(field(context.form, `${address}.country`)) ?? context.store.country_code
    return provinces(context, country).map(([, name]) => [name, ''])
  }

const suggestCountries: FormInput['suggests'] = (context) => countries(context).map(([, name]) => [name, ''])

function buildAddressInput(address: OrderAddress, part: (typeof addressFields)[number]): FormInput {
  const input = { name: `${address}.${part}`, label: `shipping_address_${part}`, isHalf: true } as const
  if (part === 'country') return { ...input, suggests: suggestCountries }
  return part === 'province' ? { ...input, suggests: suggestProvinces(address) } : input
}

export const addressInputs: readonly FormInput[] = addressFields.map((part) =>
  buildAddressInput('shipping_address', part),
)

export const billingInputs: readonly FormInput[] = [
  ...addressFields.slice(0, -2).map((part) => buildAddressInput('billing_address', part)),
  { name: 'billing_address.tax_id', label: 'tax_id', isHalf: true },
]

/** Without any input there is no such address. */
export function isEmptyIn(form: Form, inputs: readonly FormInput[]): boolean {
  return inputs.every(({ name }) => field(form, name) === '')
}

/** In the form of a new order and on the screen of the order: a line here is an input of both. */
export const noteInputs: readonly FormInput[] = [{ name: 'internal_notes', as: 'area' }]

// prettier-ignore
const trackingInputs: FormInput[] = [
  { name: 'carrier', isHalf: true },
  { name: 'tracking_number', isHalf: true },
  { name: 'tracking_url', hint: 'tracking_url_hint' },
]

// prettier-ignore
export const orderActions: Record<string, ScreenAction> = {
  pay: {
    route: updateOrder, body: { payment_status: 'paid' }, done: 'order_paid',
    confirm: { title: 'pay_ask', text: 'pay_text', button: 'pay', isHarmless: true },
  },
  status: { route: updateOrder, body: ({ form }) => ({ status: field(form, 'status') }), done: 'saved' },
  cancel: {
    route: updateOrder, body: { status: 'cancelled' }, done: 'order_cancelled',
    inputs: [{ name: 'cancel_reason', label: 'reason' }, { name: 'restock' }, { name: 'refund' }],
    confirm: ({ form }) => cancelQuestion(form),
  },
  capture: {
    route: endpoint('POST /orders/{id}/capture'), done: 'captured', inputs: [{ name: 'amount', as: 'money' }],
  },
  fulfil: {
    route: endpoint('POST /orders/{id}/fulfillments'), inputs: trackingInputs, done: 'order_sent',
    body: (context) => ({ items: quantityRows(context) }), fieldOf: toQuantityField,
  },
  delivered: { route: updateFulfillment, body: { status: 'delivered' }, done: 'saved' },
  unsend: {
    route: updateFulfillment, body: { status: 'cancelled' }, done: 'saved',
    confirm: { title: 'unsend_ask', text: 'unsend_text', button: 'unsend' },
  },
  refund_overpaid: {
    route: refundOrder, done: 'order_refunded', body: ({ form }) => ({ amount: Number(form.amount), restock: false }),
    confirm: ({ form }) =>
      form.outside === undefined
        ? { title: 'balance_refund_button', text: 'balance_refund_text', button: 'refund_of', isHarmless: true }
        : { title: 'balance_refund_button', text: 'refund_outside', button: 'record_refund_of', isHarmless: true },
  },
  send_link: { route: paymentLink, body: { send: true }, done: 'link_sent_to_customer' },
  show_link: { route: paymentLink, body: { send: false }, done: 'link_to_pay', renderResult: linkPanel },
  refund: {
    route: refundOrder, done: 'order_refunded',
    inputs: [{ name: 'shipping', as: 'money', isHalf: true },
             { name: 'amount', as: 'money', isHalf: true, hint: 'amount_hint' },
             { name: 'reason', label: 'reason', hint: 'refund_reason_hint' }, { name: 'restock' },
             { name: 'by_hand', hint: 'by_hand_hint' }],
    body: refundBody, fieldOf: toQuantityField, hasDryRun: true,
  },
  notes: { route: updateOrder, inputs: noteInputs, done: 'saved' },
  tags: {
    route: updateOrder, done: 'saved',
    inputs: [{ name: 'tags', as: 'lines', hint: 'tags_hint', suggests: suggestOrderTags }],
  },
  archive: { route: updateOrder, body: { is_archived: true }, done: 'order_archived' },
  unarchive: { route: updateOrder, body: { is_archived: false }, done: 'order_unarchived' },
  address: { route: updateOrder, done: 'saved', inputs: addressInputs },
  billing: {
    route: updateOrder, done: 'saved', inputs: billingInputs,
    body: ({ form }) => isEmptyIn(form, billingInputs) ? { billing_address: null } : {},
  },
  seen: {
    route: endpoint('PATCH /payments/{id}'), idFrom: { id: 'payment' }, body: { needs_review: false }, done: 'saved',
  },
  resend: { route: endpoint('POST /mails/{id}/resend'), idFrom: { id: 'mail' }, done: 'mail_resent' },
}

function linkPanel({ t }: PageContext, { url }: { url: string }): Html {
  return panel(
    t('link_to_pay'),
    html`<p class="field"><label for="link-to-pay">${t('link_to_pay')}</label>
<input id="link-to-pay" readonly value="${url}"></p>`,
  )
}

/** Asks before a cancellation that includes a refund, with its sum. */
function cancelQuestion(form: Form): Confirmation | null {
  if (field(form, 'refund') === '') return null
  return field(form, 'outside') === ''
    ? { title: 'cancel_ask', text: 'cancel_refund_text', button: 'cancel_and_refund' }
    : { title: 'cancel_ask', text: 'cancel_record_text', button: 'cancel_and_record' }
}

/** Items with a quantity, each with its index in the form. */
function itemQuantities(form: Form): { at: number; key: string; text: string }[] {
  const keys = [form.item_id ?? []].flat()
  return keys.flatMap((key, at) => {
    const text = field(form, `items.${at}.quantity`)
    return /^0*$/.test(text) ? [] : [{ at, key, text }]
  })
}

function quantityRows({ form, language }: TypedForm): object[] {
  return itemQuantities(form).map(({ key, text }) => ({ ...readPieceKey(key), quantity: readNumber(text, language) }))
}

/** An empty body would refund everything, so empty `items` are sent unless an amount is given. */
function refundBody(typed: TypedForm): object {
  const { form } = typed
  const items = quantityRows(typed)
  const hasAmount = field(form, 'shipping') !== '' || field(form, 'amount') !== ''
  return items.length === 0 && hasAmount ? {} : { items }
}

/** Maps an index of the API's body to the index in the form, which also has lines without a quantity. */
function toQuantityField(name: string, form: Form): string {
  const lines = itemQuantities(form)
  return name.replace(
    /^items\.(\d+)(\.\w+)?$/,
    (_, index: string) => `items.${lines[Number(index)]?.at ?? index}.quantity`,
  )
}
