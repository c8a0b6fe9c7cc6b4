// The forms of an order's screen that its state allows.
import { html } from 'hono/html'
import { resolveInputs } from '../../framework/inputs.ts'
import { field } from '../../../platform/pages/form.ts'
import { aboutField, attributes, renderFieldFault, hidden } from '../../../platform/pages/parts.ts'
import { nextStatuses } from '../../../commerce/orders/states.ts'
import { toNumber } from '../../../kit/values/money.ts'
import { computeRefundUnitsPrice } from '../../../commerce/orders/refunds/account.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { button, form } from '../../framework/form.ts'
import type { OrderDetails } from './orderdetails.ts'
import { orderActions as actions } from './actions.ts'
import { isPaidOutside, refundText } from './outside.ts'
import { formatItemTitle } from './address.ts'
import { foldedPanel, mark, panel } from '../../framework/parts.ts'
import type { ScreenAction, Html, PageContext } from '../../framework/screen.ts'
import type { MessageKey } from '../../framework/messages.ts'

/** The next step comes first: its form is open, with a prominent button. */
export async function primaryForms(context: PageContext, details: OrderDetails): Promise<Html> {
  const fulfill = await fulfillForm(context, details, true)
  const capture = await captureForm(context, details, fulfill === '')
  return html`${fulfill}${capture}`
}

export async function orderForms(context: PageContext, details: OrderDetails): Promise<Html> {
  return html`${await nextSteps(context, details)}${fulfillmentList(context, details)}
${await refundForm(context, details)}${await editForms(context, details)}
${await cancelForm(context, details)}`
}

/** A rejected form stays open, because it shows what is wrong. */
function actionPanel(
  { t, rejection }: PageContext,
  act: string,
  title: MessageKey,
  content: Html,
  isPrimary = false,
): Html {
  const isOpen = rejection ? rejection.act === act : isPrimary
  return foldedPanel(t(title), content, { id: `do-${act}`, isOpen })
}

async function nextSteps(context: PageContext, { record, version }: OrderDetails): Promise<Html | ''> {
  const { t, price } = context
  const { status, payment_status, order_number, amount_due } = record
  const canPay = payment_status === 'pending' || payment_status === 'failed'
  const amount = price(amount_due)
  const fixed = { label: `#${order_number}`, sum: amount }
  const pay = canPay ? button(context, { act: 'pay', text: 'pay', values: { amount }, fixed, kind: '' }) : ''
  const open = nextStatuses[status].filter((next) => next !== 'cancelled')
  const statusAction: ScreenAction = {
    ...actions.status!,
    inputs: [{ name: 'status', label: 'mark_as', options: () => open.map((next) => [next, t(`status_${next}`)]) }],
  }
  const statusForm = {
    act: 'status',
    action: statusAction,
    button: 'apply',
    version,
    isQuiet: true,
    isInline: true,
  } as const
  if (!canPay && open.length === 0) return ''
  return panel(
    t('next_steps'),
    html`<div class="pair next">${pay}${open.length > 0 ? await form(context, statusForm) : ''}</div>`,
  )
}

type QuantityLine = { id: string; title: string; max: number; preset: string; note: string }

/** A quantity input for each line, from 0 to its maximum. */
function quantityInputs({ t, form: input, rejection }: PageContext, act: string, all: readonly QuantityLine[]): Html {
  const ownRejection = rejection?.act === act ? rejection : null
  const rows = all.map(({ id, title, max, preset, note }, at) => {
    const name = `items.${at}.quantity`
    const inputId = `${act}-${name}`
    const value = ownRejection ? field(input, name) : preset
    const fault = ownRejection?.faults[name]
    const about = { id: inputId, name, value, inputmode: 'numeric', class: 'number', autocomplete: 'off', size: 4 }
    return html`<div class="line">${hidden('item_id', id)}<label for="${inputId}">${title}
<small>${t('at_most', { count: max })}${note}</small></label>
<input${attributes(about)}${aboutField(inputId, { fault })}>${renderFieldFault(inputId, fault)}</div>`
  })
  const fault = ownRejection?.faults.items
  return html`<div class="lines">${rows}</div>${fault ? html`<p class="fault">${fault}</p>` : ''}`
}

async function fulfillForm(context: PageContext, { record }: OrderDetails, isPrimary: boolean): Promise<Html | ''> {
  const isOver = record.status === 'cancelled' || record.status === 'returned'
  const left = record.items.filter(({ fulfillable_quantity }) => fulfillable_quantity > 0)
  if (isOver || left.length === 0) return ''
  const all = left.map((item) => {
    const { id, fulfillable_quantity: max } = item
    return { id, title: formatItemTitle(item), max, preset: String(max), note: '' }
  })
  const lead = quantityInputs(context, 'fulfil', all)
  return actionPanel(
    context,
    'fulfil',
    'fulfil',
    await form(context, { act: 'fulfil', action: actions.fulfil!, button: 'fulfil', lead }),
    isPrimary,
  )
}

function fulfillmentList(context: PageContext, { fulfillments }: OrderDetails): Html | '' {
  const { t, formatTime } = context
  if (fulfillments.length === 0) return ''
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
  return panel(t('parcels'), html`<ul class="rows">${rows}</ul>`)
}

async function captureForm(context: PageContext, { payments }: OrderDetails, isPrimary: boolean): Promise<Html | ''> {
  const payment = payments.find(({ capturable_amount }) => capturable_amount > 0)
  if (!payment) return ''
  const values = { amount: payment.capturable_amount }
  return actionPanel(
    context,
    'capture',
    'capture',
    await form(context, { act: 'capture', action: actions.capture!, button: 'capture', values }),
    isPrimary,
  )
}

async function refundForm(context: PageContext, { account, record, payments }: OrderDetails): Promise<Html | ''> {
  const { t, price } = context
  if (account.left.lessThanOrEqualTo(0)) return ''
  const all = account.items.flatMap((item, index): QuantityLine[] => {
    const max = item.quantity - item.refunded_quantity
    const sold = record.items.find(({ id }) => id === publicId('item', item.id))
    if (max <= 0 || !sold) return []
    const note = ` · ${price(toNumber(computeRefundUnitsPrice(account, index, max)))}`
    return [{ id: sold.id, title: formatItemTitle(sold), max, preset: '', note }]
  })
  const isOutside = isPaidOutside(payments)
  const outside = isOutside ? html`<p>${t('refund_outside_part', { amount: price(toNumber(account.left)) })}</p>` : ''
  const lead = html`${outside}${quantityInputs(context, 'refund', all)}`
  const shipping = price(toNumber(account.shippingLeft))
  const ceiling = t('refund_ceiling', { amount: price(toNumber(account.left)), shipping })
  const more = html`<p class="hint">${ceiling}</p><live-total>
<button class="quiet" name="rehearse" value="1">${t('sums_now')}</button></live-total>`
  const values = { restock: true }
  return actionPanel(
    context,
    'refund',
    'refund',
    await form(context, {
      act: 'refund',
      action: isOutside ? omitInput(context, actions.refund!, 'by_hand') : actions.refund!,
      button: 'refund',
      buttonText: refundText(context, isOutside, triedAmount(context)),
      values,
      lead,
      more,
    }),
  )
}

/** The total of a refund, once a dry run has computed it. */
function triedAmount({ rejection, dryRunResult }: PageContext): number | undefined {
  return rejection?.act === 'refund' ? (dryRunResult as { amount: number } | undefined)?.amount : undefined
}

/** The same action without one of its fields. */
export function omitInput(context: PageContext, action: ScreenAction, field: string): ScreenAction {
  return { ...action, inputs: resolveInputs(action, context).filter(({ name }) => name !== field) }
}

async function editForms(context: PageContext, { record, version }: OrderDetails): Promise<Html> {
  const notes = await form(context, {
    act: 'notes',
    action: actions.notes!,
    button: 'save',
    values: record,
    version,
    isQuiet: true,
  })
  const address = await form(context, {
    act: 'address',
    action: actions.address!,
    button: 'save',
    values: record,
    version,
    isQuiet: true,
  })
  return html`${panel(context.t('notes'), notes)}${actionPanel(context, 'address', 'edit_address', address)}`
}

/** Its button shows the refunded amount while the box is ticked. */
async function cancelForm(
  context: PageContext,
  { record, version, account, payments }: OrderDetails,
): Promise<Html | ''> {
  if (!record.is_cancellable) return ''
  const { t, price } = context
  const hasMoney = account.left.greaterThan(0)
  const isOutside = isPaidOutside(payments)
  const amount = price(toNumber(account.left))
  const values = { restock: true, refund: hasMoney }
  const more = html`<p class="hint">${t('cancel_text')}</p>
${hidden('label', `#${record.order_number}`)}${hidden('sum', amount)}${isOutside ? hidden('outside', '1') : ''}`
  const action = hasMoney ? actions.cancel! : omitInput(context, actions.cancel!, 'refund')
  const buttonText = hasMoney
    ? html`<span class="if-refund">${t(isOutside ? 'cancel_and_record' : 'cancel_and_refund', { amount })}</span>
<span class="unless-refund">${t('cancel_order')}</span>`
    : t('cancel_order')
  const props = {
    act: 'cancel',
    action,
    button: 'cancel_order',
    buttonText,
    kind: 'bad',
    values,
    version,
    more,
  } as const
  return actionPanel(context, 'cancel', 'cancel_order', await form(context, props))
}
