// The items of an order in the form that edits it: a quantity each.
import { html } from 'hono/html'
import type { Order } from '../../../commerce/orders/order.ts'
import { field, fieldsNamed, type Form } from '../../../platform/pages/form.ts'
import { aboutField, attributes, faultOf, hidden } from '../../../platform/pages/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import { titleOf } from './address.ts'
import { itemFieldOf, orderItems } from './itemfields.ts'

/** Returns `items` of an edit: those with a new quantity, then those to add. */
export function editedItems(form: Form): object[] {
  return [...changedItems(form).map(({ line }) => line), ...orderItems(form)]
}

/** Each with its place in the form. What someone else has changed meanwhile stays unless it is changed here too. */
function changedItems(form: Form) {
  return fieldsNamed(form, 'kept').flatMap((item_id, at) => {
    const text = field(form, `kept.${at}.quantity`)
    const quantity = /^\d+$/.test(text) ? Number(text) : text
    return text === field(form, `kept.${at}.was`) ? [] : [{ at, line: { item_id, quantity } }]
  })
}

/** Maps an index of the API's items to the field in the form. */
export function editFieldOf(name: string, form: Form): string {
  const [, at, part = ''] = /^items\.(\d+)(\..*)?$/.exec(name) ?? []
  if (at === undefined) return name
  const changed = changedItems(form)
  const own = changed[Number(at)]
  return own ? `kept.${own.at}.quantity` : itemFieldOf(`items.${Number(at) - changed.length}${part}`, form)
}

export function keptLines(context: PageContext, { items }: Order): Html {
  const { t } = context
  return html`<fieldset class="pick"><legend>${t('edit_items')}</legend>
<div class="lines">${items.map((item, at) => keptLine(context, item, at))}</div>
${faultOf('items', context.rejection?.faults.items)}</fieldset>`
}

function keptLine(
  { t, price, form, rejection, dryRunResult }: PageContext,
  item: Order['items'][number],
  at: number,
): Html {
  const { id, quantity, unit_price, fulfilled_quantity, refunded_quantity, returned_quantity } = item
  const name = `kept.${at}.quantity`
  const isSent = rejection !== null || dryRunResult !== undefined
  const was = isSent ? field(form, `kept.${at}.was`) || String(quantity) : String(quantity)
  const value = isSent ? field(form, name) : String(quantity)
  const fault = rejection?.faults[name]
  const about = { id: name, name, value, inputmode: 'numeric', class: 'number', autocomplete: 'off', size: 4 }
  const count = fulfilled_quantity + refunded_quantity - returned_quantity
  return html`<div class="line">${hidden('kept', id)}${hidden(`kept.${at}.was`, was)}
<label for="${name}"><span class="hidden">${t('quantity')} </span>${titleOf(item)}
<small>${price(unit_price)} · ${t('edit_at_least', { count })}</small></label>
<input${attributes(about)}${aboutField(name, { fault })}>${faultOf(name, fault)}</div>`
}
