// The screen that creates a return of an order.
import { maxItems } from '../../../../commerce/orders/item.ts'
import { order, type Order } from '../../../../commerce/orders/order.ts'
import type { Return } from '../../../../commerce/returns/return.ts'
import { namePiece, readPieceKey, toPieceKey } from '../../../../commerce/orders/parts.ts'
import { listReturnablePieces, readReturnable, type ReturnablePiece } from '../../../../commerce/returns/returnable.ts'
import { undoneStatuses } from '../../../../commerce/orders/states.ts'
import { html } from 'hono/html'
import { toUuid } from '../../../../kit/values/ids.ts'
import { endpoint } from '../../../framework/api.ts'
import { readNumber } from '../../../assets/numbers.ts'
import { renderCell } from '../../../framework/cell.ts'
import { placeBelow } from '../../../framework/placement.ts'
import { record } from '../../../framework/record.ts'
import type { PageContext, ScreenAction, Html } from '../../../framework/screen.ts'
import { partsLine } from '../address.ts'
import { orders } from '../orders.ts'
import { returnReasons } from '../../../../commerce/returns/states.ts'
import { field, fieldsNamed, type Form } from '../../../../platform/pages/form.ts'
import { aboutField, attributes, renderFieldFault, hidden } from '../../../../platform/pages/parts.ts'

const create: ScreenAction = {
  route: endpoint('POST /orders/{id}/returns'),
  inputs: [
    { name: 'instructions', label: 'return_instructions', as: 'area', rows: 3, hint: 'return_instructions_hint' },
  ],
  body: (context: PageContext) => ({ status: 'approved', items: returnedLines(context) }),
  fieldOf: toReturnLineField,
  done: 'return_created',
  to: ({ id }: Return) => `/returns/${id}`,
}

// prettier-ignore
export const newReturnScreen = record({
  path: '/orders/{id}/return', ...placeBelow(orders), within: { path: '/orders/{id}', title: 'order' },
  scope: 'write:orders', title: 'return_new', resource: order, more: withReturnable, isUnlisted: true,
  limits: { fields: maxItems * 4 + 20, bytes: 512 * 1024 },
  actions: { create },
  name: ({ order_number }, { t }) => `${t('return_new')} #${order_number}`,
  main: [
    { when: ({ lines }) => lines.length === 0, content: ({ t }) => html`<p>${t('return_not_now')}</p>` },
    { when: ({ lines }) => lines.length > 0, form: {
      act: 'create', button: 'return_new',
      lead: (context, { lines }) => html`<p class="hint">${context.t('return_new_text')}</p>
${lineInputs(context, lines)}`,
    } },
  ],
})

/** Adds the lines of which units can be returned. */
async function withReturnable({ db, store, ids }: PageContext, one: Order) {
  const returnable = await readReturnable(db, store, ids.id!, db.clock.now())
  const remaining = new Map(returnable.items.map((item) => [item.id, item]))
  const items = undoneStatuses.includes(one.status) ? [] : one.items
  const lines = items.flatMap((item): ReturnableLine[] => {
    const left = remaining.get(toUuid('item', item.id)!)
    return left ? listReturnablePieces(left).map((piece) => ({ ...piece, item })) : []
  })
  return { ...one, lines }
}

// The items of an order in the form that returns some of them: units, a reason and a comment each.

/** Lines with units, each with its index in the form. */
function chosenLines(form: Form): { at: number; text: string; line: object }[] {
  return fieldsNamed(form, 'item_id').flatMap((key, at) => {
    const text = field(form, `items.${at}.quantity`)
    if (text === '' || text === '0') return []
    const [reason, note] = [field(form, `items.${at}.reason`), field(form, `items.${at}.note`)]
    return { at, text, line: { ...readPieceKey(key), ...(reason ? { reason } : {}), ...(note ? { note } : {}) } }
  })
}

/** The `items` of the body. */
function returnedLines({ form, language }: PageContext): object[] {
  return chosenLines(form).map(({ line, text }) => ({ ...line, quantity: readNumber(text, language) }))
}

/** Maps an index of the body to the field in the form. */
function toReturnLineField(name: string, form: Form): string {
  const lines = chosenLines(form)
  return name.replace(
    /^items\.(\d+)(?:\.(\w+))?$/,
    (_, index: string, part = 'quantity') =>
      `items.${lines[Number(index)]?.at ?? index}.${part === 'item_id' ? 'quantity' : part}`,
  )
}

type ReturnableLine = ReturnablePiece & { item: Order['items'][number] }

function lineInputs(context: PageContext, lines: readonly ReturnableLine[]): Html {
  const { t, form, rejection } = context
  const readTyped = (name: string) => (rejection ? field(form, name) : '')
  const rows = lines.map(({ item, part, max }, at) => {
    const [units, reason, note] = [`items.${at}.quantity`, `items.${at}.reason`, `items.${at}.note`]
    const fault = rejection?.faults[reason]
    const options = returnReasons.map(
      (one) => html`<option value="${one}"${attributes({ selected: readTyped(reason) === one })}>
${t(`return_reason_${one}`)}</option>`,
    )
    return html`<fieldset class="part"><legend>${namePiece(item, part)}
<small>${t('at_most', { count: max })}</small>${part === null ? partsLine(item.parts) : ''}</legend>
<div class="fields">${hidden('item_id', toPieceKey(item.id, part))}
<div class="field half"><label for="${units}">${t('return_units')}</label>
${renderCell(context, { name: units, value: readTyped(units), inputmode: 'numeric', class: 'number' })}</div>
<div class="field half"><label for="${reason}">${t('return_why')}</label>
<select id="${reason}" name="${reason}"${aboutField(reason, { fault })}>
<option value=""></option>${options}</select>${renderFieldFault(reason, fault)}</div>
<div class="field"><label for="${note}">${t('return_note')}</label>
${renderCell(context, { name: note, value: readTyped(note), maxlength: 500 })}</div></div></fieldset>`
  })
  return html`${rows}${renderFieldFault('items', rejection?.faults.items)}`
}
