// The next steps of a return.
import { html } from 'hono/html'
import type { Order } from '../../../../commerce/orders/order.ts'
import { namePiece, toPieceKey } from '../../../../commerce/orders/parts.ts'
import { readAccount } from '../../../../commerce/orders/refunds/account.ts'
import { receivedPieces } from '../../../../commerce/returns/refund.ts'
import type { Return } from '../../../../commerce/returns/return.ts'
import { toUuid } from '../../../../kit/values/ids.ts'
import { Decimal, sum, toNumber } from '../../../../kit/values/money.ts'
import { field } from '../../../../platform/pages/form.ts'
import { renderFieldFault, hidden } from '../../../../platform/pages/parts.ts'
import { renderCell } from '../../../framework/cell.ts'
import { readNumber } from '../../../assets/numbers.ts'
import type { RecordPart } from '../../../framework/record.ts'
import type { Html, PageContext } from '../../../framework/screen.ts'
import { partsLine } from '../address.ts'
import { listInputs } from '../forms.ts'
import { loadPayments } from '../orderdetails.ts'
import { isPaidOutside, refundText } from '../outside.ts'
import { conditionFields, returnActions as actions } from './actions.ts'

/** `refund`: the money of a return whose items came back. */
export type ReturnDetails = { record: Return; order: Order; refund: ReturnMoney | null }
type ReturnMoney = { isOutside: boolean; left: Decimal; received: Decimal }

const scope = 'write:orders'
const hasStatus =
  (status: Return['status']) =>
  ({ record }: ReturnDetails) =>
    record.status === status

/** The forms that a return's status allows; the next step is open. */
// prettier-ignore
export const nextForms: readonly RecordPart<ReturnDetails>[] = [
  { title: 'return_approve', scope, when: hasStatus('requested'), isOpen: () => true,
    form: { act: 'approve', button: 'return_approve' } },
  { title: 'return_decline', scope, when: hasStatus('requested'), isOpen: () => false,
    form: { act: 'decline', button: 'return_decline', isQuiet: true } },
  { title: 'return_receive', scope, when: hasStatus('approved'), isOpen: () => true,
    form: { act: 'receive', button: 'return_receive', lead: receivedQuantities } },
  { title: 'actions', scope, when: hasStatus('approved'), buttons: [{ act: 'cancel', text: 'return_cancel' }] },
  { title: 'return_refund', scope, when: ({ refund }) => refund !== null, isOpen: () => true, form: {
    act: 'refund', button: 'return_refund',
    buttonText: (context, { refund }) => {
      const { isOutside, left } = refund!
      return refundText(context, { isOutside, amount: computeRefundTotal(context, refund!), max: toNumber(left) })
    },
    inputs: (context, { refund }) => listInputs(context, actions.refund!, refund!.isOutside && 'by_hand'),
    lead: refundLead,
    more: ({ t }) => html`<live-total>
<button class="quiet" name="rehearse" value="1">${t('sums_now')}</button></live-total>`,
  } },
  { title: 'actions', scope, when: hasStatus('received'), buttons: [
    { to: ({ record: { id } }) => `/returns/${id}/exchange`, text: 'return_exchange' },
    { act: 'close', text: 'return_close' },
  ] },
]

export async function loadReturnMoney(context: PageContext, one: Return): Promise<ReturnMoney | null> {
  const isWithoutRefund = one.refund_id === null && one.exchange_order_id === null
  if (one.status !== 'received' && !(one.status === 'closed' && isWithoutRefund)) return null
  const orderId = toUuid('ord', one.order_id)!
  const [account, { data: payments }] = await Promise.all([
    readAccount(context.db, context.store.id, orderId),
    loadPayments(context, orderId),
  ])
  const receivedAmount = sum(receivedPieces(account, one).pieces.map((piece) => piece.amount))
  return { isOutside: isPaidOutside(payments), left: account.left, received: receivedAmount }
}

function receivedQuantities(context: PageContext, { record, order: { items } }: ReturnDetails): Html {
  const { t, rejection } = context
  const refusal = rejection?.act === 'receive' ? rejection : null
  const rows = record.items.map(({ item_id, part, quantity }, at) => {
    const cell = (condition: keyof typeof conditionFields, preset: string) => {
      const name = `items.${at}.${condition}`
      const value = refusal ? field(context.form, name) : preset
      const input = { name, value, inputmode: 'numeric', class: 'number', size: 4 }
      return html`<div class="field half"><label for="${name}">${t(`return_${condition}`)}</label>
${renderCell(context, input, refusal?.faults[name] ?? '')}</div>`
    }
    const item = items.find(({ id }) => id === item_id)!
    return html`<fieldset class="part"><legend>${namePiece(item, part)}
<small>${t('at_most', { count: quantity })}</small>
${part === null ? partsLine(item.parts) : ''}</legend>
<div class="fields">${hidden('item_id', toPieceKey(item_id, part))}
${cell('as_new', String(quantity))}${cell('damaged', '')}</div>
</fieldset>`
  })
  const fault = renderFieldFault('items', refusal?.faults.items)
  return html`<p class="hint">${t('return_receive_text')}</p>${rows}${fault}`
}

function refundLead(context: PageContext, { refund }: ReturnDetails): Html {
  const { t, price } = context
  const { isOutside, received } = refund!
  const total = price(computeRefundTotal(context, refund!))
  return html`<p>${t('return_refund_text', { amount: price(toNumber(received)) })}</p>
${isOutside ? html`<p>${t('refund_outside_part', { amount: total })}</p>` : ''}`
}

/** Adds the typed shipping and subtracts the typed fee, once a dry run has accepted them. */
function computeRefundTotal(context: PageContext, { left, received }: ReturnMoney): number {
  const { form: submission, language, dryRunResult } = context
  const amount = (name: string) => (dryRunResult ? readNumber(field(submission, name), language) || 0 : 0)
  const price = Decimal.min(left, received.plus(amount('shipping')))
  return toNumber(price.minus(amount('restocking_fee')))
}
