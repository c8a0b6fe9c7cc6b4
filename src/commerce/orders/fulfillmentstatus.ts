// The fulfillment status of an order, derived from its items.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { fulfillable } from './unsent.ts'
import type { FulfillmentStatus } from './states.ts'

export type FulfillmentProgress = { order_number: number; fulfillment_status: FulfillmentStatus }

/** Updates the order's fulfillment_status after its items have changed. */
export async function updateFulfillmentStatus(tx: Tx, storeId: string, orderId: string): Promise<FulfillmentProgress> {
  const progress = await tx.one<FulfillmentProgress>(sql`
    update orders
    set fulfillment_status = (
          select case when sum(fulfilled_quantity) = 0 then 'unfulfilled'
                      when sum(${fulfillable}) > 0 then 'partial'
                      else 'fulfilled' end
          from order_items
          where store_id = ${storeId}
            and order_id = ${orderId}),
        updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = ${orderId}
    returning order_number, fulfillment_status`)
  return progress!
}

/** The orders are fulfilled as a whole; those of `completed` are completed with it. */
export function markFulfilled(tx: Tx, storeId: string, ids: readonly string[], completedIds: readonly string[]): void {
  const isCompleted = sql`id = any(${completedIds}::uuid[])`
  tx.later(sql`
    update orders
    set fulfillment_status = 'fulfilled', updated_at = ${tx.now},
        status = case when ${isCompleted} then 'completed' else status end,
        completed_at = case when ${isCompleted} then ${tx.now}::timestamptz else completed_at end
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
}
