// The items of a draft order in its form: a quantity, and a price if it differs from the product's. The form
// contains the product search, so it keeps everything that was typed.
import { html } from 'hono/html'
import type { DraftItem } from '../../../../commerce/draftorders/draftorder.ts'
import { getCurrencyExponent } from '../../../../kit/values/money.ts'
import { field, fieldsNamed, type Form } from '../../../../platform/pages/form.ts'
import { hidden } from '../../../../platform/pages/parts.ts'
import { formatNumber, readNumber } from '../../../assets/numbers.ts'
import { renderCell } from '../../../framework/cell.ts'
import type { Html, PageContext } from '../../../framework/screen.ts'
import { formatItemTitle } from '../address.ts'
import {
  dropButton,
  itemPicker,
  orderItems,
  pickedQuantity,
  renderItemResult,
  renderSellable,
  searchSellables,
  toItemField,
  type Sellable,
  type TypedForm,
} from '../itemfields.ts'

/** `key` is `product/variant` or `product`; empty for a custom item, which has a name. */
type DraftLine = { key: string; name: string; quantity: string; price: string }

const maxLines = 500
/** Each line has four fields. */
export const limits = { fields: 4 * maxLines + 200, bytes: 256 * 1024 }

const part = (at: number, name: string) => `lines.${at}.${name}`

function linesIn(form: Form): DraftLine[] {
  return fieldsNamed(form, 'key')
    .slice(0, maxLines)
    .map((key, at) => ({
      key,
      name: field(form, part(at, 'name')),
      quantity: pickedQuantity(form, at, part(at, 'quantity')),
      price: field(form, part(at, 'price')),
    }))
    .filter(({ quantity }) => quantity !== '' && quantity !== '0')
}

/** Returns `items` of a draft order: the lines with a quantity, then a custom item that is added. */
export function draftItems(typed: TypedForm): object[] {
  const { form, language } = typed
  return [...linesIn(form).map((line) => toDraftItem(line, language)), ...orderItems(typed)]
}

function toDraftItem({ key, name, quantity, price }: DraftLine, language: string): object {
  const [product_id, variant_id = null] = key.split('/')
  const unit_price = price === '' ? null : readNumber(price, language)
  const goods = key === '' ? { product_name: name } : { product_id, variant_id }
  return { ...goods, quantity: readNumber(quantity, language), unit_price }
}

/** Maps an index of the API's items to the field in the form. */
export function toDraftField(name: string, form: Form): string {
  const [, at, of = ''] = /^items\.(\d+)(?:\.(.*))?$/s.exec(name) ?? []
  if (at === undefined) return name
  const count = linesIn(form).length
  if (Number(at) >= count) return toItemField(`items.${Number(at) - count}${of && `.${of}`}`, form)
  return part(Number(at), of === 'unit_price' ? 'price' : 'quantity')
}

/** `items` are the record's, which the submitted form replaces. */
export async function draftItemFields(context: PageContext, items: readonly DraftItem[] = []): Promise<Html> {
  const { t, form } = context
  const isSent = fieldsNamed(form, 'key').length > 0 || field(form, 'act') !== ''
  const lines = isSent ? linesIn(form) : items.map((item) => toDraftLine(item, context))
  const { byKey, others, isNothingFound } = await searchSellables(context, lines)
  const rows = lines.map((line, at) => renderDraftRow(context, line, byKey.get(line.key), at))
  const results = others.map((sellable, index) =>
    renderItemResult(context, sellable, { key: 'key', name: 'lines', at: rows.length + index }),
  )
  return itemPicker(context, { legend: t('items'), isNothingFound, rows, results })
}

function toDraftLine(item: DraftItem, { store, language }: PageContext): DraftLine {
  const { product_id, variant_id, product_name, quantity, unit_price } = item
  const key = product_id ? [product_id, variant_id].filter(Boolean).join('/') : ''
  const name = product_id ? formatItemTitle({ ...item, product_name: product_name ?? '' }) : (product_name ?? '')
  const decimals = getCurrencyExponent(store.currency)
  const price = unit_price === null ? '' : formatNumber(unit_price, language, decimals)
  return { key, name, quantity: String(quantity), price }
}

/** A custom item has a name instead of a product. */
function renderDraftRow(context: PageContext, line: DraftLine, sellable: Sellable | undefined, at: number): Html {
  const { t } = context
  const { title = line.name, note = '', image = null } = sellable ?? {}
  const quantity = part(at, 'quantity')
  return html`<div class="line priced">${hidden('key', line.key)}${hidden(part(at, 'name'), line.name)}
<label for="${quantity}"><span class="hidden">${t('quantity')} </span>
${renderSellable(context, { title, note, image })}</label>
${renderCell(context, { name: quantity, value: line.quantity, inputmode: 'numeric', class: 'number', size: 4 })}
${renderCell(context, {
  name: part(at, 'price'),
  value: line.price,
  inputmode: 'decimal',
  class: 'number',
  size: 8,
  placeholder: t('draft_own_price'),
  'aria-label': `${t('draft_own_price')}: ${title}`,
})}${dropButton(context, { title }, at)}</div>`
}
