// The rows of a file as a product with its variants and images.
import { createHash } from 'node:crypto'
import { Decimal } from '../../../kit/values/money.ts'
import { buildSlug } from '../../../kit/values/slug.ts'
import { product } from '../../../commerce/catalog/product.ts'
import { putCustomValues } from './customcolumns.ts'
import { rowFields } from './fields.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { CheckTime } from './kind.ts'
import { remark, rowNotes } from './notes.ts'
import { getFirstValue, isExported, listCells, put, type Draft, type MappedRow } from './record.ts'
import { arrangeRows, isVariationRow, listOptionNames, readOptions } from './productrows.ts'
import { putImages } from './productimages.ts'
import { applySale } from './sale.ts'
import { settleShipping, shareShipping } from './shipping.ts'
import { followStock } from './stock.ts'
import { nameOfCategory } from './cells.ts'

/** A variant that stands for a product without options. */
const noOptions = ['default title', 'default', 'default variant', 'regular']

export function productDraft(fileRows: readonly MappedRow[], { now, matchBy }: CheckTime, store: Store): Draft {
  const draft: Draft = { input: {}, places: new Map(), notes: [] }
  const rows = arrangeRows(fileRows)
  const variantRows = rows.filter((row) => isVariant(row, rows))
  // A row of a variation says nothing of the product.
  const ownRows = rows.filter((row) => !isVariationRow(row))
  for (const field of new Set(ownRows.flatMap(({ values }) => [...values.keys()]))) {
    if (!(field in product.fields) || field in rowFields) continue
    const first = getFirstValue(ownRows, field)!
    put(draft, field, first, first.number)
  }
  putCustomValues(draft, listCells(ownRows))
  putHandle(draft, rows)
  publish(draft, ownRows)
  const own =
    variantRows.length > 0 ? rows.filter((row) => !variantRows.includes(row) && row.values.has('name')) : [rows[0]!]
  putRowFields(draft, own)
  if (variantRows.length > 0) putVariants(draft, variantRows, rows)
  putSales(draft, rows, variantRows, { now, store })
  putImages(draft, rows, variantRows)
  putDescription(draft, ownRows)
  for (const field of ['category', 'collections', 'tag']) {
    const all = ownRows.flatMap(({ values }) => [values.get(field)?.value ?? []].flat())
    if (all.length > 0) draft.input[field] = [...new Set(all)]
  }
  noteOtherCategories(draft, ownRows)
  const { tag, ...input } = draft.input
  draft.input = tag ? { ...input, tags: [...new Set([...(input.tags ?? []), ...tag])] } : input
  const parent = ownRows.length === 0 ? getFirstValue(rows, 'parent_row') : undefined
  if (parent) put(draft, 'parent_row', parent, parent.number)
  draft.completeNew = () => {
    if (matchBy === 'auto') nameProduct(draft, ownRows)
    sharePrice(draft.input)
    shareShipping(draft.input)
  }
  return draft
}

function isVariant(row: MappedRow, rows: readonly MappedRow[]): boolean {
  const { values } = row
  if (rows.some((one) => one.values.has('row_type'))) return isVariationRow(row)
  const value =
    values.get('option1_value')?.value ?? values.get('option2_value')?.value ?? values.get('variant_title')?.value
  const count = (fields: string[]) => rows.filter((one) => fields.some((field) => one.values.has(field))).length
  if (value === undefined) return values.has('sku') && count(['sku']) > 1
  const isAlone = count(['option1_value', 'option2_value', 'variant_title']) === 1
  return !(isAlone && noOptions.includes(String(value).toLowerCase()))
}

const maxSlugLength = Number(product.fields.slug.spec.schema.maxLength)

/** The handle of another system is the slug, unless slugs have another form; then it is kept beside it. */
function putHandle(draft: Draft, rows: readonly MappedRow[]): void {
  const cell = getFirstValue(rows, 'handle')
  if (!cell || draft.input.slug !== undefined) return
  const handle = String(cell.value)
  const slug = buildSlug(handle, createHash('sha256').update(handle).digest('hex'), maxSlugLength)
  put(draft, 'slug', { ...cell, value: slug }, cell.number)
  if (slug !== handle) draft.input.handle = handle
}

/** What is not published in the other system does not become public here. */
function publish({ input }: Draft, rows: readonly MappedRow[]): void {
  const publishedCell = getFirstValue(rows, 'published')
  const isPublic = publishedCell === undefined || publishedCell.value === true
  if (!isPublic && (input.product_status ?? 'active') === 'active') input.product_status = 'draft'
}

/** A new product without a name is called by its slug. A row that has only an SKU is about a product that exists. */
function nameProduct({ input, places }: Draft, rows: readonly MappedRow[]): void {
  if (input.name !== undefined) return
  const other = getFirstValue(rows, 'slug') ?? getFirstValue(rows, 'handle')
  if (!other) return
  input.name = String(other.value)
  places.set('name', { number: other.number, column: other.column })
}

function putRowFields(draft: Draft, rows: readonly MappedRow[]): void {
  for (const field of Object.keys(rowFields).filter((name) => name in product.fields)) {
    const cell = getFirstValue(rows, field)
    if (cell) put(draft, field, cell, cell.number)
  }
  if (rows[0]) followStock(draft, draft.input, rows[0], 'product')
}

function putVariants(draft: Draft, variantRows: readonly MappedRow[], rows: readonly MappedRow[]): void {
  const names = new Map(listOptionNames(rows))
  delete draft.input.stock_quantity
  draft.input.variants = variantRows.map((row, index) => {
    const { number, values } = row
    const at = `variants.${index}`
    const target: Record<string, any> = {}
    const { options: option_values, isAny } = readOptions(row, names)
    option_values.forEach((_, place) => {
      const column = (values.get(`option${place + 1}_value`) ?? values.get(`option${place + 1}_name`))?.column ?? null
      draft.places.set(`${at}.option_values.${place}`, { number, column })
    })
    if (isAny) draft.notes.push(remark({ number, column: null }, rowNotes.any_option))
    draft.places.set(at, { number, column: values.get('option1_value')?.column ?? null })
    for (const [field, name] of Object.entries(rowFields)) {
      const cell = values.get(field)
      if (cell) put(draft, `${at}.${name}`, cell, number, target)
    }
    putCustomValues(draft, listCells([row]), { prefix: 'variant_custom_fields.', at: `${at}.`, target })
    const title = values.get('variant_title')
    if (title && isExported(rows)) put(draft, `${at}.title`, title, number, target)
    else if (title && option_values.length === 0)
      option_values.push({ option_title: 'Variant', value: String(title.value) })
    const surcharge = values.get('surcharge')?.value
    if (typeof surcharge === 'number' && typeof draft.input.price === 'number')
      target.price = Number(new Decimal(draft.input.price).plus(surcharge))
    const image = values.get('image')
    if (image) put(draft, `${at}.image`, image, number, target)
    followStock(draft, target, row, 'variant')
    return { option_values, ...target }
  })
  settleShipping(draft, variantRows, rows)
  addValues(draft.input)
  if (draft.input.variants.some((one: { manage_inventory?: boolean }) => one.manage_inventory)) {
    draft.input.track_inventory ??= true
    // Others of the product have as much as is asked for.
    for (const one of draft.input.variants) if (one.stock_quantity === undefined) one.manage_inventory ??= false
  }
}

/** Options that the file names get the values of variants that it adds. */
function addValues({ options, variants }: Record<string, any>): void {
  if (!Array.isArray(options)) return
  for (const { option_title, value } of variants.flatMap((one: any) => one.option_values)) {
    const values = options.find((one) => one?.title === option_title)?.values
    if (Array.isArray(values) && !values.includes(value)) values.push(value)
  }
}

function putSales(
  draft: Draft,
  rows: readonly MappedRow[],
  variantRows: readonly MappedRow[],
  place: { now: Date; store: Store },
): void {
  const first = rows.find((row) => !variantRows.includes(row))
  if (first) applySale(draft, draft.input, first, place)
  variantRows.forEach((row, index) => applySale(draft, draft.input.variants[index], row, place))
}

/** With variants, the product's own price is the lowest of them, unless it has one; those with this price follow it. */
export function sharePrice(input: Record<string, any>): void {
  const prices = (input.variants ?? [])
    .map(({ price }: { price: unknown }) => price)
    .filter((price: unknown) => typeof price === 'number')
  if (input.price !== undefined || prices.length === 0) return
  input.price = Math.min(...prices)
  for (const one of input.variants) if (one.price === input.price && one.compare_price === undefined) one.price = null
}

/** A product has one category, and any number of collections: the others are collections. */
function noteOtherCategories({ input, notes }: Draft, rows: readonly MappedRow[]): void {
  const [category = '', ...others] = ((input.category ?? []) as string[]).map(nameOfCategory)
  if (others.length === 0) return
  const { number, column } = getFirstValue(rows, 'category')!
  const names = others.join(', ').slice(0, 1000)
  notes.push(remark({ number, column }, rowNotes.other_categories, { category, names }))
}

/** The short description comes before the other one. */
function putDescription({ input, places }: Draft, rows: readonly MappedRow[]): void {
  const short = getFirstValue(rows, 'short_description')
  if (!short || String(input.description ?? '').includes(String(short.value))) return
  input.description = [short.value, ...(input.description === undefined ? [] : [input.description])].join('\n\n')
  places.set('description', { number: short.number, column: short.column })
}
