// Recognizes the shop system that wrote a file, and the meaning of its columns.
import { invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { importFaults } from './errors.ts'
import { listMappableFields, isOverridable, isRepeatable } from './fields.ts'
import type { MappedColumn } from './record.ts'
import { others } from './sources/others.ts'
import { shopify } from './sources/shopify.ts'
import type { ColumnRule, ImportKind, FileSource } from './sources/source.ts'
import { woocommerce } from './sources/woocommerce.ts'

const sources: readonly FileSource[] = [...shopify, ...woocommerce, ...others]

export const sourceNames = ['stoa', 'shopify', 'woocommerce', 'medusa', 'square'] as const
export type SourceName = (typeof sourceNames)[number]

const groups: Partial<Record<ImportKind, string>> = { products: 'slug', orders: 'order_number' }

/** True if Stoa wrote the file: other files with columns named like the fields do not give the type of their rows. */
export function isExport(source: string, columns: readonly string[]): boolean {
  return source === 'stoa' && columns.includes('row_type')
}

/** The columns of Stoa's own exports are the names of the fields. */
function buildOwnSource(kind: ImportKind, names: readonly string[]): FileSource {
  const toFieldRule = (field: string): ColumnRule => (isExport('stoa', names) ? { field, as: 'exact' } : field)
  const columns = Object.fromEntries(
    listMappableFields(kind).map((name): [string, ColumnRule] => [name, toFieldRule(name)]),
  )
  const groupBy = groups[kind]
  return { name: 'stoa', kind, recognizes: [], columns, ...(groupBy ? { groupBy } : {}) }
}

/** The source with that name, or the one whose columns the file has; otherwise its columns are fields. */
export function recognizeSource(kind: ImportKind, columns: readonly string[], name?: SourceName): FileSource {
  const names = new Set(columns)
  const fits = (source: FileSource) =>
    source.kind === kind && (name ? source.name === name : source.recognizes.every((column) => names.has(column)))
  return sources.find(fits) ?? buildOwnSource(kind, columns)
}

/** Required fields, each with others that stand for it. */
// prettier-ignore
const requiredImportFields: Record<ImportKind, readonly (readonly string[])[]> = {
  products:  [['name', 'slug', 'handle', 'sku']],
  customers: [['name', 'first_name', 'email', 'phone']],
  orders:    [['order_number'], ['item_name'], ['item_price']],
  discounts: [['code']],
  redirects: [['path'], ['target']],
}

/** `mapping` takes precedence over known columns. */
export function mapColumns(
  source: FileSource,
  columns: readonly string[],
  mapping: Readonly<Record<string, string | null>>,
  currency: string,
): MappedColumn[] {
  const known = listMappableFields(source.kind)
  const mapped = columns.map((name): MappedColumn => {
    const field = Object.hasOwn(mapping, name) ? mapping[name] : undefined
    const own = matchColumnRule(source, name, currency)
    // A column that keeps its field keeps how its cells are read.
    const rule = field === undefined || field === getRuleField(own) ? own : field
    const column = typeof rule === 'string' ? { field: rule } : rule
    const isUsable = column && (column.field === null || known.includes(column.field))
    return isUsable ? { name, ...column } : { name, field: null }
  })
  requireFields(source.kind, mapped)
  return mapped
}

function getRuleField(rule: ColumnRule): string | null {
  return typeof rule === 'string' ? rule : (rule?.field ?? null)
}

function matchColumnRule({ columns, numbered = {} }: FileSource, name: string, currency: string): ColumnRule {
  if (Object.hasOwn(columns, name)) return columns[name]!
  for (const [pattern, rule] of Object.entries(numbered)) {
    const [before, after] = pattern.replace('{currency}', currency).split('{n}') as [string, string?]
    if (after === undefined ? name.toLowerCase() === before.toLowerCase() : isNumbered(name, before, after)) {
      return typeof rule === 'string'
        ? rule.replace('{n}', name.slice(before.length, name.length - (after?.length ?? 0)))
        : rule
    }
  }
  return null
}

function isNumbered(name: string, before: string, after: string): boolean {
  const number = name.slice(before.length, name.length - after.length)
  return name.startsWith(before) && name.endsWith(after) && /^\d{1,3}$/.test(number)
}

function requireFields(kind: ImportKind, columns: readonly MappedColumn[]): void {
  const fields = columns.flatMap(({ field }) => field ?? [])
  if (fields.length === 0) throw invalid(fault('file', importFaults.columns_unknown))
  const missing = requiredImportFields[kind].filter(
    (alternatives) => !alternatives.some((field) => fields.includes(field)),
  )
  const isOnce = (field: string) => !isRepeatable(field) && !isOverridable(field)
  const repeated = fields.filter((field, index) => isOnce(field) && fields.indexOf(field) < index)
  const faults = [
    ...missing.map(([field]) => fault('file', importFaults.column_missing, { field: field! })),
    ...[...new Set(repeated)].map((field) => fault('mapping', importFaults.field_repeated, { field })),
  ]
  if (faults.length > 0) throw invalid(...faults)
}

/** Assigns each row to a record, by the number of the record's first row. */
export function createRecordNumbering({ groupBy, parent }: FileSource, columns: readonly string[]) {
  const records = new Map<string, number>()
  const at = (name: string) => columns.indexOf(name)
  return (cells: readonly string[], number: number): number => {
    const cell = (name: string) => cells[at(name)]?.trim() ?? ''
    if (parent) {
      const above = cell(parent.column) === '' ? undefined : records.get(cell(parent.column).toLowerCase())
      for (const [column, prefix] of parent.names) {
        const name = cell(column)
        if (name !== '' && above === undefined) records.set(`${prefix}${name}`.toLowerCase(), number)
      }
      return above ?? number
    }
    const key = groupBy ? cell(groupBy).toLowerCase() : ''
    if (key === '') return number
    if (!records.has(key)) records.set(key, number)
    return records.get(key)!
  }
}
