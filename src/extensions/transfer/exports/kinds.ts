// The records of each kind as rows.
import type { Db } from '../../../kit/database/database.ts'
import { toUuid, type Prefix } from '../../../kit/values/ids.ts'
import type { Customer } from '../../../commerce/customers/customer.ts'
import type { Discount } from '../../../commerce/discounts/discount.ts'
import { areAnyShipped } from '../../../commerce/orders/load.ts'
import type { Order } from '../../../commerce/orders/order.ts'
import type { Redirect } from '../../../storefront/redirects/redirect.ts'
import {
  addressParts,
  billingParts,
  consentParts,
  customerReferences,
  itemParts,
  references,
} from '../imports/fields.ts'
import type { ImportKind } from '../imports/sources/source.ts'
import { ownCells } from './columns.ts'
import { listRecordNames } from './names.ts'
import { productRows } from './products.ts'
import type { ExportRow } from './row.ts'

type RecordRows = {
  /** The unique column that orders the records, and a record's value of it. */
  by: string
  keyOf: (record: any) => string
  /** The rows of some records; names of related records are read at once. */
  rowsOf: (db: Db, storeId: string, records: any[]) => Promise<ExportRow[]> | ExportRow[]
}

export const recordRows: Record<ImportKind, RecordRows> = {
  products: { by: 'slug', keyOf: ({ slug }) => slug, rowsOf: productRows },
  // Two customers may have the same email, or none.
  customers: { by: 'id', keyOf: ({ id }) => toUuid('cus', id)!, rowsOf: customerRows },
  orders: { by: 'order_number', keyOf: ({ order_number }) => String(order_number), rowsOf: orderRows },
  discounts: { by: 'code', keyOf: ({ code }) => code, rowsOf: discountRows },
  redirects: { by: 'path', keyOf: ({ path }) => path, rowsOf: redirectRows },
}

/** Leaves out deleted groups. */
async function customerRows(db: Db, storeId: string, customers: Customer[]): Promise<ExportRow[]> {
  const getReferenceCells = await referenceCells(db, storeId, customerReferences, customers, () => [])
  return customers.map((one) => ({
    row_type: 'customer',
    ...ownCells('customers', one),
    ...getReferenceCells(one),
    ...parts(consentParts, (one.accepts_marketing && one.marketing_consent) || {}),
  }))
}

/** A row of the order, and one for each of its items and order bumps. */
function orderRows(_db: Db, _storeId: string, orders: Order[]): ExportRow[] {
  return orders.flatMap((order) => {
    const { order_number, status, tax_amount, shipping_address, billing_address, items, order_bumps, ...own } = order
    const { fulfillment_status, created_at, cancelled_at, total, refunded_amount, channel, agent } = own
    const soldItems = items.filter(({ quantity }) => quantity > 0).map((item) => parts(itemParts, item))
    const bumps = (order_bumps?.items ?? []).map(({ title, price }) =>
      parts(itemParts, {
        product_name: title,
        quantity: 1,
        unit_price: price,
        requires_shipping: areAnyShipped(items),
      }),
    )
    const whole = {
      row_type: 'order',
      ...ownCells('orders', order),
      ...{ order_number, order_status: status, fulfillment_status, created_at, cancelled_at },
      ...{ total, taxes: tax_amount, refunded_amount, channel, agent },
      ...parts(addressParts, shipping_address ?? {}),
      ...parts(billingParts, {
        ...billing_address,
        country: billing_address?.country ?? billing_address?.country_code,
      }),
    }
    return [whole, ...[...soldItems, ...bumps].map((item) => ({ row_type: 'item', order_number, ...item }))]
  })
}

/** Parts of an object under the names of their columns. */
function parts(names: Readonly<Record<string, string>>, whole: object): ExportRow {
  return Object.fromEntries(Object.entries(names).map(([column, part]) => [column, whole[part as keyof typeof whole]]))
}

/** A deleted record is named by its ID: without it, the discount would apply to more than it does. */
async function discountRows(db: Db, storeId: string, discounts: Discount[]): Promise<ExportRow[]> {
  const cellsOf = await referenceCells(db, storeId, references, discounts, (id) => id)
  return discounts.map((one) => ({ row_type: 'discount', ...ownCells('discounts', one), ...cellsOf(one) }))
}

function redirectRows(_db: Db, _storeId: string, redirects: Redirect[]): ExportRow[] {
  return redirects.map((one) => ({ row_type: 'redirect', ...ownCells('redirects', one) }))
}

type Reference = { field: string; table: string; by: string; prefix: Prefix }

/** Reads the names column by column; a record's cells have them, or the result of `orElse`. */
async function referenceCells(
  db: Db,
  storeId: string,
  columns: Readonly<Record<string, Reference>>,
  records: readonly object[],
  orElse: (id: string) => string | [],
): Promise<(record: object) => ExportRow> {
  const idsIn = (record: object, field: string) => record[field as keyof object] as string[]
  const namesByKind = new Map<string, Map<string, string>>()
  for (const [column, { field, prefix, ...place }] of Object.entries(columns)) {
    const ids = new Set(records.flatMap((record) => idsIn(record, field)))
    namesByKind.set(
      column,
      await listRecordNames(
        db,
        storeId,
        place,
        [...ids].map((id) => toUuid(prefix, id)!),
      ),
    )
  }
  const getReferenceName = (column: string, prefix: Prefix, id: string) =>
    namesByKind.get(column)!.get(toUuid(prefix, id)!) ?? orElse(id)
  return (record) =>
    Object.fromEntries(
      Object.entries(columns).map(([column, { field, prefix }]) => [
        column,
        idsIn(record, field).flatMap((id) => getReferenceName(column, prefix, id)),
      ]),
    )
}
