// Reads options and variants from the product's form. A value that replaces another on its line renames it. Variants of
// a removed value are removed too. A new value may be typed beside its variant.
import { countryIn } from '../../framework/choices.ts'
import { parseShown, readTruth, type InputTerms, type Truths } from '../../framework/customfields.ts'
import { readFormBody } from '../../framework/formbody.ts'
import { readNumber } from '../../assets/numbers.ts'
import type { Form } from '../../../platform/pages/form.ts'
import { field } from '../../../platform/pages/form.ts'
import type { Product } from '../../../commerce/catalog/product.ts'
import { maxOptions, variant } from '../../../commerce/catalog/variant.ts'

/** The fields of a variant in its row, except the stock. */
const rowFields = [
  'sku',
  'barcode',
  'weight',
  'requires_shipping',
  'country_of_origin',
  'hs_code',
  'price',
  'compare_price',
  'unit_pricing_measure',
  'manage_inventory',
  'low_stock_threshold',
  'continue_selling_when_out_of_stock',
  'available_on',
  'image',
] as const

/** The types of the table's custom fields, its language and words for yes and no, for reading what is typed. */
export function describeFields(custom: readonly InputTerms[], truths: Truths, language: string): string {
  return JSON.stringify({ types: Object.fromEntries(custom.map(({ key, type }) => [key, type])), truths, language })
}

type FieldWords = { types: Record<string, string>; truths: Truths; language: string }

function readFieldWords(form: Form): FieldWords {
  return { types: {}, truths: ['', ''], language: 'en', ...parseShown(field(form, 'variant_fields')) }
}

/** The values that differ from those the row was shown with. */
function changedValues(form: Form, at: number, words: FieldWords): { custom_fields?: Record<string, unknown> } {
  const { types, truths, language } = words
  const was = parseShown(field(form, `variants.${at}.custom_was`))
  const changes = Object.entries(types).flatMap(([key, type]) => {
    const text = field(form, `variants.${at}.custom_fields.${key}`).trim()
    const value =
      text === ''
        ? null
        : type === 'number'
          ? readNumber(text, language)
          : type === 'boolean'
            ? readTruth(truths, text)
            : text
    return value === (was[key] ?? null) ? [] : [[key, value] as const]
  })
  return changes.length > 0 ? { custom_fields: Object.fromEntries(changes) } : {}
}

type OptionRowInput = { at: number; id: string; title: string; values: string[]; was: string[] }
type VariantRowInput = {
  at: number | null
  id: string
  values: string[]
  stock?: unknown
  fields: Record<string, unknown>
}
export type VariantsInput = { options: OptionRowInput[]; rows: VariantRowInput[]; stocks: string[][] }

const items = { properties: { variants: { type: 'array', items: variant.patch.schema } } }

/** Returns the row numbers of fields such as `variants.7.sku`, in the form's order. */
export function listRowNumbers(form: Form, name: string): number[] {
  const numbers = Object.keys(form).flatMap((key) => {
    const [list, at] = key.split('.')
    return list === name && /^\d{1,5}$/.test(at ?? '') ? [Number(at)] : []
  })
  return [...new Set(numbers)]
}

export function optionsIn(form: Form): OptionRowInput[] {
  return Array.from({ length: maxOptions }, (_, at) => ({
    at,
    id: field(form, `options.${at}.id`),
    title: field(form, `options.${at}.title`),
    values: splitUniqueLines(field(form, `options.${at}.values`)),
    was: splitUniqueLines(field(form, `options.${at}.was`)),
  }))
}

function splitUniqueLines(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  return [...new Set(lines.filter(Boolean))]
}

export function variantsInput(form: Form): VariantsInput {
  const all = optionsIn(form)
  const options = all.filter(({ title, values }) => title !== '' || values.length > 0)
  const stocks: string[][] = []
  const rows = listRowNumbers(form, 'variants').flatMap((at): VariantRowInput[] => {
    const row = rowIn(form, at, options)
    if (row?.id) stocks.push([row.id, field(form, `variants.${at}.stock_quantity`)])
    return row && field(form, `variants.${at}.gone`) === '' && addValues(row, options) ? [row] : []
  })
  const isFewer = all.some((option) => option.was.length > 0 && !options.includes(option))
  const remaining = options.length === 0 ? [] : isFewer ? uniqueRows(rows) : rows
  const combinations = field(form, 'combine') === '1' ? missingCombinations(remaining, options) : []
  return {
    options,
    rows: combinations.length > 0 ? sortRows([...remaining, ...combinations], options) : remaining,
    stocks: stocks.sort(),
  }
}

/** Returns null for an empty row of a new variant. */
function rowIn(form: Form, at: number, options: OptionRowInput[]): VariantRowInput | null {
  const id = field(form, `variants.${at}.id`)
  const texts = options.map((option) => field(form, `variants.${at}.value.${option.at}`))
  if (id === '' && texts.every((value) => value === '')) return null
  const values = options.map((option, index) => renamedValue(option, texts[index]!) || (option.values[0] ?? ''))
  const names = rowFields.map((name) => ({ name: `variants.${at}.${name}` }))
  const stock = { name: `variants.${at}.stock_quantity` }
  const words = readFieldWords(form)
  const read = readFormBody(form, [...names, stock], items, { timezone: 'UTC', language: words.language }) as {
    variants?: Record<string, unknown>[]
  }
  const { stock_quantity, ...fields } = read.variants?.[at] ?? {}
  const { country_of_origin: country } = fields
  if (typeof country === 'string') fields.country_of_origin = countryIn(country)
  const shipped = field(form, `variants.${at}.requires_shipping`).trim()
  fields.requires_shipping = shipped === '' ? null : readTruth(words.truths, shipped)
  const isSame = field(form, stock.name) === field(form, `variants.${at}.stock_was`)
  Object.assign(fields, changedValues(form, at, words))
  return { at, id, values, fields, ...(isSame ? {} : { stock: stock_quantity }) }
}

function renamedValue({ values, was }: OptionRowInput, value: string): string {
  const line = was.indexOf(value)
  const next = values[line]
  const isRename = line >= 0 && values.length === was.length && !values.includes(value) && !was.includes(next!)
  return isRename ? next! : value
}

/** Adds a new variant's values to the options. Returns false if the row has a removed value. */
function addValues({ id, values }: VariantRowInput, options: OptionRowInput[]): boolean {
  return values.every((value, index) => {
    const option = options[index]!
    if (option.values.includes(value)) return true
    if (id === '' && value !== '') option.values.push(value)
    return id === '' || !option.was.includes(value)
  })
}

const buildValuesKey = (values: readonly string[]) => JSON.stringify(values)

function uniqueRows(rows: VariantRowInput[]): VariantRowInput[] {
  return [...new Map(rows.toReversed().map((row) => [buildValuesKey(row.values), row])).values()].toReversed()
}

function missingCombinations(rows: VariantRowInput[], options: OptionRowInput[]): VariantRowInput[] {
  const existing = new Set(rows.map(({ values }) => buildValuesKey(values)))
  const all = options.reduce<string[][]>(
    (combinations, { values }) =>
      combinations.flatMap((before) => values.map((value) => [...before, value])).slice(0, 1001),
    options.length > 0 ? [[]] : [],
  )
  const missing = all.filter((values) => !existing.has(buildValuesKey(values)))
  return missing.map((values) => ({ at: null, id: '', values, fields: {} }))
}

function sortRows(rows: VariantRowInput[], options: OptionRowInput[]): VariantRowInput[] {
  const place = ({ values }: VariantRowInput) =>
    values.reduce((sum, value, index) => sum * 101 + options[index]!.values.indexOf(value), 0)
  return rows.toSorted((a, b) => place(a) - place(b))
}

/** The API's body. `stocks` is not part of it; it holds the stock that the form showed. */
export function variantsBody({ options, rows, stocks }: VariantsInput) {
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

/** The variants as the product's unchanged form would send them. */
export function toVariantsBody({ options, variants }: Pick<Product, 'options' | 'variants'>) {
  const titles = options.map(({ title }) => title)
  return {
    options: options.map(({ id, title, values }) => ({ id, title, values })),
    variants: variants.map((row, position) => ({
      id: row.id,
      option_values: titles.map((title) => ({ option_title: title, value: valueAt(row, title) })),
      position,
      ...Object.fromEntries(rowFields.map((name) => [name, row[name]])),
    })),
    stocks: variants.map((one) => [one.id, shownStock(one)]).sort(),
  }
}

/** A bundle has the stock of its parts; empty without a limit. */
export function shownStock({ bundle_items, bundle_stock, stock_quantity }: Product['variants'][number]): string {
  return String(bundle_items === null ? stock_quantity : (bundle_stock ?? ''))
}

export function valueAt({ option_values }: Pick<Product['variants'][number], 'option_values'>, title: string): string {
  return option_values.find(({ option_title }) => option_title === title)?.value ?? ''
}

/** Maps a field of the API's body to the field of the form. */
export function toVariantField(name: string, form: Form): string {
  const [list, index, ...rest] = name.split('.')
  if (index === undefined || (list !== 'variants' && list !== 'options')) return name
  const input = variantsInput(form)
  const at = (list === 'variants' ? input.rows : input.options)[Number(index)]?.at ?? null
  if (at === null) return list
  const own = rest[0] === 'custom_fields' ? rest.slice(0, 2) : rest.slice(0, 1)
  const part = rest[0] === undefined || rest[0] === 'option_values' ? '' : `.${own.join('.')}`
  return `${list}.${at}${part}`
}
