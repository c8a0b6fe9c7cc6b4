// The forms that a return's status allows; the next step is open.
import { html } from 'hono/html'
import type { Order } from '../../../../commerce/orders/order.ts'
import { readAccount } from '../../../../commerce/orders/refunds/account.ts'
import { receivedPieces } from '../../../../commerce/returns/refund.ts'
import type { Return } from '../../../../commerce/returns/return.ts'
import { mayUse } from '../../../../identity/accounts/roles.ts'
import { toUuid } from '../../../../kit/values/ids.ts'
import { Decimal, sum, toNumber } from '../../../../kit/values/money.ts'
import { field } from '../../../../platform/pages/form.ts'
import { aboutField, attributes, renderFieldFault, hidden } from '../../../../platform/pages/parts.ts'
import { button, form } from '../../../framework/form.ts'
import { numberIn } from '../../../framework/formbody.ts'
import type { MessageKey } from '../../../framework/messages.ts'
import { foldedPanel, panel } from '../../../framework/parts.ts'
import type { Html, PageContext } from '../../../framework/screen.ts'
import { formatItemTitle } from '../address.ts'
import { omitInput } from '../forms.ts'
import { loadPayments } from '../orderdetails.ts'
import { isPaidOutside, refundText } from '../outside.ts'
import { conditionFields, returnActions as actions } from './actions.ts'

export type ReturnDetails = { record: Return; order: Order }

export async function nextForms(context: PageContext, details: ReturnDetails): Promise<Html | ''> {
  if (!mayUse(context.role, 'write:orders')) return ''
  const { record } = details
  switch (record.status) {
    case 'requested':
      return html`${await plainForm(context, 'approve', 'return_approve', true)}
${await plainForm(context, 'decline', 'return_decline', false)}`
    case 'approved':
      return html`${await receiveForm(context, details)}
${panel(context.t('actions'), button(context, { act: 'cancel', text: 'return_cancel' }))}`
    case 'received':
      return html`${await refundForm(context, record)}${otherEnds(context, record)}`
    case 'closed':
      return record.refund_id === null && record.exchange_order_id === null ? refundForm(context, record) : ''
    default:
      return ''
  }
}

function actionPanel({ t, rejection }: PageContext, act: string, title: MessageKey, content: Html, isFirst: boolean) {
  const isOpen = rejection ? rejection.act === act : isFirst
  return foldedPanel(t(title), content, { id: `do-${act}`, isOpen })
}

async function plainForm(context: PageContext, act: string, title: MessageKey, isFirst: boolean): Promise<Html> {
  const drawn = await form(context, { act, action: actions[act]!, button: title, isQuiet: !isFirst })
  return actionPanel(context, act, title, drawn, isFirst)
}

async function receiveForm(context: PageContext, { record, order: { items } }: ReturnDetails): Promise<Html> {
  const { t, rejection } = context
  const refused = rejection?.act === 'receive' ? rejection : null
  const rows = record.items.map(({ item_id, quantity }, at) => {
    const cell = (condition: keyof typeof conditionFields, preset: string) => {
      const name = `items.${at}.${condition}`
      const fault = refused?.faults[name]
      const value = refused ? field(context.form, name) : preset
      const about = { id: name, name, value, inputmode: 'numeric', class: 'number', autocomplete: 'off', size: 4 }
      return html`<div class="field half"><label for="${name}">${t(`return_${condition}`)}</label>
<input${attributes(about)}${aboutField(name, { fault })}>${renderFieldFault(name, fault)}</div>`
    }
    const title = formatItemTitle(items.find(({ id }) => id === item_id)!)
    return html`<fieldset class="part"><legend>${title} <small>${t('at_most', { count: quantity })}</small></legend>
<div class="fields">${hidden('item_id', item_id)}${cell('as_new', String(quantity))}${cell('damaged', '')}</div>
</fieldset>`
  })
  const fault = renderFieldFault('items', refused?.faults.items)
  const lead = html`<p class="hint">${t('return_receive_text')}</p>${rows}${fault}`
  const drawn = await form(context, { act: 'receive', action: actions.receive!, button: 'return_receive', lead })
  return actionPanel(context, 'receive', 'return_receive', drawn, true)
}

async function refundForm(context: PageContext, record: Return): Promise<Html> {
  const { db, store, t, price } = context
  const orderId = toUuid('ord', record.order_id)!
  const [account, { data: payments }] = await Promise.all([
    readAccount(db, store.id, orderId),
    loadPayments(context, orderId),
  ])
  const isOutside = isPaidOutside(payments)
  const received = sum(receivedPieces(account, record).pieces.map((piece) => piece.amount))
  const total = computeRefundTotal(context, account.left, received)
  const outside = isOutside ? html`<p>${t('refund_outside_part', { amount: price(total) })}</p>` : ''
  const drawn = await form(context, {
    act: 'refund',
    action: isOutside ? omitInput(context, actions.refund!, 'by_hand') : actions.refund!,
    button: 'return_refund',
    buttonText: refundText(context, isOutside, total),
    lead: html`<p>${t('return_refund_text', { amount: price(toNumber(received)) })}</p>${outside}`,
    more: html`<live-total>
<button class="quiet" name="rehearse" value="1">${t('sums_now')}</button></live-total>`,
  })
  return actionPanel(context, 'refund', 'return_refund', drawn, true)
}

/** Adds the typed shipping and subtracts the typed fee, once a dry run has accepted them. */
function computeRefundTotal({ form: typed, dryRunResult }: PageContext, left: Decimal, received: Decimal): number {
  const amount = (name: string) => (dryRunResult ? numberIn(field(typed, name)) || 0 : 0)
  const price = Decimal.min(left, received.plus(amount('shipping')))
  return toNumber(price.minus(amount('restocking_fee')))
}

function otherEnds(context: PageContext, { id }: Return): Html {
  const { t, base } = context
  const exchange = html`<a class="button quiet" href="${base}/returns/${id}/exchange">${t('return_exchange')}</a>`
  const close = button(context, { act: 'close', text: 'return_close' })
  return panel(t('actions'), html`<div class="pair">${exchange}${close}</div>`)
}
