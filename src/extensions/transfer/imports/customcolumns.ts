// Columns of a file that are custom fields of the store, by their key or their label.
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { Fault } from '../../../kit/values/faults.ts'
import type { CustomField } from '../../../tenancy/stores/customfield.ts'
import type { CustomFieldKind } from '../../../tenancy/stores/customfieldkind.ts'
import { findValueFaults, readCustomValue, type CustomValues } from '../../../tenancy/stores/customvalues.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { normalizeColumnName } from './columns.ts'
import { put, type Draft, type FieldValue } from './record.ts'
import type { ImportKind } from './sources/source.ts'

/** `field`: the name that a column is mapped to, such as `custom_fields.material`. */
export type CustomColumn = Pick<CustomField, 'applies_to' | 'key' | 'label' | 'type' | 'choices' | 'is_required'> & {
  field: string
}

const kindsOf: Partial<Record<ImportKind, readonly CustomFieldKind[]>> = {
  products: ['product', 'variant'],
  customers: ['customer'],
}

/** The custom fields of a record itself. */
export const mainKinds: Partial<Record<ImportKind, CustomFieldKind>> = { products: 'product', customers: 'customer' }

const prefixes: Readonly<Record<string, string>> = {
  product: 'custom_fields.',
  customer: 'custom_fields.',
  variant: 'variant_custom_fields.',
}

/** The fields in use that records of this kind have. No statement where the store has none. */
export async function findCustomColumns(db: Db, store: Store, kind: ImportKind): Promise<CustomColumn[]> {
  const kinds = (kindsOf[kind] ?? []).filter((one) => store.custom_field_kinds.includes(one))
  if (kinds.length === 0) return []
  const rows = await db.rows<Omit<CustomColumn, 'field'>>(sql`
    select applies_to, key, label, type, choices, is_required
    from custom_fields
    where store_id = ${store.id}
      and applies_to = any(${kinds}::text[])
      and is_active
    order by applies_to, position, id`)
  return rows.map((row) => ({ ...row, field: prefixes[row.applies_to]! + row.key }))
}

/** `Care (product.metafields.custom.care_label)` of Shopify, and `Metafield: custom.care [text]` of its apps. */
const metafields = [
  /^(?<label>.*) \((?<of>product|variant|customer)\.metafields\.[\w-]+\.(?<key>[\w-]+)\)$/i,
  /^(?<of>variant )?metafield: [\w-]+\.(?<key>[\w-]+)( \[.*\])?$/i,
]

/** The custom field that a column is called by: its field name, its key, or its label. */
export function matchCustomColumn(columns: readonly CustomColumn[], name: string): CustomColumn | undefined {
  const exact = columns.find(({ field }) => field === name)
  if (exact || columns.length === 0) return exact
  const groups = metafields.map((pattern) => pattern.exec(name.trim())?.groups).find(Boolean)
  const isOfVariant = groups?.of?.trim().toLowerCase() === 'variant'
  const names = new Set(
    groups ? [groups.label, groups.key?.replaceAll('-', '_')].flatMap((one) => one ?? []).map(normalizeColumnName) : [],
  )
  if (!groups) names.add(normalizeColumnName(name))
  const isNamed = ({ key, label }: CustomColumn) =>
    names.has(normalizeColumnName(key)) || names.has(normalizeColumnName(label))
  return columns.find((column) => (!groups || (column.applies_to === 'variant') === isOfVariant) && isNamed(column))
}

/** The type as which a cell of the field is read. */
export function getCustomCellType({ type }: Pick<CustomColumn, 'type'>): string {
  return type === 'number' || type === 'boolean' ? type : type === 'date' ? 'date' : 'string'
}

/** Puts the custom fields of a record, or of a part of it, into the draft. */
export function putCustomValues(
  draft: Draft,
  cells: readonly (readonly [string, FieldValue & { number: number }])[],
  { prefix = 'custom_fields.', at = '', target = draft.input }: CustomPlace = {},
): void {
  const own = cells.filter(([field]) => field.startsWith(prefix))
  if (own.length === 0) return
  const values: Record<string, unknown> = { ...(target.custom_fields as object | undefined) }
  target.custom_fields = values
  for (const [field, cell] of own)
    put(draft, `${at}custom_fields.${field.slice(prefix.length)}`, cell, cell.number, values)
}

type CustomPlace = { prefix?: string; at?: string; target?: Record<string, any> }

/** What the API would say of the custom fields of a draft; `isNew`: it needs those that are required. */
export function listCustomFaults(
  columns: readonly CustomColumn[],
  kind: ImportKind,
  { input }: Draft,
  isNew: boolean,
): Fault[] {
  if (columns.length === 0) return []
  const faultsOf = (values: CustomValues | undefined, of: CustomFieldKind, at: string, needsAll: boolean) => {
    const own = columns.filter(({ applies_to }) => applies_to === of)
    return findValueFaults(own, values ?? {}, { at, isNew: needsAll })
  }
  const main = mainKinds[kind]!
  const variants: { custom_fields?: CustomValues }[] = kind === 'products' ? (input.variants ?? []) : []
  return [
    ...faultsOf(input.custom_fields, main, '', isNew),
    ...variants.flatMap((one, index) => faultsOf(one.custom_fields, 'variant', `variants.${index}.`, isNew)),
  ]
}

/** The values that an update changes, as they are stored; null or an empty text removes one. */
export function listCustomChanges(
  columns: readonly CustomColumn[],
  of: CustomFieldKind,
  before: CustomValues,
  after: Readonly<Record<string, CustomValues[string] | null>>,
): { field: string; before: unknown; after: unknown }[] {
  return Object.entries(after).flatMap(([key, value]) => {
    const column = columns.find((one) => one.applies_to === of && one.key === key)
    const isRemoved = value === null || (typeof value === 'string' && value.trim() === '')
    const next = isRemoved ? null : column ? readCustomValue(column, value) : value
    const last = before[key] ?? null
    return last === next ? [] : { field: prefixes[of]! + key, before: last, after: next }
  })
}
