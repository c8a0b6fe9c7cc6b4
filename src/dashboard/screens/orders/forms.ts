// The forms of an order's screen that its state allows.
import { html } from 'hono/html'
import { resolveInputs } from '../../framework/inputs.ts'
import { field } from '../../../platform/pages/form.ts'
import { hidden } from '../../../platform/pages/parts.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import { nextStatuses, undoneStatuses } from '../../../commerce/orders/states.ts'
import { toNumber } from '../../../kit/values/money.ts'
import { computeRefundUnitsPrice } from '../../../commerce/orders/refunds/account.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { renderCell } from '../../framework/cell.ts'
import { button, form } from '../../framework/form.ts'
import type { OrderDetails } from './orderdetails.ts'
import { orderActions as actions } from './actions.ts'
import { isPaidOutside, refundText } from './outside.ts'
import { formatItemTitle } from './address.ts'
import { mark } from '../../framework/parts.ts'
import type { RecordPart } from '../../framework/record.ts'
import type { FormInput, ScreenAction, Html, PageContext } from '../../framework/screen.ts'

const scope = 'write:orders'

/** A form that edits the order: a conflict if someone else has changed it. */
export const editsOrder = {
  values: ({ record }: OrderDetails) => record,
  version: ({ version }: OrderDetails) => version,
} as const

const never = () => false

/** The next step comes first: its form is open, with a prominent button. */
// prettier-ignore
export const primaryForms: readonly RecordPart<OrderDetails>[] = [
  { title: 'fulfil', scope, when: canFulfill, isOpen: () => true,
    form: { act: 'fulfil', button: 'fulfil', lead: fulfilledQuantities } },
  { title: 'capture', scope, when: (details) => findCapturable(details) !== undefined,
    isOpen: (details) => !canFulfill(details),
    form: { act: 'capture', button: 'capture',
      values: (details) => ({ amount: findCapturable(details)!.capturable_amount }) } },
]

// prettier-ignore
export const orderForms: readonly RecordPart<OrderDetails>[] = [
  { title: 'next_steps', scope, when: ({ record }) => canPay(record) || listOpenStatuses(record).length > 0,
    content: nextSteps },
  { title: 'parcels', scope, when: ({ fulfillments }) => fulfillments.length > 0, content: fulfillmentList },
  { title: 'refund', scope, when: hasMoneyLeft, isOpen: never, form: {
    act: 'refund', button: 'refund', values: () => ({ restock: true }),
    buttonText: (context, { payments }) => refundText(context, isPaidOutside(payments), triedAmount(context)),
    inputs: (context, { payments }) => listInputs(context, actions.refund!, isPaidOutside(payments) && 'by_hand'),
    lead: refundedQuantities, more: refundCeiling,
  } },
  { title: 'notes', scope, form: { act: 'notes', ...editsOrder, isQuiet: true } },
  { title: 'edit_address', scope, isOpen: never, form: { act: 'address', ...editsOrder, isQuiet: true } },
  { title: 'cancel_order', scope, when: ({ record }) => record.is_cancellable, isOpen: never, form: {
    act: 'cancel', button: 'cancel_order', buttonText: cancelText, kind: 'bad', version: editsOrder.version,
    values: (details) => ({ restock: true, refund: hasMoneyLeft(details) }),
    inputs: (context, details) => listInputs(context, actions.cancel!, !hasMoneyLeft(details) && 'refund'),
    more: cancelNotes,
  } },
]

function canFulfill({ record: { status, items } }: OrderDetails): boolean {
  return !undoneStatuses.includes(status) && items.some(({ fulfillable_quantity }) => fulfillable_quantity > 0)
}

function findCapturable({ payments }: OrderDetails) {
  return payments.find(({ capturable_amount }) => capturable_amount > 0)
}

function canPay({ payment_status }: Order): boolean {
  return payment_status === 'pending' || payment_status === 'failed'
}

function listOpenStatuses({ status }: Order) {
  return nextStatuses[status].filter((next) => next !== 'cancelled')
}

function hasMoneyLeft({ account }: OrderDetails): boolean {
  return account.left.greaterThan(0)
}

/** The inputs of an action without one of them. */
export function listInputs(context: PageContext, action: ScreenAction, field: string | false): readonly FormInput[] {
  return resolveInputs(action, context).filter(({ name }) => name !== field)
}

async function nextSteps(context: PageContext, { record, version }: OrderDetails): Promise<Html> {
  const { t, price } = context
  const amount = price(record.amount_due)
  const fixed = { label: `#${record.order_number}`, sum: amount }
  const pay = canPay(record) ? button(context, { act: 'pay', text: 'pay', values: { amount }, fixed, kind: '' }) : ''
  const open = listOpenStatuses(record)
  const action: ScreenAction = {
    ...actions.status!,
    inputs: [{ name: 'status', label: 'mark_as', options: () => open.map((next) => [next, t(`status_${next}`)]) }],
  }
  const props = { act: 'status', action, button: 'apply', version, isQuiet: true, isInline: true } as const
  return html`<div class="pair next">${pay}${open.length > 0 ? await form(context, props) : ''}</div>`
}

type QuantityLine = { id: string; title: string; max: number; preset: string; note: string }

/** A quantity input for each line, from 0 to its maximum. */
function quantityInputs(context: PageContext, act: string, all: readonly QuantityLine[]): Html {
  const { t, form: input, rejection } = context
  const refusal = rejection?.act === act ? rejection : null
  const rows = all.map(({ id, title, max, preset, note }, at) => {
    const name = `items.${at}.quantity`
    const cell = { id: `${act}-${name}`, name, value: refusal ? field(input, name) : preset, inputmode: 'numeric' }
    return html`<div class="line">${hidden('item_id', id)}<label for="${cell.id}">${title}
<small>${t('at_most', { count: max })}${note}</small></label>
${renderCell(context, { ...cell, class: 'number', size: 4 }, refusal?.faults[name] ?? '')}</div>`
  })
  const fault = refusal?.faults.items
  return html`<div class="lines">${rows}</div>${fault ? html`<p class="fault">${fault}</p>` : ''}`
}

function fulfilledQuantities(context: PageContext, { record: { items } }: OrderDetails): Html {
  const remaining = items.filter(({ fulfillable_quantity }) => fulfillable_quantity > 0)
  const all = remaining.map((item) => {
    const { id, fulfillable_quantity: max } = item
    return { id, title: formatItemTitle(item), max, preset: String(max), note: '' }
  })
  return quantityInputs(context, 'fulfil', all)
}

function fulfillmentList(context: PageContext, { fulfillments }: OrderDetails): Html {
  const { t, formatTime } = context
  const rows = fulfillments.map(({ id, status, carrier, tracking_number, tracking_url, shipped_at, items }) => {
    const fixed = { fulfillment_id: id, label: tracking_number ?? carrier ?? '' }
    const number = tracking_url
      ? html`<a href="${tracking_url}">${tracking_number ?? tracking_url}</a>`
      : tracking_number
    const count = items.reduce((sum, { quantity }) => sum + quantity, 0)
    const buttons =
      status === 'shipped'
        ? html`<div class="pair">${button(context, { act: 'delivered', fixed, text: 'delivered' })}
${button(context, { act: 'unsend', fixed, text: 'unsend', kind: 'quiet danger' })}</div>`
        : ''
    return html`<li><div><p>${mark(t(`parcel_${status}`), status === 'cancelled' ? 'bad' : 'good')}
${carrier ?? ''} ${number ?? ''}</p>
<p class="hint">${formatTime(shipped_at)} · ${t('pieces', { count })}</p></div>${buttons}</li>`
  })
  return html`<ul class="rows">${rows}</ul>`
}

function refundedQuantities(context: PageContext, { account, record, payments }: OrderDetails): Html {
  const { t, price } = context
  const all = account.items.flatMap((item, index): QuantityLine[] => {
    const max = item.quantity - item.refunded_quantity
    const soldItem = record.items.find(({ id }) => id === publicId('item', item.id))
    if (max <= 0 || !soldItem) return []
    const note = ` · ${price(toNumber(computeRefundUnitsPrice(account, index, max)))}`
    return [{ id: soldItem.id, title: formatItemTitle(soldItem), max, preset: '', note }]
  })
  const amount = price(toNumber(account.left))
  return html`${isPaidOutside(payments) ? html`<p>${t('refund_outside_part', { amount })}</p>` : ''}
${quantityInputs(context, 'refund', all)}`
}

function refundCeiling({ t, price }: PageContext, { account: { left, shippingLeft } }: OrderDetails): Html {
  const shipping = price(toNumber(shippingLeft))
  return html`<p class="hint">${t('refund_ceiling', { amount: price(toNumber(left)), shipping })}</p><live-total>
<button class="quiet" name="rehearse" value="1">${t('sums_now')}</button></live-total>`
}

/** The total of a refund, once a dry run has computed it. */
function triedAmount({ rejection, dryRunResult }: PageContext): number | undefined {
  return rejection?.act === 'refund' ? (dryRunResult as { amount: number } | undefined)?.amount : undefined
}

/** Shows the refunded amount while the box is ticked. */
function cancelText({ t, price }: PageContext, details: OrderDetails): Html | string {
  if (!hasMoneyLeft(details)) return t('cancel_order')
  const amount = price(toNumber(details.account.left))
  const refund = isPaidOutside(details.payments) ? 'cancel_and_record' : 'cancel_and_refund'
  return html`<span class="if-refund">${t(refund, { amount })}</span>
<span class="unless-refund">${t('cancel_order')}</span>`
}

function cancelNotes({ t, price }: PageContext, { record, account, payments }: OrderDetails): Html {
  return html`<p class="hint">${t('cancel_text')}</p>
${hidden('label', `#${record.order_number}`)}${hidden('sum', price(toNumber(account.left)))}
${isPaidOutside(payments) ? hidden('outside', '1') : ''}`
}
