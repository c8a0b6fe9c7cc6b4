// The rows of a file as a product with its variants and images.
import { createHash } from 'node:crypto'
import { buildSlug } from '../../../kit/values/slug.ts'
import { product } from '../../../commerce/catalog/product.ts'
import { rowFields } from './fields.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { CheckTime } from './kind.ts'
import { getFirstValue, isExported, put, type Draft, type MappedRow } from './record.ts'
import { applySale } from './sale.ts'

/** A variant that stands for a product without options. */
const noOptions = ['default title', 'default', 'regular']
const optionPlaces = [1, 2, 3]
export const maxImages = 50

export function productDraft(rows: readonly MappedRow[], { now }: Pick<CheckTime, 'now'>, store: Store): Draft {
  const made: Draft = { input: {}, places: new Map(), notes: [] }
  const variantRows = rows.filter((row) => isVariant(row, rows))
  const first = rows[0]!
  for (const field of new Set(rows.flatMap(({ values }) => [...values.keys()]))) {
    if (!(field in product.fields) || field in rowFields) continue
    const found = getFirstValue(rows, field)!
    put(made, field, found, found.number)
  }
  putHandle(made, rows)
  publish(made, rows)
  const own =
    variantRows.length > 0 ? rows.filter((row) => !variantRows.includes(row) && row.values.has('name')) : [first]
  putRowFields(made, own.length > 0 ? own : [], (field) => field)
  if (variantRows.length > 0) putVariants(made, variantRows, rows)
  putSales(made, rows, variantRows, { now, store })
  putImages(made, rows, variantRows)
  putDescription(made, rows)
  for (const field of ['category', 'collections', 'tag']) {
    const all = rows.flatMap(({ values }) => [values.get(field)?.value ?? []].flat())
    if (all.length > 0) made.input[field] = [...new Set(all)]
  }
  const { tag, ...input } = made.input
  made.input = tag ? { ...input, tags: [...new Set([...(input.tags ?? []), ...tag])] } : input
  made.completeNew = () => {
    nameProduct(made, rows)
    sharePrice(made.input)
  }
  return made
}

function isVariant({ values }: MappedRow, rows: readonly MappedRow[]): boolean {
  const type = values.get('row_type')?.value
  if (type !== undefined) return String(type).includes('variation')
  const value = values.get('option1_value')?.value
  if (value === undefined) return values.has('sku') && rows.filter((row) => row.values.has('sku')).length > 1
  const isAlone = rows.filter((row) => row.values.has('option1_value')).length === 1
  return !(isAlone && noOptions.includes(String(value).toLowerCase()))
}

const maxSlugLength = Number(product.fields.slug.spec.schema.maxLength)

/** The handle of another system is the slug, unless slugs have another form; then it is kept beside it. */
function putHandle(made: Draft, rows: readonly MappedRow[]): void {
  const found = getFirstValue(rows, 'handle')
  if (!found || made.input.slug !== undefined) return
  const handle = String(found.value)
  const slug = buildSlug(handle, createHash('sha256').update(handle).digest('hex'), maxSlugLength)
  put(made, 'slug', { ...found, value: slug }, found.number)
  if (slug !== handle) made.input.handle = handle
}

/** What is not published in the other system does not become public here. */
function publish({ input }: Draft, rows: readonly MappedRow[]): void {
  const published = getFirstValue(rows, 'published')
  const isPublic = published === undefined || published.value === true
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

function putRowFields(made: Draft, rows: readonly MappedRow[], nameOf: (field: string) => string): void {
  for (const field of Object.keys(rowFields).filter((name) => name in product.fields)) {
    const found = getFirstValue(rows, field)
    if (found) put(made, nameOf(field), found, found.number)
  }
  followStock(made, made.input, rows[0], { tracked: 'track_inventory', continues: 'continue_selling' })
}

/** A row with stock is tracked if the file does not say otherwise. Stock below zero is none, if that is not allowed. */
function followStock(
  { notes }: Draft,
  target: Record<string, any>,
  row: MappedRow | undefined,
  { tracked, continues }: { tracked: string; continues: string },
): void {
  const { stock_quantity: stock } = target
  if (!row || typeof stock !== 'number') return
  if (target[tracked] === undefined && !row.values.has('track_inventory')) target[tracked] = true
  if (stock >= 0 || target[continues] === true) return
  target.stock_quantity = 0
  const column = row.values.get('stock_quantity')?.column ?? null
  notes.push({ number: row.number, column, message: `A stock of ${stock} is imported as 0` })
}

function putVariants(made: Draft, variantRows: readonly MappedRow[], rows: readonly MappedRow[]): void {
  const names = optionPlaces.map((n) => getFirstValue(rows, `option${n}_name`)?.value)
  delete made.input.stock_quantity
  made.input.variants = variantRows.map((row, index) => {
    const { number, values } = row
    const at = `variants.${index}`
    const target: Record<string, any> = {}
    const option_values = optionPlaces.flatMap((n) => {
      const value = values.get(`option${n}_value`)
      if (!value) return []
      made.places.set(`${at}.option_values.${n - 1}`, { number, column: value.column })
      return [
        { option_title: String(names[n - 1] ?? (n === 1 ? 'Variant' : `Option ${n}`)), value: String(value.value) },
      ]
    })
    made.places.set(at, { number, column: values.get('option1_value')?.column ?? null })
    for (const [field, name] of Object.entries(rowFields)) {
      const found = values.get(field)
      if (found) put(made, `${at}.${name}`, found, number, target)
    }
    const title = values.get('variant_title')
    if (title && isExported(rows)) put(made, `${at}.title`, title, number, target)
    else if (title && option_values.length === 0)
      option_values.push({ option_title: 'Variant', value: String(title.value) })
    const image = values.get('image')
    if (image) put(made, `${at}.image`, image, number, target)
    followStock(made, target, row, { tracked: 'manage_inventory', continues: 'continue_selling_when_out_of_stock' })
    return { option_values, ...target }
  })
  addValues(made.input)
  if (made.input.variants.some((one: { manage_inventory?: boolean }) => one.manage_inventory)) {
    made.input.track_inventory ??= true
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
  made: Draft,
  rows: readonly MappedRow[],
  variantRows: readonly MappedRow[],
  place: { now: Date; store: Store },
): void {
  const first = rows.find((row) => !variantRows.includes(row))
  if (first) applySale(made, made.input, first, place)
  variantRows.forEach((row, index) => applySale(made, made.input.variants[index], row, place))
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

function putImages(made: Draft, rows: readonly MappedRow[], variantRows: readonly MappedRow[]): void {
  const gallery: { url: string; alt_text?: string; poster?: unknown }[] = []
  const isExact = isExported(rows)
  for (const row of rows) {
    const { number, values } = row
    const alt = values.get('image_alt')?.value
    const poster = values.get('image_poster')?.value
    for (const field of ['image_url', 'images']) {
      const found = values.get(field)
      if (!found) continue
      for (const url of [found.value].flat().map(String)) {
        if (!isExact && gallery.some((one) => one.url === url)) continue
        made.places.set(`gallery.${gallery.length}`, { number, column: found.column })
        const parts = { ...(alt ? { alt_text: String(alt).slice(0, 500) } : {}), ...(poster ? { poster } : {}) }
        gallery.push({ url, ...(field === 'image_url' ? parts : {}) })
      }
      const place = variantRows.indexOf(row)
      if (place >= 0 && field === 'images') made.input.variants[place].image ??= [found.value].flat()[0]
    }
  }
  if (gallery.length > maxImages) {
    const { number, column } = made.places.get(`gallery.${maxImages}`)!
    made.notes.push({ number, column, message: `Only the first ${maxImages} images of a product are imported` })
  }
  if (gallery.length > 0) made.input.gallery = gallery.slice(0, maxImages)
}

function putDescription({ input, places }: Draft, rows: readonly MappedRow[]): void {
  const short = getFirstValue(rows, 'short_description')
  if (!short || input.description !== undefined) return
  input.description = short.value
  places.set('description', { number: short.number, column: short.column })
}
