// Rows of a file as the record that they describe. Each value remembers its row and column, so that a fault of the
// record is shown where it came from.
import { parseCountryCode } from '../../../kit/values/countries.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import { listCategories, parseCategories, parseTextsCell, parseCell, parseWeightCell } from './cells.ts'
import type { ToMarkdown } from './markdown.ts'
import { remarkFault, type RowMessage } from './notes.ts'
import { listCellChoices, isRepeatable, getCellType, weightUnits } from './fields.ts'
import { convertPrice, type PriceConversion } from './priceconversion.ts'
import type { FieldRule, ImportKind } from './sources/source.ts'

/** The type of a record's first row in an export. */
const exportedTypes = ['product', 'customer', 'order', 'discount', 'redirect']

/** A column of the file with its field; null: it is left out. `known`: its name in the source. */
/** `cell`: the type of a cell of a custom field. */
export type MappedColumn = FieldRule & { name: string; known?: string; conversion?: PriceConversion; cell?: string }
type FilledColumn = MappedColumn & { field: string }

/** `isFallback`: another column of the row replaces it. */
export type FieldValue = { value: unknown; column: string; isFallback?: true }
export type MappedRow = {
  number: number
  line: number
  values: ReadonlyMap<string, FieldValue>
  /** Columns that say something of the row's value. */
  remarks: readonly MappedColumn[]
  /** True if it has more cells than the header. */
  isTooWide?: boolean
}

/** The input for the API, and the cell that each of its values came from. */
export type Draft = {
  input: Record<string, any>
  places: Map<string, { number: number; column: string | null }>
  /** Remarks that are not errors. */
  notes: RowMessage[]
  /** Completes the input of a record that does not exist yet; an update leaves what it does not name. */
  completeNew?: () => void
}

export type MappingContext = {
  kind: ImportKind
  columns: readonly MappedColumn[]
  isDecimalComma: boolean
  timezone: string
  toMarkdown: ToMarkdown
}

/** Empty cells have no value. */
export function readFieldValues(cells: readonly string[], context: MappingContext): Map<string, FieldValue> {
  const values = new Map<string, FieldValue>()
  context.columns.forEach((any, index) => {
    if (!isFilled(any)) return
    const times = weightUnits[any.field]
    const column = times === undefined ? any : { ...any, field: 'weight', times }
    const cell = cells[index]!
    const input = cellValue(column.as === 'exact' ? cell : unescapeFormula(cell.trim(), column.field), column, context)
    if (input === undefined) return
    const { conversion } = column
    const value = conversion && typeof input === 'number' ? convertPrice(input, conversion) : input
    if (column.also) {
      const also = typeof column.also === 'string' ? { field: column.also } : column.also
      const part = cellValue(cell.trim(), { ...also, name: column.name }, context)
      if (part !== undefined) values.set(also.field, { value: part, column: column.name })
    }
    const found = values.get(column.field)
    if (found && column.isFallback) return
    const before = found?.isFallback ? undefined : found
    if (column.as === 'sum' && typeof before?.value === 'number' && typeof value === 'number') {
      values.set(column.field, { value: before.value + value, column: before.column })
      return
    }
    if (column.option) values.set(column.field.replace('value', 'name'), { value: column.option, column: column.name })
    const isList = isRepeatable(column.field) && before !== undefined
    values.set(column.field, {
      value: isList ? [before.value, value].flat() : value,
      column: before && !isList ? before.column : column.name,
      ...(column.isFallback ? { isFallback: true } : {}),
    })
  })
  return values
}

function isFilled(column: MappedColumn): column is FilledColumn {
  return column.field !== null
}

/** The columns that say something of the row's value. */
export function listRemarks(cells: readonly string[], columns: readonly MappedColumn[]): MappedColumn[] {
  return columns.flatMap((column, index) => {
    const { field, note, when, unless } = column
    const cell = cells[index]!.trim().toLowerCase()
    if (field && codes.has(field) && scientific.test(cell)) return { ...column, note: 'shortened_code' }
    if (field && formulaErrors.has(cell)) return { ...column, note: 'formula_error' }
    if (note === undefined || cell === '') return []
    return (when ? hasAny(cell, when) : !unless?.includes(cell)) ? column : []
  })
}

/** `subscription, virtual`: the cell as a whole, or one of its words. */
function hasAny(cell: string, words: readonly string[]): boolean {
  return words.includes(cell) || splitWords(cell).some((word) => words.includes(word))
}

const splitWords = (cell: string): string[] => cell.split(',').map((word) => word.trim())

/** Other systems put an apostrophe before what a spreadsheet would execute, and before a code that it would count. */
function unescapeFormula(text: string, field: string): string {
  return text.replace(codes.has(field) ? /^'(?=[=+\-@\t\r\d])/ : /^'(?=[=+\-@\t\r])/, '')
}

// prettier-ignore
const codes = new Set([
  'sku', 'barcode', 'hs_code', 'handle', 'slug', 'item_sku', 'order_number', 'code', 'phone', 'customer_phone',
  'address_phone', 'address_postal_code', 'billing_phone', 'billing_postal_code',
])

function cellValue(
  text: string,
  { name, field, as, parents, omits, values, times, escapes, cell: type }: FilledColumn,
  context: MappingContext,
): unknown {
  const word = text.toLowerCase()
  const known = values && Object.hasOwn(values, word) ? values[word] : undefined
  const cell = known ?? (as === 'word' ? findWord(word, values) : text)
  if (cell === '') return undefined
  const meant = escapes && as !== 'list' ? unescapeText(cell) : cell
  switch (as) {
    case 'exact':
      return field === 'category' ? [parseCategories(cell)] : parseCell(cell, getCellType(context.kind, field), context)
    case 'html':
      return context.toMarkdown(meant, escapes)
    case 'list':
      return escapes && !meant.startsWith('[') ? splitEscaped(meant) : parseTextsCell(meant)
    case 'label':
      return `${name}: ${meant}`
    case 'urls':
      return splitUrls(meant)
    case 'path':
      return omitEach(listCategories(cell, { parents, roots: omits }), omits)
    case 'leaf':
      return listCategories(cell, { parents, roots: omits, isOne: true })
  }
  if (type) return parseCell(meant, type, context)
  if (listCellChoices(context.kind, field).includes(meant.toLowerCase())) return meant.toLowerCase()
  if (field === 'country_of_origin') return parseCountryCode(meant) ?? meant
  if (field === 'weight') return parseWeightCell(meant, times, context)
  return parseCell(meant, getCellType(context.kind, field), context)
}

/** The meaning of the first of the words that the cell has. */
function findWord(cell: string, values: Readonly<Record<string, string>> = {}): string {
  const words = splitWords(cell)
  return Object.entries(values).find(([word]) => words.includes(word))?.[1] ?? ''
}

/** An empty list counts as an empty cell. */
function omitEach(names: string[], omits: readonly string[] = []): string[] | undefined {
  const rest = names.filter((name) => !omits.includes(name.toLowerCase()))
  return rest.length > 0 ? rest : undefined
}

/** URLs with spaces, ends of lines or commas between; a comma within one stays. */
function splitUrls(text: string): string[] {
  const parts = text.split(/\s|,(?=http)/).map((part) => part.replace(/,$/, ''))
  return [...new Set(parts.filter((part) => part !== ''))]
}

/** A backslash stands before commas, and before n for the end of a line. */
function unescapeText(text: string): string {
  return text.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\,`, ',')
}

/** A label has no comma of its own. */
function splitEscaped(text: string): string[] {
  const parts = text.split(/(?<!\\),/).map((part) => part.trim().replaceAll(String.raw`\,`, ''))
  return [...new Set(parts.filter((part) => part !== ''))]
}

/** `4.00638E+12`: a spreadsheet has kept no more of a barcode than this. */
const scientific = /^\d([.,]\d+)?e\+\d+$/

/** What a formula of a spreadsheet says that has no value. */
const formulaErrors = new Set(['#ref!', '#n/a', '#value!', '#div/0!', '#name?', '#num!', '#null!'])

/** Puts a value into the draft, with its place. */
export function put(
  draft: Draft,
  path: string,
  { value, column }: FieldValue,
  number: number,
  target = draft.input,
): void {
  target[path.slice(path.lastIndexOf('.') + 1)] = value
  draft.places.set(path, { number, column })
}

/** The faults of a draft, each at the cell that it is about, or at the first row. */
export function toRowMessages({ places }: Draft, faults: readonly Fault[], first: number): RowMessage[] {
  return faults.map((one) => {
    const { number = first, column = null } = locateFault(places, one.field) ?? {}
    return remarkFault({ number, column }, one)
  })
}

function locateFault(places: Draft['places'], field: string) {
  for (let path = field; path !== ''; path = path.slice(0, Math.max(0, path.lastIndexOf('.')))) {
    const place = places.get(path)
    if (place) return place
  }
  return undefined
}

/** The first value of a field in any of the rows, with its row. */
export function getFirstValue(
  rows: readonly MappedRow[],
  field: string,
): (FieldValue & { number: number }) | undefined {
  for (const { number, values } of rows) {
    const fieldValue = values.get(field)
    if (fieldValue) return { ...fieldValue, number }
  }
  return undefined
}

/** Every field of the rows with its first value. */
export function listCells(rows: readonly MappedRow[]): (readonly [string, FieldValue & { number: number }])[] {
  const fields = new Set(rows.flatMap(({ values }) => [...values.keys()]))
  return [...fields].map((field) => [field, getFirstValue(rows, field)!] as const)
}

/** True for a record of a Stoa export, which gives the type of each row. */
export function isExported(rows: readonly MappedRow[]): boolean {
  return exportedTypes.includes(String(rows[0]!.values.get('row_type')?.value))
}
