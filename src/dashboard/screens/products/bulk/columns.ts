// The rows and columns of the grid. A row is a product, or a variant below its product.
import { maxBulkRows, productCells, variantCells } from '../../../../commerce/catalog/bulkfields.ts'
import { product, type Product } from '../../../../commerce/catalog/product.ts'
import type { Variant } from '../../../../commerce/catalog/variant.ts'
import { sql, type Sql } from '../../../../kit/database/sql.ts'
import { entityPage } from '../../../../kit/declare/page.ts'
import { tagsIn } from '../../../../kit/declare/tags.ts'
import { toUuid } from '../../../../kit/values/ids.ts'
import { getCurrencyExponent } from '../../../../kit/values/money.ts'
import { formatNumber, readNumber } from '../../../assets/numbers.ts'
import { countryIn } from '../../../framework/choices.ts'
import {
  formatTruth,
  listCustomFields,
  readTruth,
  truthsIn,
  type InputTerms,
  type Truths,
} from '../../../framework/customfields.ts'
import { readFilterQuery } from '../../../framework/filters.ts'
import type { Choices, PageContext } from '../../../framework/screen.ts'
import { fieldName } from '../../audit/fieldnames.ts'
import { listFollowed, type FollowedColumn } from '../bundle.ts'
import { pick } from '../../../../kit/declare/row.ts'
import { categoryChoices, pathSign } from '../fields.ts'
import { filters } from '../filters.ts'

/** Those of every store. */
export const ownColumns = [
  'price',
  'compare_price',
  'supplier_cost',
  'product_status',
  'category_id',
  'brand',
  'tags',
  'sku',
  'barcode',
  'weight',
  'requires_shipping',
  'country_of_origin',
  'hs_code',
  'unit_pricing_measure',
  'stock_quantity',
  'available_on',
] as const satisfies readonly (typeof productCells)[number][]
export type CellName = (typeof ownColumns)[number] | `custom_fields.${string}`
const usualColumns: readonly CellName[] = [
  'price',
  'compare_price',
  'product_status',
  'category_id',
  'tags',
  'sku',
  'stock_quantity',
]
export const amounts: readonly CellName[] = ['price', 'compare_price', 'supplier_cost']
const ownNumbers: readonly CellName[] = [...amounts, 'weight', 'stock_quantity']

/** A custom field of products, of variants, or of both if they have the same key. */
type FieldColumn = Pick<InputTerms, 'label' | 'type' | 'choices'> & { name: CellName; key: string; of: RowKind[] }

export function listColumns({ custom }: Pick<Words, 'custom'>): readonly CellName[] {
  return [...ownColumns, ...custom.map(({ name }) => name)]
}

export function isNumber({ custom }: Pick<Words, 'custom'>, column: CellName): boolean {
  return ownNumbers.includes(column) || custom.some(({ name, type }) => name === column && type === 'number')
}

export type RowKind = 'products' | 'variants'
export type CellValue = string | number | boolean | string[] | null
/** `title`: the name below the product's; `followed`: values that follow the parts of a bundle. */
export type GridRow = {
  kind: RowKind
  id: string
  name: string
  title: string
  values: Partial<Record<CellName, CellValue>>
  followed: Partial<Record<CellName, CellValue>>
}

/** The maximum of one call. */
export const maxRows = maxBulkRows

/** A product with variants has no stock of its own. */
export function buildGridRows(record: Product, { custom }: Pick<Words, 'custom'>): GridRow[] {
  const { id, name, variants, bundle_discount_percentage } = record
  const own = ownColumns.filter((column) => variants.length === 0 || column !== 'stock_quantity')
  const pickCellValues = (from: object, names: readonly CellName[]) =>
    Object.fromEntries(names.map((column) => [column, (from as Record<CellName, CellValue>)[column]]))
  const pickCustomValues = (kind: RowKind, { custom_fields }: Pick<Product, 'custom_fields'>) =>
    Object.fromEntries(
      custom.flatMap((one) => (one.of.includes(kind) ? [[one.name, custom_fields[one.key] ?? null]] : [])),
    )
  const ofVariant = ownColumns.filter((column) => (variantCells as readonly string[]).includes(column))
  const cellsOf = (
    kind: RowKind,
    one: Product | Variant,
    names: readonly CellName[],
    fixed: readonly FollowedColumn[],
  ) => {
    const followed = pick({ stock_quantity: one.bundle_stock, price: one.price }, fixed)
    const edited = names.filter((column) => !(column in followed))
    return { values: { ...pickCellValues(one, edited), ...pickCustomValues(kind, one) }, followed }
  }
  // A product whose variants are bundles costs what the cheapest of them does.
  const fixed = [...listFollowed(record, record), ...(bundle_discount_percentage === null ? [] : (['price'] as const))]
  const whole: GridRow = { kind: 'products', id, name, title: name, ...cellsOf('products', record, own, fixed) }
  return [
    whole,
    ...variants.map((one): GridRow => {
      const { id, title } = one
      const cells = cellsOf('variants', one, ofVariant, listFollowed(record, one))
      return { kind: 'variants', id, name: `${name} · ${title}`, title, ...cells }
    }),
  ]
}

/** The columns of the grid that the address names. */
export function listChosenColumns({ here }: Pick<PageContext, 'here'>, words: Words): readonly CellName[] {
  const names = new URL(here, 'http://here').searchParams.getAll('columns')
  const chosen = listColumns(words).filter((column) => names.includes(column))
  return chosen.length === 0 ? usualColumns : chosen
}

const productsOfRead = 1000

/** Public IDs of the products that were ticked in the list. */
export function listTicked({ here }: Pick<PageContext, 'here'>): string[] {
  return new URL(here, 'http://here').searchParams.getAll('ticked')
}

/** Narrows the filter to the ticked products, if there are any. */
export function narrowToTicked(context: PageContext): Sql[] {
  const ids = listTicked(context)
  return ids.length === 0 ? [] : [sql`products.id = any(${ids.flatMap((id) => toUuid('prod', id) ?? [])}::uuid[])`]
}

/** All rows of the filter; null if there are more than the maximum. */
export async function allRows(context: PageContext, words: Words): Promise<GridRow[] | null> {
  const { query } = readFilterQuery(context, product, filters)
  const rows: GridRow[] = []
  for (let page = 1; ; page++) {
    const read = { ...query, page, per_page: productsOfRead }
    const { data, pagination } = await entityPage(context.db, product, context.store, read, ...narrowToTicked(context))
    if (pagination.total > maxRows) return null
    rows.push(...data.flatMap((one) => buildGridRows(one, words)))
    if (rows.length > maxRows) return null
    if (page >= pagination.total_pages) return rows
  }
}

export type Words = {
  categories: Choices
  statuses: Choices
  truths: Truths
  currency: string
  language: string
  custom: readonly FieldColumn[]
}

export async function loadGridWords(context: PageContext): Promise<Words> {
  const { store, language, t } = context
  const [categories, ofProducts, ofVariants] = await Promise.all([
    categoryChoices(context),
    listCustomFields(context, 'product'),
    listCustomFields(context, 'variant'),
  ])
  return {
    currency: store.currency,
    language,
    categories,
    custom: joinColumns(ofProducts, ofVariants),
    truths: truthsIn(context),
    statuses: (['active', 'draft', 'archived'] as const).map((status) => [status, t(`product_status_${status}`)]),
  }
}

function joinColumns(ofProducts: readonly InputTerms[], ofVariants: readonly InputTerms[]): FieldColumn[] {
  const toColumn = ({ key, label, type, choices }: InputTerms, of: RowKind[]): FieldColumn => {
    return { name: `custom_fields.${key}`, key, label, type, choices, of }
  }
  const isShared = ({ key }: InputTerms) => ofProducts.some((one) => one.key === key)
  const shared = new Set(ofVariants.filter(isShared).map(({ key }) => key))
  return [
    ...ofProducts.map((one) => toColumn(one, shared.has(one.key) ? ['products', 'variants'] : ['products'])),
    ...ofVariants.filter((one) => !isShared(one)).map((one) => toColumn(one, ['variants'])),
  ]
}

export function isTruth({ custom }: Pick<Words, 'custom'>, column: CellName): boolean {
  return column === 'requires_shipping' || custom.some(({ name, type }) => name === column && type === 'boolean')
}

/** Texts that a cell suggests. */
export function listSuggestions(words: Words, column: CellName): readonly string[] {
  if (isTruth(words, column)) return words.truths
  if (column === 'category_id') return words.categories.map(([, name]) => name)
  return words.custom.find(({ name }) => name === column)?.choices ?? []
}

function choicesIn({ categories, statuses, custom }: Words, column: CellName): Choices | null {
  const own = custom.find(({ name }) => name === column)
  if (own?.type === 'choice') return own.choices.map((one) => [one, one])
  return column === 'category_id' ? categories : column === 'product_status' ? statuses : null
}

/** The text of a cell, shown and edited. */
export function formatCellValue(words: Words, column: CellName, value: CellValue | undefined): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.join(', ')
  if (typeof value === 'number') {
    const decimals = amounts.includes(column) ? getCurrencyExponent(words.currency) : 0
    return formatNumber(value, words.language, decimals)
  }
  if (typeof value === 'boolean') return formatTruth(words.truths, value)
  return choicesIn(words, column)?.find(([id]) => id === value)?.[1] ?? String(value)
}

/** Passes invalid input on as typed, so that the API reports it. */
export function valueIn(words: Words, column: CellName, input: string): CellValue {
  const text = input.trim()
  if (column === 'tags') return tagsIn(text)
  if (text === '') return null
  if (isNumber(words, column)) return amountIn(text, words.language)
  if (isTruth(words, column)) return readTruth(words.truths, text)
  if (column === 'country_of_origin') return countryIn(text)
  const isSame = (one: string) => one.toLowerCase() === text.toLowerCase()
  // The names of categories are unique, so the last of a path is enough.
  const isNamed = (name: string) => isSame(name) || isSame(name.split(pathSign).at(-1)!)
  return choicesIn(words, column)?.find(([id, name]) => isNamed(name) || isSame(id))?.[0] ?? text
}

/** Spreadsheets copy amounts with their currency. */
function amountIn(text: string, language: string): number | string {
  const value = readNumber(text.replaceAll(/\p{Sc}/gu, ''), language)
  return typeof value === 'number' ? value : text
}

export function formatColumnTitle({ t }: PageContext, column: CellName, { custom }: Pick<Words, 'custom'>): string {
  return custom.find(({ name }) => name === column)?.label ?? fieldName(t, column)
}
