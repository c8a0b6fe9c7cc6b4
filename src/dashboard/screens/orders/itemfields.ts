// The items of a manual order: search results and quantities. All of it is in the form, so nothing is lost when the
// form is shown again.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { product, type Product } from '../../../commerce/catalog/product.ts'
import { field, fieldsNamed, type Form } from '../../../platform/pages/form.ts'
import { attributes, renderFieldFault, hidden } from '../../../platform/pages/parts.ts'
import { renderCell, type CellProps } from '../../framework/cell.ts'
import type { MessageKey } from '../../framework/messages.ts'
import type { Html, PageContext } from '../../framework/screen.ts'

/** `key` is `product/variant`, or `product` alone. */
type ItemLine = { key: string; quantity: string }

const maxItems = 100

function itemLines(form: Form): ItemLine[] {
  return fieldsNamed(form, 'line')
    .slice(0, maxItems)
    .map((key, at) => ({ key, quantity: field(form, `items.${at}.quantity`) }))
    .filter(({ quantity }) => quantity !== '' && quantity !== '0')
}

/** Returns `items` of POST /orders. */
export function orderItems(form: Form): object[] {
  const items = itemLines(form).map(({ key, quantity }) => {
    const [product_id, variant_id] = key.split('/')
    return { product_id, ...(variant_id ? { variant_id } : {}), quantity: numberIn(quantity) }
  })
  const name = field(form, 'own.product_name')
  if (name === '') return items
  const [price, count] = [field(form, 'own.unit_price'), field(form, 'own.quantity')]
  return [
    ...items,
    { product_name: name, unit_price: numberIn(price.replace(',', '.')), quantity: numberIn(count || '1') },
  ]
}

export const numberIn = (text: string) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : text)

/** Maps an index of the API's items to the field in the form. Lines without a quantity are not shown again. */
export function toItemField(name: string, form: Form): string {
  const [, at, part = ''] = /^items\.(\d+)(?:\.(.*))?$/s.exec(name) ?? []
  if (at === undefined) return name
  const count = itemLines(form).length
  if (Number(at) < count) return `items.${at}.quantity`
  return `own.${part || 'product_name'}`
}

export async function itemFields(context: PageContext, legend: MessageKey = 'items'): Promise<Html> {
  const { t, form } = context
  const lines = itemLines(form)
  const { byKey, others, isNothingFound } = await searchSellables(context, lines)
  const rows = [
    ...lines.map(({ key, quantity }) => ({ sellable: byKey.get(key) ?? { key, title: key, note: '' }, quantity })),
    ...others.map((sellable) => ({ sellable, quantity: '' })),
  ]
  const content = rows.map(({ sellable, quantity }, at) => renderItemRow(context, sellable, quantity, at))
  return itemPicker(context, { legend: t(legend), isNothingFound, rows: content })
}

type SearchedSellables = { byKey: Map<string, Sellable>; others: Sellable[]; isNothingFound: boolean }

/** The form's items and the search results; `others` are results that are not yet items. */
export async function searchSellables(
  context: PageContext,
  lines: readonly { key: string }[],
): Promise<SearchedSellables> {
  const search = field(context.form, 'find.items')
  const ids = lines.filter(({ key }) => key !== '').map(({ key }) => key.split('/')[0]!)
  const [sellables, results] = await Promise.all([
    findSellables(context, { ids }),
    search === '' ? null : findSellables(context, { search }),
  ])
  const byKey = new Map(sellables.map((sellable) => [sellable.key, sellable]))
  const others = (results ?? []).filter(({ key }) => !lines.some((line) => line.key === key)).slice(0, maxResults)
  return { byKey, others, isNothingFound: results?.length === 0 }
}

type ItemPickerParts = { legend: string; isNothingFound: boolean; rows: readonly Html[] }

/** The search, the rows, and the fields of a custom item. */
export function itemPicker(context: PageContext, { legend, isNothingFound, rows }: ItemPickerParts): Html {
  const { t, form } = context
  const searchInput = {
    type: 'search',
    id: 'find-items',
    name: 'find.items',
    value: field(form, 'find.items'),
    maxlength: 200,
    autocomplete: 'off',
    placeholder: t('find_items'),
  }
  return html`<fieldset class="pick"><legend>${legend}</legend>
<label class="hidden" for="find-items">${t('find_items')}</label>
<div class="searchline"><input${attributes(searchInput)}>
<button class="quiet" name="pick" value="items">${t('search')}</button></div>
${isNothingFound ? html`<p class="hint" role="status">${t('find_none')}</p>` : ''}
<div class="lines">${rows}</div>
${renderFieldFault('items', context.rejection?.faults.items)}${customItemFields(context)}</fieldset>`
}

export type Sellable = { key: string; title: string; note: string }

function renderItemRow(context: PageContext, { key, title, note }: Sellable, quantity: string, at: number): Html {
  const name = `items.${at}.quantity`
  const input = { name, value: quantity, inputmode: 'numeric', class: 'number', size: 4 } as const
  return html`<div class="line">${hidden('line', key)}
<label for="${name}"><span class="hidden">${context.t('quantity')} </span>
${title} <small>${note}</small></label>${renderCell(context, input, quantity === '' ? '' : undefined)}</div>`
}

function customItemFields(context: PageContext): Html {
  const { t, form, store } = context
  const part = (name: string, label: string, more: Partial<CellProps> = {}) => {
    const input = { id: `own-${name}`, name: `own.${name}`, value: field(form, `own.${name}`), ...more }
    return html`<p class="field half"><label for="own-${name}">${label}</label>${renderCell(context, input)}</p>`
  }
  const isOpen = field(form, 'own.product_name') !== ''
  return html`<details class="more"${attributes({ open: isOpen })}><summary>${t('own_line')}</summary>
<div class="fields">${part('product_name', t('own_line_name'), { maxlength: 200 })}
${part('unit_price', `${t('unit_price')} (${store.currency})`, { inputmode: 'decimal', class: 'number' })}
${part('quantity', t('quantity'), { inputmode: 'numeric', class: 'number' })}</div></details>`
}

const maxResults = 20

/** Finds products without variants, and each variant of the others. */
async function findSellables(
  { db, store, t, price }: PageContext,
  { ids, search }: { ids?: string[]; search?: string },
): Promise<Sellable[]> {
  const uuids = (ids ?? []).map((id) => toUuid('prod', id)).filter((id) => id !== null)
  if (ids && uuids.length === 0) return []
  const query = { page: 1, per_page: ids ? maxItems : maxResults, sort: 'name', order: 'asc' } as const
  const conditions = ids ? [sql`products.id = any(${uuids}::uuid[])`] : []
  const parameters = { ...query, status: ids ? 'all' : 'active', ...(search ? { search } : {}) }
  const { data } = await entityPage(db, product, store, parameters, ...conditions)
  const formatSellableNote = (amount: number, sku: string | null, stock: number | null) =>
    [price(amount), sku, stock === null ? null : t('in_stock_count', { count: stock })].filter(Boolean).join(' · ')
  return data.flatMap((one: Product) => {
    const { id, name, sku, track_inventory, stock_quantity, variants } = one
    if (variants.length === 0)
      return { key: id, title: name, note: formatSellableNote(one.price, sku, track_inventory ? stock_quantity : null) }
    return variants.map((variant) => ({
      key: `${id}/${variant.id}`,
      title: `${name} · ${variant.title}`,
      note: formatSellableNote(
        variant.price ?? one.price,
        variant.sku,
        variant.manage_inventory ? variant.stock_quantity : null,
      ),
    }))
  })
}
