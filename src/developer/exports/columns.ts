// The columns of an export are those that an import reads, so they follow the declarations of the records. IDs of
// related records are left out: a product, category or collection is named by its slug or name.
import type { AnyField } from '../../kit/declare/field.ts'
import type { AnyResource } from '../../kit/declare/resource.ts'
import { customer } from '../../commerce/customers/customer.ts'
import { discount } from '../../commerce/discounts/discount.ts'
import { order } from '../../commerce/orders/order.ts'
import { product } from '../../commerce/catalog/product.ts'
import { redirect } from '../../storefront/redirects/redirect.ts'
import {
  addressParts,
  customerReferences,
  imageParts,
  itemParts,
  optionFields,
  listRecordFields,
  references,
  rowFields,
} from '../imports/fields.ts'
import type { ImportKind } from '../imports/sources/source.ts'

export const exportedResources: Record<ImportKind, AnyResource> = {
  products: product,
  customers: customer,
  orders: order,
  discounts: discount,
  redirects: redirect,
}

/** Fields covered by other columns, in the terms of the import. */
const coveredFields: Record<ImportKind, readonly string[]> = {
  products: [],
  customers: [],
  orders: ['status', 'tax_amount'],
  discounts: [],
  redirects: [],
}

/** Columns beside those of the record's own fields. */
// prettier-ignore
const additionalColumns: Record<ImportKind, readonly string[]> = {
  products:  ['category', 'collections', ...optionFields, 'variant_title', ...Object.keys(rowFields), 'image',
              ...Object.keys(imageParts)],
  customers: Object.keys(customerReferences),
  orders:    ['order_number', 'order_status', 'fulfillment_status', 'created_at', 'cancelled_at', 'total', 'taxes',
              'refunded_amount', 'channel', 'agent', ...Object.keys(addressParts), ...Object.keys(itemParts)],
  discounts: Object.keys(references),
  redirects: [],
}

/** Fields of the record that have a column of their own. */
function listOwnColumns(kind: ImportKind): string[] {
  const fields: Record<string, AnyField> = exportedResources[kind].fields
  const isId = (name: string) => fields[name]!.spec.columnType?.startsWith('uuid')
  return listRecordFields(kind).filter((name) => !isId(name) && !coveredFields[kind].includes(name))
}

/** The first column gives the type of the row, by which an import recognizes an export. */
export function listExportColumns(kind: ImportKind): string[] {
  return [...new Set(['row_type', ...listOwnColumns(kind), ...additionalColumns[kind]])]
}

/** The fields of a record that have a column of their own. */
export function ownCells(kind: ImportKind, record: object): Record<string, unknown> {
  const { fields } = exportedResources[kind]
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
