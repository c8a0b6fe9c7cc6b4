// The parts of a bundle in the product's form: a quantity of each, and a search for more. A part with all its variants
// is a choice of the shoppers: the bundle has a variant for each combination. Parts of variants have their own page.
import { html } from 'hono/html'
import { sql } from '../../../kit/database/sql.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { findBundleParts, withStoredItems } from '../../../commerce/catalog/bundle.ts'
import { product, type Product } from '../../../commerce/catalog/product.ts'
import { maxVariants } from '../../../commerce/catalog/variant.ts'
import { formatParts } from '../../../commerce/orders/parts.ts'
import { field, fieldsNamed, type Form } from '../../../platform/pages/form.ts'
import { hidden } from '../../../platform/pages/parts.ts'
import { readNumber } from '../../assets/numbers.ts'
import { renderCell } from '../../framework/cell.ts'
import { fields, getFormRejection, type FormProps } from '../../framework/form.ts'
import { foldedPanel } from '../../framework/parts.ts'
import type { Html, PageContext } from '../../framework/screen.ts'
import {
  anyVariant,
  dropButton,
  itemPicker,
  pickedQuantity,
  renderItemResult,
  renderSellable,
  searchSellables,
  type Sellable,
  type TypedForm,
} from '../orders/itemfields.ts'
import { inputs } from './fields.ts'

/** `key` is `product/variant`, or `product` alone. */
type PartLine = { key: string; quantity: string }

// One more than a bundle may have, so that the form says so.
const maxLines = 31

const nameOf = (at: number) => `bundle_items.${at}.quantity`

export function partLines(form: Form): PartLine[] {
  return fieldsNamed(form, 'part')
    .slice(0, maxLines)
    .map((key, at) => ({ key, quantity: pickedQuantity(form, at, nameOf(at)) }))
    .filter(({ quantity }) => quantity !== '' && quantity !== '0')
}

/** `bundle_items` of a product or a variant; null if there are none. */
export function readBundleItems({ form, language }: TypedForm): FormItem[] | null {
  const items = partLines(form).map(({ key, quantity }) => {
    const [product_id = '', variant_id = null] = key.split('/')
    const count = readNumber(quantity, language)
    return { product_id, variant_id: variant_id === anyVariant ? null : variant_id, quantity: count }
  })
  return items.length > 0 ? items : null
}

type FormItem = { product_id: string; variant_id: string | null; quantity: string | number }

/** The same as a body of the product: choices become its options and variants, unless the form has some. */
export async function bundleBody(context: PageContext, { hasVariants }: { hasVariants: boolean }): Promise<object> {
  const { db, store, form } = context
  const bundle_items = readBundleItems(context)
  const ids = partLines(form).flatMap(({ key }) => (key.endsWith(`/${anyVariant}`) ? key.split('/')[0]! : []))
  if (hasVariants || bundle_items === null || ids.length === 0) return { bundle_items }
  const found = await entityPage(
    db,
    product,
    store,
    { page: 1, per_page: maxLines, sort: 'name', order: 'asc', status: 'all' },
    sql`products.id = any(${ids.flatMap((id) => toUuid('prod', id) ?? [])}::uuid[])`,
  )
  const chosen = ids.flatMap((id) => found.data.find((one) => one.id === id) ?? [])
  return { bundle_items: null, ...combineChoices(bundle_items, chosen) }
}

type Chosen = Pick<Product, 'id' | 'name' | 'options' | 'variants'>

/** Options and variants of a bundle: a variant for each combination of the products' variants. */
function combineChoices(items: readonly FormItem[], chosen: readonly Chosen[]) {
  const titles = chosen.flatMap(({ options }) => options.map(({ title }) => title))
  const nameOption = ({ name }: Chosen, title: string) =>
    titles.filter((one) => one === title).length > 1 ? `${name}: ${title}`.slice(0, 255) : title
  const options = chosen.flatMap((one) =>
    one.options.map(({ title, values }) => ({ title: nameOption(one, title), values })),
  )
  const combinations = chosen.reduce<Map<string, Product['variants'][number]>[]>(
    (all, one) =>
      all.flatMap((before) => one.variants.map((own) => new Map(before).set(one.id, own))).slice(0, maxVariants + 1),
    [new Map()],
  )
  const variants = combinations.map((own) => ({
    option_values: chosen.flatMap((one) =>
      own
        .get(one.id)!
        .option_values.map(({ option_title, value }) => ({ option_title: nameOption(one, option_title), value })),
    ),
    bundle_items: items.map((item) => ({
      ...item,
      variant_id: item.variant_id ?? own.get(item.product_id)?.id ?? null,
    })),
  }))
  return { options, variants }
}

/** True if the price is left to the parts. The API asks for one, which theirs replaces. */
export function isPricedByParts(form: Form): boolean {
  return field(form, 'price') === '' && field(form, 'bundle_discount_percentage') !== '' && partLines(form).length > 0
}

export type FollowedColumn = 'stock_quantity' | 'price'

/** What of a product or a variant follows from its parts, so that nobody edits it. */
export function listFollowed(
  { bundle_discount_percentage: discount }: Pick<Product, 'bundle_discount_percentage'>,
  { bundle_items }: Pick<Product, 'bundle_items'>,
): FollowedColumn[] {
  if (bundle_items === null) return []
  return discount === null ? ['stock_quantity'] : ['stock_quantity', 'price']
}

/** Shows the fault of a part at its quantity: variants that the form makes have its lines. */
export function toBundleField(name: string): string {
  return name
    .replace(/^variants\.\d+\.(?=bundle_items)/, '')
    .replace(/^bundle_items\.(\d+)\..*$/, (_, at: string) => nameOf(Number(at)))
}

/** Open for a bundle, and as long as the form is searched or rejected. Any other product has a button that opens it. */
export async function bundlePanel(context: PageContext, props: FormProps, record: Product | null): Promise<Html> {
  if (record && record.variants.length > 0) return variantsPanel(context, props, record)
  const { t, form } = context
  const rejection = getFormRejection(context, props)
  const lines = rejection ? partLines(form) : (record?.bundle_items ?? []).map(toPartLine)
  const hint = html`<p class="hint">${t('bundle_hint')}</p>`
  const isOpen = lines.length > 0 || field(form, 'pick') !== '' || 'bundle_items' in (rejection?.faults ?? {})
  if (!isOpen) {
    const content = html`${hint}<button class="quiet" name="pick" value="items">${t('products_add')}</button>`
    return foldedPanel(t('bundle'), content, { isOpen })
  }
  const left = record?.bundle_stock
  const stock = left == null ? '' : html`<p class="hint">${t('bundle_stock_count', { count: left })}</p>`
  const content = html`${hint}${await partPicker(context, lines, { hasChoices: true })}${stock}
${await fields(context, props, inputs.bundle)}`
  return foldedPanel(t('bundle'), content, { isOpen })
}

/** The variants that are bundles, each with a link to its parts. */
async function variantsPanel(context: PageContext, props: FormProps, record: Product): Promise<Html> {
  const { t, base } = context
  const bundles = record.variants.filter(({ bundle_items }) => bundle_items !== null)
  const texts = await describeParts(context, bundles)
  const page = `${base}/products/${record.id}/parts`
  const rows = bundles.map(({ id, title, bundle_stock: left }, index) => {
    const stock = left === null ? '' : html`<br><small>${t('bundle_stock_count', { count: left })}</small>`
    return html`<li><a class="main" href="${page}?variant=${id}">${title}</a>
<span class="hint">${texts[index]}${stock}</span></li>`
  })
  const content = html`<p class="hint">${t('bundle_variants_hint')}</p>
${rows.length > 0 ? html`<ul class="rows">${rows}</ul>${await fields(context, props, inputs.bundle)}` : ''}
<p><a class="button quiet" href="${page}">${t('bundle_parts_choose')}</a></p>`
  const isRefused = 'bundle_discount_percentage' in (getFormRejection(context, props)?.faults ?? {})
  return foldedPanel(t('bundle'), content, { isOpen: bundles.length > 0 || isRefused })
}

/** The parts of each as text; empty where it is not a bundle. */
export async function describeParts(
  { db, store }: PageContext,
  bundles: readonly Pick<Product['variants'][number], 'bundle_items'>[],
): Promise<string[]> {
  const { variants } = withStoredItems({ bundle_items: null, variants: [...bundles] })
  const parts = await findBundleParts(
    db,
    store.id,
    variants.map(({ bundle_items }) => bundle_items),
  )
  return parts.map((one) => formatParts(one ?? []))
}

/** The lines of parts, and the search for more. `hasChoices`: shoppers can choose among all variants of a part. */
export async function partPicker(
  context: PageContext,
  lines: readonly PartLine[],
  { hasChoices = false } = {},
): Promise<Html> {
  const { t, ids } = context
  const { byKey, others, isNothingFound } = await searchSellables(context, lines, { hasChoices })
  const rows = lines.map(({ key, quantity }, at) => {
    return renderPart(context, byKey.get(key) ?? { key, title: t('gone_part'), note: '', image: null }, quantity, at)
  })
  const results = others
    .filter(({ key }) => toUuid('prod', key.split('/')[0]!) !== ids.id)
    .map((sellable, index) =>
      renderItemResult(context, sellable, { key: 'part', name: 'bundle_items', at: rows.length + index }),
    )
  return itemPicker(context, {
    legend: t('bundle_items'),
    name: 'bundle_items',
    isNothingFound,
    rows,
    results,
    isClosed: true,
  })
}

export function toPartLine({
  product_id,
  variant_id,
  quantity,
}: NonNullable<Product['bundle_items']>[number]): PartLine {
  return { key: [product_id, variant_id].filter(Boolean).join('/'), quantity: String(quantity) }
}

function renderPart(context: PageContext, sellable: Sellable, quantity: string, at: number): Html {
  const name = nameOf(at)
  const input = { name, value: quantity, inputmode: 'numeric', class: 'number', size: 4 } as const
  return html`<div class="line">${hidden('part', sellable.key)}
<label for="${name}"><span class="hidden">${context.t('quantity')} </span>${renderSellable(context, sellable)}</label>
${renderCell(context, input)}${dropButton(context, sellable, at)}</div>`
}
