// What can be done with an order: each an operation of the API.
import { field, type Form } from '../../../platform/pages/form.ts'
import { countryCodeOf } from '../../../commerce/orders/address.ts'
import { endpoint } from '../../framework/api.ts'
import type { ScreenAction, FormInput } from '../../framework/screen.ts'
import { countries, provinces } from '../../framework/choices.ts'

const change = endpoint('PATCH /orders/{id}')
const parcel = endpoint('PATCH /orders/{id}/fulfillments/{fulfillment_id}')

const addressParts = [
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

const country = 'shipping_address.country'

const suggested: Partial<Record<(typeof addressParts)[number], FormInput['suggests']>> = {
  province: (context) =>
    provinces(context, countryCodeOf(field(context.form, country)) ?? context.store.country_code).map(([, name]) => [
      name,
      '',
    ]),
  country: (context) => countries(context).map(([, name]) => [name, '']),
}

export const addressInputs: readonly FormInput[] = addressParts.map((part) => ({
  name: `shipping_address.${part}`,
  isHalf: true,
  ...(suggested[part] ? { suggests: suggested[part] } : {}),
}))

// prettier-ignore
const tracking: FormInput[] = [
  { name: 'carrier', isHalf: true },
  { name: 'tracking_number', isHalf: true },
  { name: 'tracking_url', hint: 'tracking_url_hint' },
]

// prettier-ignore
export const orderActions: Record<string, ScreenAction> = {
  pay: {
    route: change, body: { payment_status: 'paid' }, done: 'order_paid',
    confirm: { title: 'pay_ask', text: 'pay_text', button: 'pay' },
  },
  status: { route: change, inputs: [{ name: 'status', label: 'mark_as', options: laterStatuses }], done: 'saved' },
  cancel: {
    route: change, body: { status: 'cancelled' }, done: 'order_cancelled',
    inputs: [{ name: 'cancel_reason', label: 'reason' }, { name: 'restock' }, { name: 'refund' }],
  },
  capture: {
    route: endpoint('POST /orders/{id}/capture'), done: 'captured', inputs: [{ name: 'amount', as: 'money' }],
  },
  fulfil: {
    route: endpoint('POST /orders/{id}/fulfillments'), inputs: tracking, done: 'order_sent',
    body: ({ form }) => ({ items: linesIn(form).map(({ line }) => line) }), fieldOf: lineOf,
  },
  delivered: { route: parcel, body: { status: 'delivered' }, done: 'saved' },
  unsend: {
    route: parcel, body: { status: 'cancelled' }, done: 'saved',
    confirm: { title: 'unsend_ask', text: 'unsend_text', button: 'unsend' },
  },
  refund: {
    route: endpoint('POST /orders/{id}/refunds'), done: 'order_refunded',
    inputs: [{ name: 'shipping', as: 'money', isHalf: true },
             { name: 'amount', as: 'money', isHalf: true, hint: 'amount_hint' },
             { name: 'reason', label: 'reason' }, { name: 'restock' }, { name: 'by_hand', hint: 'by_hand_hint' }],
    body: ({ form }) => refundedIn(form), fieldOf: lineOf,
  },
  notes: { route: change, inputs: [{ name: 'internal_notes', as: 'area' }], done: 'saved' },
  address: { route: change, done: 'saved', inputs: addressInputs },
  seen: {
    route: endpoint('PATCH /payments/{id}'), idFrom: { id: 'payment' }, body: { needs_review: false }, done: 'saved',
  },
  resend: { route: endpoint('POST /mails/{id}/resend'), idFrom: { id: 'mail' }, done: 'mail_resent' },
}

function laterStatuses({ t }: Parameters<NonNullable<FormInput['options']>>[0]) {
  const statuses = ['confirmed', 'in_progress', 'completed', 'returned'] as const
  return statuses.map((status) => [status, t(`status_${status}`)] as const)
}

/** The lines of a form that say how many pieces, and where each stands in the form. */
function linesIn(form: Form): { at: number; line: { item_id: string; quantity: number | string } }[] {
  const ids = [form.item_id ?? []].flat()
  return ids.flatMap((item_id, at) => {
    const typed = field(form, `items.${at}.quantity`)
    const quantity = /^\d+$/.test(typed) ? Number(typed) : typed
    return typed === '' || quantity === 0 ? [] : [{ at, line: { item_id, quantity } }]
  })
}

/** Nothing at all would mean everything: that has to be said. */
function refundedIn(form: Form): object {
  const items = linesIn(form).map(({ line }) => line)
  const saysMore = field(form, 'shipping') !== '' || field(form, 'amount') !== ''
  return items.length === 0 && saysMore ? {} : { items }
}

/** What the API says of the second line that was sent stands beside the line where it was typed. */
function lineOf(name: string, form: Form): string {
  const lines = linesIn(form)
  return name.replace(
    /^items\.(\d+)(\.\w+)?$/,
    (_, sent: string) => `items.${lines[Number(sent)]?.at ?? sent}.quantity`,
  )
}
