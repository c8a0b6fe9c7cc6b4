// The parts of a bundle in the product's form: a quantity of each, and a search for more.
import { html } from 'hono/html'
import { toUuid } from '../../../kit/values/ids.ts'
import type { Product } from '../../../commerce/catalog/product.ts'
import { field, fieldsNamed, type Form } from '../../../platform/pages/form.ts'
import { hidden } from '../../../platform/pages/parts.ts'
import { renderCell } from '../../framework/cell.ts'
import { fields, getFormRejection, type FormProps } from '../../framework/form.ts'
import { foldedPanel } from '../../framework/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import {
  dropButton,
  itemPicker,
  numberIn,
  pickedQuantity,
  renderItemResult,
  renderSellable,
  searchSellables,
  type Sellable,
} from '../orders/itemfields.ts'
import { inputs } from './fields.ts'

/** `key` is `product/variant`, or `product` alone. */
type PartLine = { key: string; quantity: string }

// One more than a bundle may have, so that the form says so.
const maxLines = 31

const nameOf = (at: number) => `bundle_items.${at}.quantity`

function partLines(form: Form): PartLine[] {
  return fieldsNamed(form, 'part')
    .slice(0, maxLines)
    .map((key, at) => ({ key, quantity: pickedQuantity(form, at, nameOf(at)) }))
    .filter(({ quantity }) => quantity !== '' && quantity !== '0')
}

/** `bundle_items` of a product; null if there are none. */
export function bundleBody(form: Form): object[] | null {
  const items = partLines(form).map(({ key, quantity }) => {
    const [product_id, variant_id = null] = key.split('/')
    return { product_id, variant_id, quantity: numberIn(quantity) }
  })
  return items.length > 0 ? items : null
}

/** Shows the fault of a part at its quantity. */
export function toBundleField(name: string): string {
  return name.replace(/^bundle_items\.(\d+)\..*$/, (_, at: string) => nameOf(Number(at)))
}

/** Open for a bundle, and as long as the form is searched or rejected. Any other product has a button that opens it. */
export async function bundlePanel(context: PageContext, props: FormProps, record: Product | null): Promise<Html> {
  const { t, form } = context
  const rejection = getFormRejection(context, props)
  const lines = rejection ? partLines(form) : (record?.bundle_items ?? []).map(toPartLine)
  const hint = html`<p class="hint">${t('bundle_hint')}</p>`
  const isOpen = lines.length > 0 || field(form, 'pick') !== '' || 'bundle_items' in (rejection?.faults ?? {})
  if (!isOpen) {
    const content = html`${hint}<button class="quiet" name="pick" value="items">${t('products_add')}</button>`
    return foldedPanel(t('bundle'), content, { isOpen })
  }
  const { byKey, others, isNothingFound } = await searchSellables(context, lines)
  const rows = lines.map(({ key, quantity }, at) => {
    return renderPart(context, byKey.get(key) ?? { key, title: t('gone_part'), note: '', image: null }, quantity, at)
  })
  const results = others
    .filter(({ key }) => toUuid('prod', key.split('/')[0]!) !== context.ids.id)
    .map((sellable, index) =>
      renderItemResult(context, sellable, { key: 'part', name: 'bundle_items', at: rows.length + index }),
    )
  const left = record?.bundle_stock
  const stock = left == null ? '' : html`<p class="hint">${t('bundle_stock_count', { count: left })}</p>`
  const picker = itemPicker(context, {
    legend: t('bundle_items'),
    name: 'bundle_items',
    isNothingFound,
    rows,
    results,
    isClosed: true,
  })
  const content = html`${hint}${picker}${stock}
${await fields(context, props, inputs.bundle)}`
  return foldedPanel(t('bundle'), content, { isOpen })
}

function toPartLine({ product_id, variant_id, quantity }: NonNullable<Product['bundle_items']>[number]): PartLine {
  return { key: [product_id, variant_id].filter(Boolean).join('/'), quantity: String(quantity) }
}

function renderPart(context: PageContext, sellable: Sellable, quantity: string, at: number): Html {
  const name = nameOf(at)
  const input = { name, value: quantity, inputmode: 'numeric', class: 'number', size: 4 } as const
  return html`<div class="line">${hidden('part', sellable.key)}
<label for="${name}"><span class="hidden">${context.t('quantity')} </span>${renderSellable(context, sellable)}</label>
${renderCell(context, input)}${dropButton(context, sellable, at)}</div>`
}
