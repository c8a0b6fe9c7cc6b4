// The units of an order's items that fulfillments contain.
import type { Tx } from '../../kit/database/database.ts'
import { RetryTransaction } from '../../kit/database/errors.ts'
import { records, sql, type Sql } from '../../kit/database/sql.ts'
import { fulfillable } from './unsent.ts'

type Units = { order_id: string; item_id: string; quantity: number }

/** This statement decides between concurrent requests, so that no unit is shipped twice. */
export async function fulfillUnits(tx: Tx, storeId: string, units: readonly Units[]): Promise<void> {
  const rows = await tx.rows(sql`
    update order_items
    set fulfilled_quantity = fulfilled_quantity + wanted.quantity
    from ${records('wanted', { order_id: 'uuid', item_id: 'uuid', quantity: 'int' }, units)}
    where order_items.store_id = ${storeId}
      and order_items.order_id = wanted.order_id
      and order_items.id = wanted.item_id
      and wanted.quantity <= ${fulfillable}
    returning 1`)
  if (rows.length < units.length) throw new RetryTransaction()
}

export function fulfillAllUnits(tx: Tx, storeId: string, orderId: string): void {
  tx.later(sql`
    update order_items
    set fulfilled_quantity = quantity
    where store_id = ${storeId}
      and order_id = ${orderId}`)
}

/** The statement that returns the units of a fulfillment to their order. */
export function returnUnits(storeId: string, fulfillmentId: string): Sql {
  return sql`
    update order_items
    set fulfilled_quantity = fulfilled_quantity - fulfillment_items.quantity
    from fulfillment_items
    where fulfillment_items.store_id = ${storeId}
      and fulfillment_items.fulfillment_id = ${fulfillmentId}
      and order_items.store_id = ${storeId}
      and order_items.order_id = fulfillment_items.order_id
      and order_items.id = fulfillment_items.item_id`
}
