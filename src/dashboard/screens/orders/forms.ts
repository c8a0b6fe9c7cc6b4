// The forms of an order's screen that its state allows.
import { html } from 'hono/html'
import { resolveInputs } from '../../framework/inputs.ts'
import { field } from '../../../platform/pages/form.ts'
import { attributes, hidden } from '../../../platform/pages/parts.ts'
import { listUnsentParts } from '../../../commerce/fulfillments/unsentparts.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import { nextStatuses, undoneStatuses } from '../../../commerce/orders/states.ts'
import { toNumber } from '../../../kit/values/money.ts'
import {
  computeRefundUnitsPrice,
  countRefunded,
  countWholeLeft,
  listPartsLeft,
} from '../../../commerce/orders/refunds/account.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { renderCell } from '../../framework/cell.ts'
import { button, mayDo } from '../../framework/form.ts'
import type { OrderDetails } from './orderdetails.ts'
import { orderActions as actions } from './actions.ts'
import { isPaidOutside, refundText } from './outside.ts'
import { nameBillingCountry } from './address.ts'
import { formatParts, namePiece, toPieceKey } from '../../../commerce/orders/parts.ts'
import type { RecordPanel, RecordPart } from '../../framework/record.ts'
import type { FormInput, ScreenAction, Html, PageContext } from '../../framework/screen.ts'

const scope = 'write:orders'

/** A form that edits the order: a conflict if someone else has changed it. */
export const editsOrder = {
  values: ({ record }: OrderDetails) => record,
  version: ({ version }: OrderDetails) => version,
} as const

/** The step that an order needs next is in its header, the others beside its sums. */
type OrderStep = 'fulfil' | 'capture' | 'pay'

function findNextStep(details: OrderDetails): OrderStep | null {
  if (canFulfill(details)) return 'fulfil'
  if (findCapturable(details)) return 'capture'
  return canPay(details.record) ? 'pay' : null
}

const close = ({ t, here }: PageContext) => html`<a class="button quiet" href="${here}" data-close>${t('close')}</a>`

const capture: RecordPanel<OrderDetails> = {
  title: (details, context) => captureText(context, details),
  scope,
  opens: 'dialog',
  form: {
    act: 'capture',
    button: 'capture',
    buttonText: captureText,
    beside: close,
    values: (details) => ({ amount: findCapturable(details)!.capturable_amount }),
    more: ({ t, store }) => {
      const about = { input: 'amount', text: t('capture_of', { amount: '{amount}' }), currency: store.currency }
      return html`<named-sum${attributes(about)}></named-sum>`
    },
  },
}

function captureText({ t, price }: PageContext, details: OrderDetails): string {
  return t('capture_of', { amount: price(findCapturable(details)!.capturable_amount) })
}

// prettier-ignore
export const nextStep: readonly RecordPart<OrderDetails>[] = [
  { title: 'fulfil', scope, when: canFulfill, opens: 'dialog', kind: '',
    form: { act: 'fulfil', button: 'fulfil', lead: fulfilledQuantities, beside: close } },
  { ...capture, when: (details) => findNextStep(details) === 'capture', kind: '' },
  (context, details) => findNextStep(details) === 'pay' ? payButton(context, details, '') : '',
]

// prettier-ignore
export const paymentParts: readonly RecordPart<OrderDetails>[] = [
  { ...capture, when: (details) => findCapturable(details) !== undefined && findNextStep(details) !== 'capture' },
  (context, details) =>
    canPay(details.record) && findNextStep(details) !== 'pay' ? payButton(context, details, 'quiet') : '',
  { act: 'send_link', text: 'link_send', when: (details) => isDue(details) && details.record.customer_email !== null },
  { act: 'show_link', text: 'link_show', when: isDue },
  refundButton,
  { title: 'refund', scope, when: hasMoneyLeft, opens: 'dialog', form: {
    act: 'refund', button: 'refund', values: () => ({ restock: true }), beside: close,
    buttonText: (context, details) => refundText(context, buildRefundSums(context, details)),
    inputs: (context, { payments }) => listInputs(context, actions.refund!, isPaidOutside(payments) && 'by_hand'),
    lead: refundedQuantities, more: refundCeiling,
  } },
]

export const addressForm: RecordPanel<OrderDetails> = {
  title: 'edit_address',
  scope,
  opens: 'dialog',
  form: { act: 'address', ...editsOrder, beside: close },
}

export const billingForm: RecordPanel<OrderDetails> = {
  title: 'edit_billing_address',
  scope,
  opens: 'dialog',
  form: {
    act: 'billing',
    version: editsOrder.version,
    values: ({ record: { billing_address } }, { language }) => ({
      billing_address: billing_address && {
        ...billing_address,
        country: nameBillingCountry(billing_address, language),
      },
    }),
    beside: close,
  },
}

// prettier-ignore
export const cancelForm: RecordPanel<OrderDetails> = {
  title: 'cancel_order', scope, when: ({ record }) => record.is_cancellable, opens: 'dialog', kind: 'quiet danger',
  form: {
    act: 'cancel', button: 'cancel_order', buttonText: cancelText, kind: 'bad',
    version: editsOrder.version, beside: close,
    values: (details) => ({ restock: true, refund: hasMoneyLeft(details) }),
    inputs: (context, details) => listInputs(context, actions.cancel!, !hasMoneyLeft(details) && 'refund'),
    more: cancelNotes,
  },
}

function canFulfill({ record: { status, items } }: OrderDetails): boolean {
  return !undoneStatuses.includes(status) && items.some(({ fulfillable_quantity }) => fulfillable_quantity > 0)
}

function findCapturable({ payments }: OrderDetails) {
  return payments.find(({ capturable_amount }) => capturable_amount > 0)
}

function canPay({ status, payment_status }: Order): boolean {
  return status !== 'cancelled' && (payment_status === 'pending' || payment_status === 'failed')
}

function listOpenStatuses({ status }: Order) {
  return nextStatuses[status].filter((next) => next !== 'cancelled' && next !== 'pending')
}

function hasMoneyLeft({ account }: OrderDetails): boolean {
  return account.left.greaterThan(0)
}

/** The inputs of an action without one of them. */
export function listInputs(context: PageContext, action: ScreenAction, field: string | false): readonly FormInput[] {
  return resolveInputs(action, context).filter(({ name }) => name !== field)
}

function isDue({ record: { amount_due: due, amount_to_refund: over } }: OrderDetails): boolean {
  return due > 0 && over <= 0
}

function payButton(context: PageContext, { record }: OrderDetails, kind: string): Html | '' {
  const amount = context.price(record.amount_due)
  const fixed = { label: `#${record.order_number}`, sum: amount }
  return mayDo(context, actions.pay!)
    ? button(context, { act: 'pay', text: 'pay', values: { amount }, fixed, kind })
    : ''
}

/** What was paid too much. */
function refundButton(context: PageContext, { record: { amount_to_refund: over }, payments }: OrderDetails): Html | '' {
  if (over <= 0 || !mayDo(context, actions.refund_overpaid!)) return ''
  const amount = context.price(over)
  const isOutside = isPaidOutside(payments)
  const fixed = { amount: String(over), label: amount, sum: amount, ...(isOutside ? { outside: '1' } : {}) }
  const text = isOutside ? 'record_refund_of' : 'refund_of'
  return button(context, { act: 'refund_overpaid', text, values: { amount }, fixed })
}

export function statusButtons(context: PageContext, { record, version }: OrderDetails): Html | '' {
  if (!mayDo(context, actions.status!)) return ''
  const buttons = listOpenStatuses(record).map((status) =>
    button(context, { act: 'status', text: `mark_${status}`, fixed: { status, version } }),
  )
  return html`${buttons}`
}

type Item = Order['items'][number]

/** `part`: a part of a bundle alone. `parts`: those named below a whole bundle, by default all of them. */
type QuantityLine = {
  item: Item
  part: number | null
  max: number
  preset: string
  note: string
  parts?: Item['parts']
}

/** A quantity input for each line, from 0 to its maximum. */
function quantityInputs(context: PageContext, act: string, all: readonly QuantityLine[]): Html {
  const { t, form: input, rejection } = context
  const refusal = rejection?.act === act ? rejection : null
  const renderRow = ({ item, part, max, preset, note, parts = item.parts }: QuantityLine, at: number) => {
    const name = `items.${at}.quantity`
    const cell = { id: `${act}-${name}`, name, value: refusal ? field(input, name) : preset, inputmode: 'numeric' }
    const names = parts && part === null ? html`<small>${formatParts(parts)}</small>` : ''
    return html`<div class="line">${hidden('item_id', toPieceKey(item.id, part))}
<label for="${cell.id}">${namePiece(item, part)}
<small>${t('at_most', { count: max })}${note}</small>${names}</label>
${renderCell(context, { ...cell, class: 'number', size: 4 }, refusal?.faults[name] ?? '')}</div>`
  }
  const byItem = Map.groupBy(all.entries(), ([, { item }]) => item.id)
  const rows = [...byItem.values()].map((lines) => {
    const render = (isPart: boolean) =>
      lines.flatMap(([at, line]) => ((line.part !== null) === isPart ? [renderRow(line, at)] : []))
    const ofParts = render(true)
    const isOpen = lines.some(([at, { part }]) => part !== null && field(input, `items.${at}.quantity`) !== '')
    return html`${render(false)}${
      ofParts.length > 0
        ? html`<details class="more"${attributes({ open: isOpen })}><summary>${t('single_parts')}</summary>
${ofParts}</details>`
        : ''
    }`
  })
  const fault = refusal?.faults.items
  return html`<div class="lines">${rows}</div>${fault ? html`<p class="fault">${fault}</p>` : ''}`
}

function fulfilledQuantities(context: PageContext, { record: { items }, unsent }: OrderDetails): Html {
  const remaining = items.filter(({ fulfillable_quantity }) => fulfillable_quantity > 0)
  const all = remaining.map((item) => {
    const { id, fulfillable_quantity: max } = item
    const parts = item.parts && listUnsentParts(item.parts, unsent.get(id))
    return { item, part: null, max, preset: String(max), note: '', parts }
  })
  return quantityInputs(context, 'fulfil', all)
}

function refundedQuantities(context: PageContext, { account, record, payments }: OrderDetails): Html {
  const { t, price } = context
  const all = account.items.flatMap((sold, index): QuantityLine[] => {
    const item = record.items.find(({ id }) => id === publicId('item', sold.id))
    if (!item) return []
    const max = countWholeLeft(sold, countRefunded(sold))
    const line = (count: number, amount: number, part: number | null = null): QuantityLine[] =>
      count > 0 ? [{ item, part, max: count, preset: '', note: ` · ${price(amount)}` }] : []
    const whole = line(max, toNumber(computeRefundUnitsPrice(account, index, max)))
    return [
      ...whole,
      ...listPartsLeft(account, index).flatMap(({ part, quantity, amount }) => line(quantity, amount, part)),
    ]
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

/** The amount is known once a dry run has computed it. */
function buildRefundSums({ rejection, dryRunResult }: PageContext, { payments, account }: OrderDetails) {
  const dryRun = rejection?.act === 'refund' ? (dryRunResult as { amount: number } | undefined) : undefined
  return { isOutside: isPaidOutside(payments), amount: dryRun?.amount, max: toNumber(account.left) }
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
