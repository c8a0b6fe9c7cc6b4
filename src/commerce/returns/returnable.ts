// The units of an order that can still be returned, and the deadline for the customer's request.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { list, object } from '../../kit/declare/composites.ts'
import { resource } from '../../kit/declare/resource.ts'
import { flag, id, integer, time } from '../../kit/declare/scalars.ts'
import { notFound } from '../../kit/values/errors.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { maxBundleItems } from '../catalog/bundle.ts'
import { maxItems } from '../orders/item.ts'
import { order } from '../orders/order.ts'
import { fromRefundedParts, unshipped } from '../orders/unsent.ts'
import { undoneStatuses, type OrderStatus } from '../orders/states.ts'

const returnablePart = object({
  part: integer().required().describe('Part of the bundle, counted from 0'),
  quantity: integer().required().describe('Units of the part that can be returned'),
})

const returnableItem = object({
  item_id: id('item').required(),
  quantity: integer().required().describe('Shipped units that are neither refunded nor in another return'),
  parts: list(returnablePart, { max: maxBundleItems })
    .nullable()
    .required()
    .describe('The same of each part of a bundle, instead of or beside whole units; null for other items'),
})

// prettier-ignore
export const returnable = resource('orders', {
  is_open: flag().readonly().describe('Whether the customer can request a return in the online store'),
  until:   time().nullable().readonly()
    .describe('End of the return window: return_window_days of the store after the last shipment'),
  items:   list(returnableItem, { max: maxItems }).readonly(),
}, {}, { noun: 'Order', title: 'Returnable' })

/** `quantity` can be returned, of those that were shipped; `parts`: of each part of a bundle. */
export type ReturnableItem = Pick<ShippedItem, 'id' | 'shipped' | 'quantity' | 'in_one'> & { parts: number[] | null }

type ShippedItem = {
  id: string
  shipped: number
  /** Whole units that the buyer has and that no return holds, and those left to fulfill. */
  quantity: number
  unsent: number
  /** The units of each part in one bundle. */
  in_one: number[] | null
  /** Whether each part is shipped; null in orders from before this was recorded. */
  ships: (boolean | null)[] | null
  /** Whether units were refunded before an edit: the rest is refunded as a whole, and no part alone. */
  is_settled: boolean
  of_parts: PartUnits[] | null
}

/** Units of a part: held by returns, refunded, and those refunded ones that had been shipped. */
type PartUnits = { part: number; held: number; refunded: number; returned: number }

/**
 * Units of open returns and received ones are not returnable. Those of a refunded return count as returned by the
 * refund, unless it fails. The order is locked when this decides.
 */
export async function readReturnableItems(db: Db, storeId: string, orderId: string): Promise<ReturnableItem[]> {
  const rows = await db.rows<ShippedItem>(sql`
    with held as (
      select return_items.item_id, return_items.part,
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
      group by return_items.item_id, return_items.part)
    select order_items.id, fulfilled_quantity as shipped,
      case when requires_shipping
        then greatest(0, fulfilled_quantity - returned_quantity - coalesce(held.quantity, 0))
        else 0 end::int as quantity,
      ${unshipped} as unsent, settled is not null as is_settled,
      (select json_agg(one.part -> 'quantity') from jsonb_array_elements(parts) as one (part)) as in_one,
      (select json_agg(one.part -> 'requires_shipping') from jsonb_array_elements(parts) as one (part)) as ships,
      case when parts is not null then (
        select json_agg(json_build_object('part', part, 'held', held, 'refunded', refunded, 'returned', returned))
        from (
          select part, sum(held)::int as held, sum(refunded)::int as refunded, sum(returned)::int as returned
          from (
            select part, quantity as held, 0 as refunded, 0 as returned
            from held
            where held.item_id = order_items.id
              and part >= 0
            union all
            select refund_items.part, 0, refund_items.quantity, refund_items.returned
            ${fromRefundedParts}) as pieces
          group by part) as by_part) end as of_parts
    from order_items
    left join held on held.item_id = order_items.id
      and held.part = -1
    where order_items.store_id = ${storeId}
      and order_items.order_id = ${orderId}
    order by order_items.id`)
  return rows.map(toReturnableItem)
}

/** Bundles of which a part is gone are returned by their other parts. */
function toReturnableItem({ of_parts, unsent, is_settled, ships, ...item }: ShippedItem): ReturnableItem {
  const { quantity, in_one } = item
  if (!in_one) return { ...item, parts: null }
  const gone = in_one.map((units, part) => {
    const own = of_parts?.find((one) => one.part === part)
    // Units refunded before the shipment are missing in the last bundles to be sent.
    return own ? own.held + Math.max(own.returned, own.refunded - unsent * units) : 0
  })
  const broken = Math.max(0, ...in_one.map((units, part) => Math.ceil(gone[part]! / units)))
  const isAlone = (part: number) => !is_settled && ships![part] !== false
  const parts = in_one.map((units, part) => (isAlone(part) ? Math.max(0, quantity * units - gone[part]!) : 0))
  return { ...item, quantity: Math.max(0, quantity - broken), parts }
}

/** What can be returned of an item, or of one of its parts; undefined if there is no such part. */
export function countReturnable({ quantity, parts }: ReturnableItem, part: number | null): number | undefined {
  return part === null ? quantity : parts?.[part]
}

/** Units of an item, or of one of its parts, that can be returned. */
export type ReturnablePiece = { part: number | null; max: number }

export function listReturnablePieces({ quantity, parts }: ReturnableItem): ReturnablePiece[] {
  const ofParts = (parts ?? []).map((max, part) => ({ part, max }))
  return [{ part: null, max: quantity }, ...ofParts].filter(({ max }) => max > 0)
}

/** What can be returned beside these units. */
export function withoutUnits(item: ReturnableItem, part: number | null, count: number): ReturnableItem {
  const parts = item.parts?.map((left, index) => {
    if (part === null) return Math.max(0, left - count * item.in_one![index]!)
    return index === part ? left - count : left
  })
  return { ...item, quantity: part === null ? item.quantity - count : item.quantity, parts: parts ?? null }
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
  const isThere = !undoneStatuses.includes(returns.status) && items.some(isLeft)
  return { is_open: isThere && until !== null && until >= now, until, status: returns.status, items }
}

/** The response of the API. */
export function toReturnableResponse({ is_open, until, items }: Returnable): object {
  const remaining = items.filter(isLeft)
  return {
    is_open,
    until,
    items: remaining.map(({ id: uuid, quantity, parts }) => {
      const ofParts = parts?.map((count, part) => ({ part, quantity: count })) ?? null
      return { item_id: publicId('item', uuid), quantity, parts: ofParts }
    }),
  }
}

function isLeft({ quantity, parts }: ReturnableItem): boolean {
  return quantity > 0 || (parts?.some((count) => count > 0) ?? false)
}
