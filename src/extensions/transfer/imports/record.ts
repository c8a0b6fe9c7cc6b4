// Rows of a file as the record that they describe. Each value remembers its row and column, so that a fault of the
// record is shown where it came from.
import { parseCountryCode } from '../../../kit/values/countries.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault, formatReason, type Fault } from '../../../kit/values/faults.ts'
import { lastOfPath, parseTextsCell, parseCell, type ToMarkdown } from './cells.ts'
import { importFaults } from './errors.ts'
import { listCellChoices, listMappableFields, isRepeatable, getCellType } from './fields.ts'
import type { ColumnRule, ImportKind, LeftOut } from './sources/source.ts'

/** The type of a record's first row in an export. */
const exportedTypes = ['product', 'customer', 'order', 'discount', 'redirect']

/** A column of the file with its field; null: it is left out. */
export type MappedColumn = { name: string } & (FieldRule | LeftOut | { field: null; note?: undefined })
type FieldRule = Exclude<ColumnRule, string | null | LeftOut>

export type FieldValue = { value: unknown; column: string }
export type MappedRow = {
  number: number
  line: number
  values: ReadonlyMap<string, FieldValue>
  /** Columns of the row that have a value and no place in Stoa. */
  leftOut: readonly (LeftOut & { name: string })[]
}

/** `column`: null, the row as a whole. */
export type RowMessage = { number: number; column: string | null; message: string }

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
  context.columns.forEach((column, index) => {
    if (column.field === null) return
    const cell = cells[index]!
    const value = cellValue(column.as === 'exact' ? cell : unescapeFormula(cell.trim(), column.field), column, context)
    if (value === undefined) return
    const before = values.get(column.field)
    const isList = isRepeatable(column.field) && before !== undefined
    values.set(column.field, {
      value: isList ? [before.value, value].flat() : value,
      column: before && !isList ? before.column : column.name,
    })
  })
  return values
}

/** The columns of a row that have a value and no place in Stoa. */
export function listLeftOut(
  cells: readonly string[],
  columns: readonly MappedColumn[],
): (LeftOut & { name: string })[] {
  return columns.flatMap((column, index) => {
    if (column.field !== null || column.note === undefined) return []
    const cell = cells[index]!.trim().toLowerCase()
    return cell === '' || column.unless?.includes(cell) ? [] : column
  })
}

/** Other systems put an apostrophe before what a spreadsheet would execute, and before a code that it would count. */
function unescapeFormula(text: string, field: string): string {
  return text.replace(codes.has(field) ? /^'(?=[=+\-@\t\r\d])/ : /^'(?=[=+\-@\t\r])/, '')
}

// prettier-ignore
const codes = new Set([
  'sku', 'barcode', 'hs_code', 'handle', 'slug', 'item_sku', 'order_number', 'code', 'phone', 'customer_phone',
  'address_phone', 'address_postal_code',
])

function cellValue(text: string, { field, as, values, times }: FieldRule, context: MappingContext): unknown {
  const word = text.toLowerCase()
  const meant = values && Object.hasOwn(values, word) ? values[word]! : text
  if (meant === '') return undefined
  switch (as) {
    case 'exact':
      return parseCell(text, getCellType(context.kind, field), context)
    case 'html':
      return context.toMarkdown(meant)
    case 'list':
      return parseTextsCell(meant)
    case 'path':
      return lastOfPath(meant)
  }
  if (listCellChoices(context.kind, field).includes(meant.toLowerCase())) return meant.toLowerCase()
  if (field === 'country_of_origin') return parseCountryCode(meant) ?? meant
  const isWeight = field === 'weight'
  const value = parseCell(meant, isWeight ? 'number' : getCellType(context.kind, field), context)
  return isWeight && typeof value === 'number' ? Math.round(value * (times ?? 1)) : value
}

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
    const place = locateFault(places, one.field)
    return {
      number: place?.number ?? first,
      column: place?.column ?? null,
      message: `${one.field} ${formatReason(one)}`,
    }
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
    const found = values.get(field)
    if (found) return { ...found, number }
  }
  return undefined
}

/** True for a record of a Stoa export, which gives the type of each row. */
export function isExported(rows: readonly MappedRow[]): boolean {
  return exportedTypes.includes(String(rows[0]!.values.get('row_type')?.value))
}

/** The columns of a file with their fields: as the caller says, as last time, or as its source has them. */
export function checkMapping(
  kind: ImportKind,
  mapping: unknown,
  columns: readonly string[],
): Record<string, string | null> {
  if (mapping === undefined || mapping === null) return {}
  if (typeof mapping !== 'object' || Array.isArray(mapping))
    throw invalid(fault('mapping', importFaults.mapping_not_json))
  const fields = listMappableFields(kind)
  const faults: Fault[] = []
  for (const [name, field] of Object.entries(mapping)) {
    if (!columns.includes(name))
      faults.push(fault('mapping', importFaults.column_unknown, { name: name.slice(0, 100) }))
    else if (field !== null && !fields.includes(String(field))) {
      faults.push(
        fault(`mapping.${name.slice(0, 100)}`, importFaults.field_unknown, { field: String(field).slice(0, 100) }),
      )
    }
  }
  if (faults.length > 0) throw invalid(...faults)
  return mapping as Record<string, string | null>
}
