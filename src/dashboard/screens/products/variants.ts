// Options and variants as the product's form says them. A value that takes the place of another in its line is the same
// value renamed; variants of a value that is gone go too; a new value may be typed beside its variant.
import { bodyOf } from '../../framework/formbody.ts'
import type { Form } from '../../../platform/pages/form.ts'
import { field } from '../../../platform/pages/form.ts'
import type { Product } from '../../../commerce/catalog/product.ts'
import { maximumOptions, variant } from '../../../commerce/catalog/variant.ts'

/** What a row of the form has of a variant beside its stock. */
const rowFields = [
  'sku',
  'price',
  'compare_price',
  'manage_inventory',
  'low_stock_threshold',
  'continue_selling_when_out_of_stock',
  'image',
] as const

type OptionTyped = { at: number; id: string; title: string; values: string[]; was: string[] }
type RowTyped = { at: number | null; id: string; values: string[]; stock?: unknown; fields: Record<string, unknown> }
export type Typed = { options: OptionTyped[]; rows: RowTyped[]; stocks: string[][] }

const items = { properties: { variants: { type: 'array', items: variant.patch.schema } } }

/** The numbers of the rows of a form, in its order: `variants.7.sku` */
export function rowsOf(form: Form, name: string): number[] {
  const numbers = Object.keys(form).flatMap((key) => {
    const [list, at] = key.split('.')
    return list === name && /^\d{1,5}$/.test(at ?? '') ? [Number(at)] : []
  })
  return [...new Set(numbers)]
}

export function optionsIn(form: Form): OptionTyped[] {
  return Array.from({ length: maximumOptions }, (_, at) => ({
    at,
    id: field(form, `options.${at}.id`),
    title: field(form, `options.${at}.title`),
    values: linesOf(field(form, `options.${at}.values`)),
    was: linesOf(field(form, `options.${at}.was`)),
  }))
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  return [...new Set(lines.filter(Boolean))]
}

export function typedIn(form: Form): Typed {
  const all = optionsIn(form)
  const options = all.filter(({ title, values }) => title !== '' || values.length > 0)
  const stocks: string[][] = []
  const rows = rowsOf(form, 'variants').flatMap((at): RowTyped[] => {
    const row = rowIn(form, at, options)
    if (row?.id) stocks.push([row.id, field(form, `variants.${at}.stock_quantity`)])
    return row && field(form, `variants.${at}.gone`) === '' && addValues(row, options) ? [row] : []
  })
  const isFewer = all.some((option) => option.was.length > 0 && !options.includes(option))
  const kept = options.length === 0 ? [] : isFewer ? onceEach(rows) : rows
  const made = field(form, 'combine') === '1' ? missingOf(kept, options) : []
  return { options, rows: made.length > 0 ? inOrder([...kept, ...made], options) : kept, stocks: stocks.sort() }
}

/** Null where nothing was typed into a row for one more. */
function rowIn(form: Form, at: number, options: OptionTyped[]): RowTyped | null {
  const id = field(form, `variants.${at}.id`)
  const typed = options.map((option) => field(form, `variants.${at}.value.${option.at}`))
  if (id === '' && typed.every((value) => value === '')) return null
  const values = options.map((option, index) => renamed(option, typed[index]!) || (option.values[0] ?? ''))
  const names = rowFields.map((name) => ({ name: `variants.${at}.${name}` }))
  const stock = { name: `variants.${at}.stock_quantity` }
  const read = bodyOf(form, [...names, stock], items, { timezone: 'UTC' }) as { variants?: Record<string, unknown>[] }
  const { stock_quantity, ...fields } = read.variants?.[at] ?? {}
  const isSame = field(form, stock.name) === field(form, `variants.${at}.stock_was`)
  return { at, id, values, fields, ...(isSame ? {} : { stock: stock_quantity }) }
}

function renamed({ values, was }: OptionTyped, value: string): string {
  const line = was.indexOf(value)
  const next = values[line]
  const isRename = line >= 0 && values.length === was.length && !values.includes(value) && !was.includes(next!)
  return isRename ? next! : value
}

/** What is typed beside a new variant becomes a value; whether the row has values that there are. */
function addValues({ id, values }: RowTyped, options: OptionTyped[]): boolean {
  return values.every((value, index) => {
    const option = options[index]!
    if (option.values.includes(value)) return true
    if (id === '' && value !== '') option.values.push(value)
    return id === '' || !option.was.includes(value)
  })
}

const keyOf = (values: readonly string[]) => JSON.stringify(values)

function onceEach(rows: RowTyped[]): RowTyped[] {
  return [...new Map(rows.toReversed().map((row) => [keyOf(row.values), row])).values()].toReversed()
}

function missingOf(rows: RowTyped[], options: OptionTyped[]): RowTyped[] {
  const there = new Set(rows.map(({ values }) => keyOf(values)))
  const all = options.reduce<string[][]>(
    (made, { values }) => made.flatMap((before) => values.map((value) => [...before, value])).slice(0, 1001),
    options.length > 0 ? [[]] : [],
  )
  const missing = all.filter((values) => !there.has(keyOf(values)))
  return missing.map((values) => ({ at: null, id: '', values, fields: {} }))
}

function inOrder(rows: RowTyped[], options: OptionTyped[]): RowTyped[] {
  const place = ({ values }: RowTyped) =>
    values.reduce((sum, value, index) => sum * 101 + options[index]!.values.indexOf(value), 0)
  return rows.toSorted((a, b) => place(a) - place(b))
}

/** As the API's body has them. `stocks` is no field of it: it says which stock the form was made for. */
export function variantsBody({ options, rows, stocks }: Typed) {
  return {
    options: options.map(({ id, title, values }) => ({ ...(id ? { id } : {}), title, values })),
    variants: rows.map((row, position) => ({
      ...(row.id ? { id: row.id } : {}),
      option_values: options.map(({ title }, index) => ({ option_title: title, value: row.values[index]! })),
      position,
      ...row.fields,
      ...(row.stock === undefined ? {} : { stock_quantity: row.stock }),
    })),
    stocks,
  }
}

/** The same of a product, as its untouched form would say it. */
export function variantsShown({ options, variants }: Pick<Product, 'options' | 'variants'>) {
  const titles = options.map(({ title }) => title)
  return {
    options: options.map(({ id, title, values }) => ({ id, title, values })),
    variants: variants.map((row, position) => ({
      id: row.id,
      option_values: titles.map((title) => ({ option_title: title, value: valueAt(row, title) })),
      position,
      ...Object.fromEntries(rowFields.map((name) => [name, row[name]])),
    })),
    stocks: variants.map(({ id, stock_quantity }) => [id, String(stock_quantity)]).sort(),
  }
}

export function valueAt({ option_values }: Pick<Product['variants'][number], 'option_values'>, title: string): string {
  return option_values.find(({ option_title }) => option_title === title)?.value ?? ''
}

/** Where a fault that the API finds at its place of the body stands in the form. */
export function variantFieldOf(name: string, form: Form): string {
  const [list, index, ...rest] = name.split('.')
  if (index === undefined || (list !== 'variants' && list !== 'options')) return name
  const typed = typedIn(form)
  const at = (list === 'variants' ? typed.rows : typed.options)[Number(index)]?.at ?? null
  if (at === null) return list
  const part = rest[0] === undefined || rest[0] === 'option_values' ? '' : `.${rest[0]}`
  return `${list}.${at}${part}`
}
