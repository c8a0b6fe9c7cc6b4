// The screen that edits a placed order. A dry run shows the totals before and after.
import { html } from 'hono/html'
import { listSoldCodes } from '../../../commerce/discounts/codes.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import { undoneStatuses } from '../../../commerce/orders/states.ts'
import { mayUse } from '../../../identity/accounts/roles.ts'
import { endpoint } from '../../framework/api.ts'
import { readNumber } from '../../assets/numbers.ts'
import { renderCell } from '../../framework/cell.ts'
import { panel } from '../../framework/parts.ts'
import { placeBelow } from '../../framework/placement.ts'
import { record } from '../../framework/record.ts'
import type { FormInput, Html, PageContext, ScreenAction } from '../../framework/screen.ts'
import { itemFields, toItemField, orderItems, type TypedForm } from './itemfields.ts'
import { orders } from './orders.ts'
import { field, fieldsNamed, type Form } from '../../../platform/pages/form.ts'
import { renderFieldFault, hidden } from '../../../platform/pages/parts.ts'
import { formatItemTitle } from './address.ts'

// prettier-ignore
const inputs: FormInput[] = [
  { name: 'shipping_cost', as: 'money', group: 'order_money', isHalf: true },
  { name: 'discount_codes', as: 'lines', rows: 2, hint: 'discount_codes_hint', isHalf: true },
  { name: 'discount_amount', as: 'money', hint: 'edit_discount_hint', isHalf: true },
  { name: 'reason', label: 'reason', isHalf: true },
  { name: 'restock', label: 'edit_restock' },
  { name: 'refund', label: 'edit_refund' },
]

const edit: ScreenAction = {
  route: endpoint('POST /orders/{id}/edits'),
  inputs,
  body: (context: PageContext) => ({ items: editedItems(context) }),
  fieldOf: toEditField,
  hasDryRun: true,
  done: 'order_edited',
  to: ({ id }: Order) => `/orders/${id}`,
}

// prettier-ignore
export const editOrderScreen = record({
  path: '/orders/{id}/edit', ...placeBelow(orders), within: { path: '/orders/{id}', title: 'order' },
  scope: 'write:orders', title: 'edit_order', resource: order, isUnlisted: true, actions: { edit },
  name: ({ order_number }, { t }) => `${t('edit_order')} #${order_number}`,
  main: [
    { when: (one) => !isEditable(one), content: ({ t }) => html`<p>${t('edit_not_now')}</p>` },
    { when: isEditable, form: {
      act: 'edit',
      values: toEditValues,
      lead: async (context, one) => html`${keptLines(context, one)}${await itemFields(context, 'edit_add')}`,
      more: preview, enterButton: ['pick', 'items'],
    } },
  ],
})

function toEditValues(one: Order) {
  return { ...one, discount_codes: listSoldCodes(one), discount_amount: null, restock: true, reason: null }
}

function isEditable({ status, payment_status }: Order): boolean {
  return !undoneStatuses.includes(status) && payment_status !== 'refunded'
}

export function editLink({ t, base, role }: PageContext, record: Order): Html | '' {
  if (!mayUse(role, 'write:orders') || !isEditable(record)) return ''
  return html`<a class="button quiet" href="${base}/orders/${record.id}/edit">${t('edit_order')}</a>`
}

type EditSum = 'subtotal' | 'discount_amount' | 'shipping_cost' | 'tax_amount' | 'included_tax' | 'total'

/** The amounts before and after, and the resulting payment or refund. */
function preview(context: PageContext, before: Order): Html {
  const { t, price, dryRunResult } = context
  const after = dryRunResult as Order | undefined
  const button = html`<button class="quiet" name="rehearse" value="1">${t('edit_preview')}</button>`
  if (!after) return panel(t('sums'), html`<p class="hint">${t('edit_preview_text')}</p>`, button)
  const renderSumRow = (text: string, name: EditSum, sign = 1) => {
    const [old, now] = [before[name] * sign, after[name] * sign]
    if (old === 0 && now === 0) return ''
    return html`<tr><th scope="row">${text}</th><td class="number">${price(old)}</td>
<td class="number">${price(now)}</td></tr>`
  }
  const { amount_due: due, amount_to_refund: over } = after
  const head = [t('edit_now'), t('edit_then')]
  const difference = price(computeDifference(before.total, after.total))
  return panel(
    t('sums'),
    html`<table class="plain" id="sums"><thead><tr><td></td>
${head.map((text) => html`<th scope="col" class="number">${text}</th>`)}</tr></thead>
<tbody>${renderSumRow(t('subtotal'), 'subtotal')}${renderSumRow(t('discount'), 'discount_amount', -1)}
${renderSumRow(t('shipping'), 'shipping_cost')}${renderSumRow(t('tax'), 'tax_amount')}
${renderSumRow(t('total'), 'total')}
${renderSumRow(t('included_tax'), 'included_tax')}
<tr><th scope="row">${t('edit_difference')}</th><td class="number" colspan="2">${difference}</td></tr></tbody></table>
<p role="status">${due > 0 ? t('balance_due', { amount: price(due) }) : ''}
${over > 0 ? t('balance_over', { amount: price(over) }) : ''}</p>`,
    button,
  )
}

function computeDifference(before: number, after: number): number {
  return Math.round((after - before) * 10_000) / 10_000
}

// The items of an order in the form that edits it, one quantity each.

/** Returns `items` of an edit: changed quantities, then added items. */
function editedItems(typed: TypedForm): object[] {
  const { form, language } = typed
  const items = changedItems(form).map(({ item_id, text }) => ({ item_id, quantity: readNumber(text, language) }))
  return [...items, ...orderItems(typed)]
}

/** The changed items with their index in the form. Untouched ones keep someone else's changes. */
function changedItems(form: Form) {
  return fieldsNamed(form, 'kept').flatMap((item_id, at) => {
    const text = field(form, `kept.${at}.quantity`)
    return text === field(form, `kept.${at}.was`) ? [] : [{ at, item_id, text }]
  })
}

/** Maps an index of the API's items to the field in the form. */
function toEditField(name: string, form: Form): string {
  if (name.startsWith('discount_code')) return 'discount_codes'
  const [, at, part = ''] = /^items\.(\d+)(\..*)?$/.exec(name) ?? []
  if (at === undefined) return name
  const itemChanges = changedItems(form)
  const own = itemChanges[Number(at)]
  return own ? `kept.${own.at}.quantity` : toItemField(`items.${Number(at) - itemChanges.length}${part}`, form)
}

function keptLines(context: PageContext, { items }: Order): Html {
  const { t } = context
  return html`<fieldset class="pick"><legend>${t('edit_items')}</legend>
<div class="lines">${items.map((item, at) => keptLine(context, item, at))}</div>
${renderFieldFault('items', context.rejection?.faults.items)}</fieldset>`
}

function keptLine(context: PageContext, item: Order['items'][number], at: number): Html {
  const { t, price, form, rejection, dryRunResult } = context
  const { id, quantity, unit_price, fulfilled_quantity, refunded_quantity, returned_quantity } = item
  const name = `kept.${at}.quantity`
  const isSent = rejection !== null || dryRunResult !== undefined
  const was = isSent ? field(form, `kept.${at}.was`) || String(quantity) : String(quantity)
  const value = isSent ? field(form, name) : String(quantity)
  const count = fulfilled_quantity + refunded_quantity - returned_quantity
  return html`<div class="line">${hidden('kept', id)}${hidden(`kept.${at}.was`, was)}
<label for="${name}"><span class="hidden">${t('quantity')} </span>${formatItemTitle(item)}
<small>${price(unit_price)} · ${t('edit_at_least', { count })}</small></label>
${renderCell(context, { name, value, inputmode: 'numeric', class: 'number', size: 4 })}</div>`
}
