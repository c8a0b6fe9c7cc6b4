// The columns of an export are those that an import reads, so they follow the declarations of the records. IDs of
// related records are left out: a product, category or collection is named by its slug or name.
import { listRecordFields, otherColumns, resources } from '../imports/fields.ts'
import type { ImportKind } from '../imports/sources/source.ts'

/** Fields covered by other columns, in the terms of the import. */
const coveredFields: Record<ImportKind, readonly string[]> = {
  products: [],
  customers: [],
  orders: ['status', 'tax_amount'],
  discounts: [],
  redirects: [],
}

/** Fields of the record that have a column of their own. */
function listOwnColumns(kind: ImportKind): string[] {
  const { fields } = resources[kind]
  const isId = (name: string) => fields[name].spec.columnType?.startsWith('uuid')
  return listRecordFields(kind).filter((name) => !isId(name) && !coveredFields[kind].includes(name))
}

/** The first column gives the type of the row, by which an import recognizes an export. */
export function listExportColumns(kind: ImportKind): string[] {
  return [...new Set(['row_type', ...listOwnColumns(kind), ...otherColumns[kind].both])]
}

/** The fields of a record that have a column of their own. */
export function ownCells(kind: ImportKind, record: object): Record<string, unknown> {
  const { fields } = resources[kind]
  return Object.fromEntries(
    listOwnColumns(kind).map((name) => {
      const value: unknown = record[name as keyof typeof record]
      return [name, fields[name].spec.fields?.id ? withoutIds(value) : value]
    }),
  )
}

/** Parts of the record, such as options and addresses, get new IDs on import. */
function withoutIds(values: unknown): unknown {
  if (!Array.isArray(values)) return values
  return values.map(({ id: _, ...rest }) => rest)
}
