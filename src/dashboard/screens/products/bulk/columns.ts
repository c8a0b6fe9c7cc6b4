// The rows and columns of the grid. A row is a product, or a variant below its product.
import { maxBulkRows, productCells, variantCells } from '../../../../commerce/catalog/bulkfields.ts'
import { product, type Product } from '../../../../commerce/catalog/product.ts'
import { sql, type Sql } from '../../../../kit/database/sql.ts'
import { entityPage } from '../../../../kit/declare/page.ts'
import { tagsIn } from '../../../../kit/declare/tags.ts'
import { toUuid } from '../../../../kit/values/ids.ts'
import { amountText } from '../../../../kit/values/money.ts'
import { countryIn } from '../../../framework/choices.ts'
import { readFilterQuery } from '../../../framework/filters.ts'
import { numberIn } from '../../../framework/formbody.ts'
import { messageOr } from '../../../framework/messages.ts'
import type { Choices, PageContext } from '../../../framework/screen.ts'
import { categoryChoices, pathSign } from '../fields.ts'
import { filters } from '../filters.ts'

export const columns = [
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
  'country_of_origin',
  'hs_code',
  'unit_pricing_measure',
  'stock_quantity',
  'available_on',
] as const satisfies readonly (typeof productCells)[number][]
export type CellName = (typeof columns)[number]
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
export const numbers: readonly CellName[] = [...amounts, 'weight', 'stock_quantity']

export type RowKind = 'products' | 'variants'
export type CellValue = string | number | string[] | null
/** `title`: the name below the product's. */
export type GridRow = {
  kind: RowKind
  id: string
  name: string
  title: string
  values: Partial<Record<CellName, CellValue>>
}

/** The maximum of one call. */
export const maxRows = maxBulkRows

/** A product with variants has no stock of its own. */
export function buildGridRows(record: Product): GridRow[] {
  const { id, name, variants } = record
  const own = columns.filter((column) => variants.length === 0 || column !== 'stock_quantity')
  const pickCellValues = (from: object, names: readonly CellName[]) =>
    Object.fromEntries(names.map((column) => [column, (from as Record<CellName, CellValue>)[column]]))
  const ofVariant = columns.filter((column) => (variantCells as readonly string[]).includes(column))
  return [
    { kind: 'products', id, name, title: name, values: pickCellValues(record, own) },
    ...variants.map((one): GridRow => {
      const { id, title } = one
      return { kind: 'variants', id, name: `${name} · ${title}`, title, values: pickCellValues(one, ofVariant) }
    }),
  ]
}

/** The columns of the grid that the address names. */
export function listChosenColumns({ here }: Pick<PageContext, 'here'>): readonly CellName[] {
  const names = new URL(here, 'http://here').searchParams.getAll('columns')
  const chosen = columns.filter((column) => names.includes(column))
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
export async function allRows(context: PageContext): Promise<GridRow[] | null> {
  const { query } = readFilterQuery(context, product, filters)
  const rows: GridRow[] = []
  for (let page = 1; ; page++) {
    const read = { ...query, page, per_page: productsOfRead }
    const { data, pagination } = await entityPage(context.db, product, context.store, read, ...narrowToTicked(context))
    if (pagination.total > maxRows) return null
    rows.push(...data.flatMap(buildGridRows))
    if (rows.length > maxRows) return null
    if (page >= pagination.total_pages) return rows
  }
}

export type Words = { categories: Choices; statuses: Choices; currency: string }

export async function loadGridWords(context: PageContext): Promise<Words> {
  const { store, t } = context
  return {
    currency: store.currency,
    categories: await categoryChoices(context),
    statuses: (['active', 'draft', 'archived'] as const).map((status) => [status, t(`product_status_${status}`)]),
  }
}

function choicesIn({ categories, statuses }: Words, column: CellName): Choices | null {
  return column === 'category_id' ? categories : column === 'product_status' ? statuses : null
}

/** The text of a cell, shown and edited. */
export function formatCellValue(words: Words, column: CellName, value: CellValue | undefined): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.join(', ')
  if (amounts.includes(column) && typeof value === 'number') return amountText(value, words.currency)
  return choicesIn(words, column)?.find(([id]) => id === value)?.[1] ?? String(value)
}

/** Passes invalid input on as typed, so that the API reports it. */
export function valueIn(words: Words, column: CellName, input: string): CellValue {
  const text = input.trim()
  if (column === 'tags') return tagsIn(text)
  if (text === '') return null
  if (numbers.includes(column)) return amountIn(text)
  if (column === 'country_of_origin') return countryIn(text)
  const isSame = (one: string) => one.toLowerCase() === text.toLowerCase()
  // The names of categories are unique, so the last of a path is enough.
  const isNamed = (name: string) => isSame(name) || isSame(name.split(pathSign).at(-1)!)
  return choicesIn(words, column)?.find(([id, name]) => isNamed(name) || isSame(id))?.[0] ?? text
}

/** Spreadsheets copy amounts with currency and thousands separators. */
function amountIn(text: string): number | string {
  const bare = text.replaceAll(/[\s\p{Sc}]/gu, '')
  const last = Math.max(bare.lastIndexOf('.'), bare.lastIndexOf(','))
  const isGrouped = bare.includes('.') && bare.includes(',')
  const whole = isGrouped ? `${bare.slice(0, last).replaceAll(/[.,]/g, '')}.${bare.slice(last + 1)}` : bare
  const value = numberIn(whole)
  return typeof value === 'number' ? value : text
}

export function formatColumnTitle({ t }: PageContext, column: CellName): string {
  return messageOr(t, column, column)
}
