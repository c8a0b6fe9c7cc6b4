// Recognizes the shop system that wrote a file, and the meaning of its columns.
import { invalid } from '../../../kit/values/errors.ts'
import { fault } from '../../../kit/values/faults.ts'
import { getCustomCellType, matchCustomColumn, type CustomColumn } from './customcolumns.ts'
import { createColumnMatcher, normalizeColumnName, type ColumnMatcher } from './columns.ts'
import { importFaults } from './errors.ts'
import { listMappableFields, isOverridable, isRepeatable } from './fields.ts'
import { fixColumn, type Fix } from './fixes.ts'
import { chooseByTax, compareTax, type ImportTaxTerms } from './pricetax.ts'
import type { MappedColumn } from './record.ts'
import { generic } from './sources/generic.ts'
import { sources, type SourceName } from './sources/list.ts'
import type { ColumnRule, ImportKind, FileSource } from './sources/source.ts'
import { nameless } from './table.ts'

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
  return { name: 'stoa', kind, recognizes: [], columns }
}

/** Columns that a source must understand, if it is not recognized without doubt. */
const minShare = 0.6
const minColumns = 5

/** Another source is close if it understands this share of the columns that the first one does. */
const closeShare = 0.8

/** The source of a file, and the names of others that understand it about as well. */
export type Recognition = { source: FileSource; others: string[] }

type Rating = { source: FileSource; isSure: boolean; count: number }

/** The source with that name, or the one that understands most of the columns. */
export function recognizeSource(kind: ImportKind, columns: readonly string[], name?: SourceName): Recognition {
  const ratings = rateSources(
    sources.filter((source) => source.kind === kind),
    columns,
  )
  const source = chooseSource(kind, columns, ratings, name)
  const { count } = rateSource(source, columns)
  const close = [...ratings, { ...rateSource(buildGenericSource(kind, columns), columns), isSure: false }].filter(
    (one) => one.count > 0 && one.count >= count * closeShare,
  )
  const others = new Set(source.name === 'stoa' ? [] : close.map((one) => one.source.name))
  others.delete(source.name)
  return { source, others: [...others].slice(0, 2) }
}

/** A file whose columns are not all fields of Stoa is never taken for one of Stoa. */
function chooseSource(
  kind: ImportKind,
  columns: readonly string[],
  ratings: readonly Rating[],
  name?: SourceName,
): FileSource {
  const own = buildOwnSource(kind, columns)
  const [first] = ratings
  if (name === 'generic') return buildGenericSource(kind, columns)
  if (name) {
    const one = ratings.find(({ source }) => source.name === name)
    if (name !== 'stoa' && first?.isSure && !one?.isSure)
      throw invalid(fault('source', importFaults.other_source, { source: first.source.name }))
    return one?.source ?? own
  }
  const fields = new Set(listMappableFields(kind))
  if (columns.every((column) => fields.has(column)) || columns.includes('row_type')) return own
  if (!first?.isSure) refuseOtherKind(kind, columns)
  const other = buildGenericSource(kind, columns)
  const least = Math.max(minColumns, columns.length * minShare, rateSource(other, columns).count + 1)
  return ratings.find(({ isSure, count }) => isSure || count >= least)?.source ?? other
}

/** Orders that were sent as products would be mapped in vain. */
function refuseOtherKind(kind: ImportKind, columns: readonly string[]): void {
  const [other] = rateSources(
    sources.filter((source) => source.kind !== kind),
    columns,
  )
  if (other?.isSure && other.count >= minColumns)
    throw invalid(fault('kind', importFaults.other_kind, { kind: other.source.kind }))
}

/** Those that understand most come first. */
function rateSources(candidates: readonly FileSource[], columns: readonly string[]): Rating[] {
  return candidates
    .map((source) => rateSource(source, columns))
    .toSorted((a, b) => Number(b.isSure) - Number(a.isSure) || b.count - a.count)
}

function rateSource(source: FileSource, columns: readonly string[]): Rating {
  const match = createColumnMatcher(source, '')
  const names = new Set(columns.flatMap((column) => match(column)?.name ?? []))
  const firstNames = new Set(source.recognizes)
  return {
    source,
    isSure: firstNames.size > 0 && [...firstNames].every((name) => names.has(name)),
    count: columns.filter((column) => match(column)).length,
  }
}

/** Any other file: the fields of Stoa, and what shops call them. */
function buildGenericSource(kind: ImportKind, columns: readonly string[]): FileSource {
  const others = generic.find((one) => one.kind === kind)
  const own = buildOwnSource(kind, columns)
  return { name: 'generic', kind, recognizes: [], columns: { ...others?.columns, ...own.columns } }
}

/** Required fields, each with others that stand for it. */
// prettier-ignore
const requiredImportFields: Record<ImportKind, readonly (readonly string[])[]> = {
  products:  [['name', 'slug', 'handle', 'sku', 'barcode', 'id', 'external_id']],
  customers: [['name', 'first_name', 'last_name', 'email', 'phone', 'id', 'external_id']],
  orders:    [['order_number'], ['item_name'], ['item_price']],
  discounts: [['code']],
  redirects: [['path'], ['target']],
}

export type MappingOptions = {
  terms: ImportTaxTerms
  fixes?: readonly Fix[]
  /** Custom fields of the store. */
  custom?: readonly CustomColumn[]
  /** Required fields may be mapped later. */
  isOpen?: boolean
}

/** `mapping` takes precedence over known columns. */
export function mapColumns(
  source: FileSource,
  columns: readonly string[],
  mapping: Readonly<Record<string, string | null>>,
  { terms, fixes = [], custom = [], isOpen = false }: MappingOptions,
): MappedColumn[] {
  const match = createColumnMatcher(source, terms.currency)
  const own = columns.map((name): MappedColumn => {
    const field = Object.hasOwn(mapping, name) ? mapping[name] : undefined
    const column = mapColumn(source, match, name, field)
    return field === undefined && column.field === null ? (mapCustomColumn(custom, name) ?? column) : column
  })
  const typed = own.map((column) => withCellType(custom, column))
  const mappings = chooseByTax(typed, terms).map((column) => compareTax(fixColumn(column, fixes), terms, fixes))
  const whole = mappings.map((column, at) =>
    isReplaced(column, at, mappings) ? { name: column.name, field: null } : column,
  )
  requireFields(source.kind, whole, isOpen)
  return whole
}

/** A column that nothing else knows can be a custom field. */
function mapCustomColumn(custom: readonly CustomColumn[], name: string): MappedColumn | undefined {
  const known = matchCustomColumn(custom, name)
  return known && { name, field: known.field }
}

function withCellType(custom: readonly CustomColumn[], column: MappedColumn): MappedColumn {
  const known = custom.find(({ field }) => field === column.field)
  return known ? { ...column, cell: getCustomCellType(known) } : column
}

function mapColumn(source: FileSource, match: ColumnMatcher, name: string, field?: string | null): MappedColumn {
  const own = match(name) ?? (source.name === 'generic' ? match(stripRemarks(name)) : undefined)
  const rule = toFieldRule(own?.rule ?? null)
  // A column that keeps its field keeps how its cells are read.
  if (field !== undefined && field !== rule.field) return { name, field }
  if (rule.field !== null && !listMappableFields(source.kind).includes(rule.field)) return { name, field: null }
  if (own) return { name, known: own.name, ...rule }
  if (nameless.test(name)) return { name, field: null }
  return { name, field: null, ...(isRisky(name) ? { warning: 'unknown_column' } : {}) }
}

// prettier-ignore
const remarkWords = new Set([
  'eur', 'usd', 'gbp', 'chf', 'mxn', 'brl', '€', '$', '£', 'netto', 'brutto', 'net', 'gross', 'ttc', 'ht', 'mwst',
  'btw', 'iva', 'tva', 'excl.', 'incl.', 'inkl.', 'zzgl.',
])

/** `Preis netto (EUR)`: the name is `Preis`. */
function stripRemarks(name: string): string {
  const words = normalizeColumnName(name).split(/[\s()[\]/*]/)
  return words.filter((word) => word !== '' && !remarkWords.has(word)).join(' ')
}

function toFieldRule(rule: ColumnRule): Exclude<ColumnRule, string | null> {
  return typeof rule === 'object' && rule !== null ? rule : { field: rule }
}

/** Words in names of columns that could change a price, stock, tax, limits, or who sees a record. */
const risks = [
  /price|preis|precio|prix|prezzo|preço|cost|sale|special|discount|rabatt|amount|currency/,
  /stock|bestand|lager|qty|quantit|menge|inventory|availab|limit|usage|minim|maxim/,
  /tax|steuer|iva|tva|status|visib|publish|activ|enabled/,
]

function isRisky(name: string): boolean {
  return risks.some((words) => words.test(normalizeColumnName(name)))
}

/** True for a column that stands in for another one, if that is there. */
function isReplaced({ field, isSpare }: MappedColumn, at: number, columns: readonly MappedColumn[]): boolean {
  return (
    isSpare === true &&
    columns.some((other, place) => other.field === field && place !== at && (!other.isSpare || place < at))
  )
}

function requireFields(kind: ImportKind, columns: readonly MappedColumn[], isOpen: boolean): void {
  const fields = columns.flatMap(({ field }) => field ?? [])
  if (fields.length === 0 && !isOpen) throw invalid(fault('file', importFaults.columns_unknown))
  const missing = requiredImportFields[kind].filter(
    (alternatives) => !alternatives.some((field) => fields.includes(field)),
  )
  const isOnce = ({ field, as }: MappedColumn) =>
    field !== null && as !== 'sum' && !isRepeatable(field) && !isOverridable(field)
  const once = columns.filter(isOnce).map(({ field }) => field!)
  const repeats = once.filter((field, index) => once.indexOf(field) < index)
  const faults = [
    ...(isOpen ? [] : missing.map(([field]) => fault('file', importFaults.column_missing, { field: field! }))),
    ...[...new Set(repeats)].map((field) => fault('mapping', importFaults.field_repeated, { field })),
  ]
  if (faults.length > 0) throw invalid(...faults)
}
