// Notifies agents about the orders that they placed: a change makes the row of the order due in the same transaction.
// extensions/ucp/orderwebhooks.ts sends the due ones.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'

/** Starts with the checkout, since the buyer may complete it. */
export function insertAgentOrder(
  tx: Tx,
  storeId: string,
  { checkoutId, profile, origin }: { checkoutId: string; profile: string; origin: string },
): void {
  tx.later(sql`
    insert into agent_orders (store_id, checkout_id, profile, origin, created_at)
    values (${storeId}, ${toUuid('chk', checkoutId)}, ${profile}, ${origin}, ${tx.now})
    on conflict do nothing`)
}

/** The order of a checkout, if an agent follows it. */
export function placeAgentOrder(tx: Tx, storeId: string, checkoutId: string, orderId: string): void {
  tx.later(sql`
    update agent_orders
    set order_id = ${toUuid('ord', orderId)}, version = 1, changed_at = ${tx.now}, due_at = ${tx.now}
    where store_id = ${storeId}
      and checkout_id = ${checkoutId}`)
}

// Comments are not for buyers, and a new order has no row yet: placeAgentOrder.
const changing: ReadonlySet<string> = new Set([
  'order.updated',
  'order.cancelled',
  'order.completed',
  'order.fulfilled',
  'order.refunded',
])

export function noteAgentOrders(tx: Tx, storeId: string, event: string, orderIds: readonly string[]): void {
  if (!changing.has(event)) return
  tx.later(sql`
    update agent_orders
    set version = version + 1, changed_at = ${tx.now}, due_at = ${tx.now}, tries = 0
    where store_id = ${storeId}
      and order_id = any(${orderIds.map((id) => toUuid('ord', id))}::uuid[])`)
}

/** The agent has this version. Later changes stay due. */
export function settleAgentOrder(tx: Tx, storeId: string, checkoutId: string, version: number): void {
  tx.later(sql`
    update agent_orders
    set due_at = null, tries = 0
    where store_id = ${storeId}
      and checkout_id = ${checkoutId}
      and version = ${version}`)
}
