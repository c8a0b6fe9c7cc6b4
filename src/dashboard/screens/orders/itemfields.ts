// The items of a manual order: search results and quantities. All of it is in the form, so nothing is lost when the
// form is shown again.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { product, type Product } from '../../../commerce/catalog/product.ts'
import { field, fieldsNamed, type Form } from '../../../platform/pages/form.ts'
import { attributes, renderFieldFault, hidden } from '../../../platform/pages/parts.ts'
import { readNumber } from '../../assets/numbers.ts'
import { renderCell, type CellProps } from '../../framework/cell.ts'
import type { MessageKey } from '../../framework/messages.ts'
import { iconAlone } from '../../framework/icons.ts'
import { thumbnail } from '../../framework/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'

/** `key` is `product/variant`, or `product` alone. */
type ItemLine = { key: string; quantity: string }

/** A form and the language in which its numbers were typed. */
export type TypedForm = Pick<PageContext, 'form' | 'language'>

const maxItems = 100

function itemLines(form: Form): ItemLine[] {
  return fieldsNamed(form, 'line')
    .slice(0, maxItems)
    .map((key, at) => ({ key, quantity: pickedQuantity(form, at, `items.${at}.quantity`) }))
    .filter(({ quantity }) => quantity !== '' && quantity !== '0')
}

/** The quantity of a line: its buttons add it or remove it. */
export function pickedQuantity(form: Form, at: number, name: string): string {
  const pick = field(form, 'pick')
  if (pick === `drop.${at}`) return ''
  return field(form, name) || (pick === `add.${at}` ? '1' : '')
}

/** Returns `items` of POST /orders. */
export function orderItems({ form, language }: TypedForm): object[] {
  const items = itemLines(form).map(({ key, quantity }) => {
    const [product_id, variant_id] = key.split('/')
    return { product_id, ...(variant_id ? { variant_id } : {}), quantity: readNumber(quantity, language) }
  })
  const name = field(form, 'own.product_name')
  if (name === '') return items
  const [price, count] = [field(form, 'own.unit_price'), field(form, 'own.quantity')]
  return [
    ...items,
    { product_name: name, unit_price: readNumber(price, language), quantity: readNumber(count || '1', language) },
  ]
}

/** Maps an index of the API's items to the field in the form. Lines without a quantity are not shown again. */
export function toItemField(name: string, form: Form): string {
  const [, at, part = ''] = /^items\.(\d+)(?:\.(.*))?$/s.exec(name) ?? []
  if (at === undefined) return name
  const count = itemLines(form).length
  if (Number(at) < count) return `items.${at}.quantity`
  return `own.${part || 'product_name'}`
}

/** `isClosed`: products alone. */
export async function itemFields(
  context: PageContext,
  legend: MessageKey = 'items',
  { isClosed = false } = {},
): Promise<Html> {
  const { t, form } = context
  const lines = itemLines(form)
  const { byKey, others, isNothingFound } = await searchSellables(context, lines)
  const rows = lines.map(({ key, quantity }, at) =>
    renderItemRow(context, byKey.get(key) ?? { key, title: key, note: '', image: null }, quantity, at),
  )
  const results = others.map((sellable, index) =>
    renderItemResult(context, sellable, { key: 'line', name: 'items', at: rows.length + index }),
  )
  return itemPicker(context, { legend: t(legend), isNothingFound, rows, results, isClosed })
}

type SearchedSellables = { byKey: Map<string, Sellable>; others: Sellable[]; isNothingFound: boolean }

/** The form's items and the search results; `others` are results that are not yet items. */
export async function searchSellables(
  context: PageContext,
  lines: readonly { key: string }[],
  { hasChoices = false } = {},
): Promise<SearchedSellables> {
  const search = field(context.form, 'find.items')
  const ids = lines.filter(({ key }) => key !== '').map(({ key }) => key.split('/')[0]!)
  const [sellables, results] = await Promise.all([
    findSellables(context, { ids, hasChoices }),
    search === '' ? null : findSellables(context, { search, hasChoices }),
  ])
  const byKey = new Map(sellables.map((sellable) => [sellable.key, sellable]))
  const others = (results ?? []).filter(({ key }) => !lines.some((line) => line.key === key)).slice(0, maxResults)
  return { byKey, others, isNothingFound: results?.length === 0 }
}

type ItemPickerParts = {
  legend: string
  isNothingFound: boolean
  rows: readonly Html[]
  results: readonly Html[]
  /** The field whose fault it shows. */
  name?: string
  /** True for products alone. */
  isClosed?: boolean
}

/** The items, the search with its results, and the fields of a custom item. */
export function itemPicker(context: PageContext, parts: ItemPickerParts): Html {
  const { legend, isNothingFound, rows, results, name = 'items', isClosed = false } = parts
  const { t, form } = context
  const searchInput = {
    type: 'search',
    id: 'find-items',
    name: 'find.items',
    value: field(form, 'find.items'),
    maxlength: 200,
    autocomplete: 'off',
    placeholder: t('find_items'),
    'data-picks': 'items',
  }
  return html`<form-parts ids="lines results"><fieldset class="pick"><legend>${legend}</legend>
<div class="lines" id="lines">${rows}</div>
<label class="hidden" for="find-items">${t('find_items')}</label>
<div class="searchline"><input${attributes(searchInput)}>
<button class="quiet" name="pick" value="items">${t('search')}</button></div>
<div class="lines" id="results">${results}
<p class="hint" role="status">${isNothingFound ? t('find_none') : ''}</p></div>
${renderFieldFault(name, context.rejection?.faults[name])}
${isClosed ? '' : customItemFields(context)}</fieldset></form-parts>`
}

export type Sellable = { key: string; title: string; note: string; image: string | null }

function renderItemRow(context: PageContext, sellable: Sellable, quantity: string, at: number): Html {
  const name = `items.${at}.quantity`
  const input = { name, value: quantity, inputmode: 'numeric', class: 'number', size: 4 } as const
  return html`<div class="line">${hidden('line', sellable.key)}
<label for="${name}"><span class="hidden">${context.t('quantity')} </span>${renderSellable(context, sellable)}</label>
${renderCell(context, input)}${dropButton(context, sellable, at)}</div>`
}

/** A result of the search, which its button makes an item. */
export function renderItemResult(
  context: PageContext,
  sellable: Sellable,
  { key, name, at }: { key: string; name: string; at: number },
): Html {
  const { t } = context
  const label = `${t('add')}: ${sellable.title}`
  return html`<div class="line">${hidden(key, sellable.key)}${hidden(`${name}.${at}.quantity`, '')}
${renderSellable(context, sellable)}
<button class="quiet" name="pick" value="add.${at}" aria-label="${label}">${t('add')}</button></div>`
}

export function renderSellable({ store }: PageContext, { title, note, image }: Omit<Sellable, 'key'>): Html {
  return html`<span class="thing">${thumbnail(image, store.id)}<span>${title} <small>${note}</small></span></span>`
}

export function dropButton({ t }: PageContext, { title }: Pick<Sellable, 'title'>, at: number): Html {
  const label = `${t('remove')}: ${title}`
  return html`<button class="link" name="pick" value="drop.${at}">${iconAlone('close', label)}</button>`
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

/** In place of a variant: all of them, for shoppers to choose from. */
export const anyVariant = '*'

/** Finds products without variants, and each variant of the others; with choices, these as a whole too. */
async function findSellables(
  { db, store, t, price }: PageContext,
  { ids, search, hasChoices }: { ids?: string[]; search?: string; hasChoices: boolean },
): Promise<Sellable[]> {
  const uuids = (ids ?? []).map((id) => toUuid('prod', id)).filter((id) => id !== null)
  if (ids && uuids.length === 0) return []
  const query = { page: 1, per_page: ids ? maxItems : maxResults, sort: 'name', order: 'asc' } as const
  const conditions = ids ? [sql`products.id = any(${uuids}::uuid[])`] : []
  const parameters = { ...query, status: ids ? 'all' : 'active', ...(search ? { search } : {}) }
  const { data } = await entityPage(db, product, store, parameters, ...conditions)
  const formatNote = (amount: number, sku: string | null, stock: number | null) =>
    [price(amount), sku, stock === null ? null : t('in_stock_count', { count: stock })].filter(Boolean).join(' · ')
  return data.flatMap((one: Product) => {
    const { id, name, sku, track_inventory, stock_quantity, bundle_stock, main_image, variants } = one
    if (variants.length === 0)
      return {
        key: id,
        title: name,
        note: formatNote(one.price, sku, track_inventory ? stock_quantity : bundle_stock),
        image: main_image,
      }
    const choice = {
      key: `${id}/${anyVariant}`,
      title: t('bundle_choice', { name }),
      note: t('variants_count', { count: variants.length }),
      image: main_image,
    }
    const all = variants.map((variant) => ({
      key: `${id}/${variant.id}`,
      title: `${name} · ${variant.title}`,
      note: formatNote(
        variant.price ?? one.price,
        variant.sku,
        variant.manage_inventory ? variant.stock_quantity : variant.bundle_stock,
      ),
      image: variant.image ?? main_image,
    }))
    return hasChoices ? [choice, ...all] : all
  })
}
