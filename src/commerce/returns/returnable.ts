// The units of an order that can still be returned, and the deadline for the customer's request.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { list, object } from '../../kit/declare/composites.ts'
import { resource } from '../../kit/declare/resource.ts'
import { flag, id, integer, time } from '../../kit/declare/scalars.ts'
import { notFound } from '../../kit/values/errors.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { maxItems } from '../orders/item.ts'
import { order } from '../orders/order.ts'
import { undoneStatuses, type OrderStatus } from '../orders/states.ts'

const returnableItem = object({
  item_id: id('item').required(),
  quantity: integer().required().describe('Shipped units that are neither refunded nor in another return'),
})

// prettier-ignore
export const returnable = resource('orders', {
  is_open: flag().readonly().describe('Whether the customer can request a return in the online store'),
  until:   time().nullable().readonly()
    .describe('End of the return window: return_window_days of the store after the last shipment'),
  items:   list(returnableItem, { max: maxItems }).readonly(),
}, {}, { noun: 'Order', title: 'Returnable' })

/** `quantity` can be returned, of those that were shipped. */
export type ReturnableItem = { id: string; shipped: number; quantity: number }

/**
 * Units of open returns and received ones are not returnable. Those of a refunded return count as returned by the
 * refund, unless it fails. The order is locked when this decides.
 */
export async function readReturnableItems(db: Db, storeId: string, orderId: string): Promise<ReturnableItem[]> {
  const rows = await db.rows<ReturnableItem>(sql`
    select order_items.id, fulfilled_quantity as shipped,
      greatest(0, fulfilled_quantity - returned_quantity - coalesce(held.quantity, 0))::int as quantity
    from order_items
    left join (
      select return_items.item_id,
        sum(case when returns.status in ('requested', 'approved') then return_items.quantity
                 when returns.status = 'received' then received_quantity
                 when returns.status = 'closed' and coalesce(refunds.status, 'failed') = 'failed'
                   then received_quantity
                 else 0 end) as quantity
      from return_items
      join returns on returns.store_id = ${storeId}
        and returns.id = return_items.return_id
      left join refunds on refunds.store_id = ${storeId}
        and refunds.id = returns.refund_id
      where return_items.store_id = ${storeId}
        and return_items.order_id = ${orderId}
      group by return_items.item_id) as held on held.item_id = order_items.id
    where order_items.store_id = ${storeId}
      and order_items.order_id = ${orderId}
    order by order_items.id`)
  return rows
}

export type Returnable = { is_open: boolean; until: Date | null; status: OrderStatus; items: ReturnableItem[] }

const msPerDay = 24 * 3600 * 1000

export async function readReturnable(db: Db, store: Store, orderId: string, now: Date): Promise<Returnable> {
  const [returns, items] = await Promise.all([
    db.one<{ status: OrderStatus; last: Date | null }>(sql`
      select status, (
          select max(coalesce(delivered_at, shipped_at))
          from fulfillments
          where fulfillments.store_id = ${store.id}
            and fulfillments.order_id = ${orderId}
            and cancelled_at is null) as last
      from orders
      where store_id = ${store.id}
        and id = ${orderId}`),
    readReturnableItems(db, store.id, orderId),
  ])
  if (!returns) throw notFound(order.noun)
  const { return_window_days: days } = store
  const until = returns.last && days > 0 ? new Date(returns.last.getTime() + days * msPerDay) : null
  const isThere = !undoneStatuses.includes(returns.status) && items.some(({ quantity }) => quantity > 0)
  return { is_open: isThere && until !== null && until >= now, until, status: returns.status, items }
}

/** The response of the API. */
export function toReturnableResponse({ is_open, until, items }: Returnable): object {
  const remaining = items.filter(({ quantity }) => quantity > 0)
  return {
    is_open,
    until,
    items: remaining.map(({ id: uuid, quantity }) => ({ item_id: publicId('item', uuid), quantity })),
  }
}
