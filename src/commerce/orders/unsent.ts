// What of an order's items is still to be sent, as expressions over order_items.
import { bindStore, sql, type Sql } from '../../kit/database/sql.ts'

/** Units that were neither shipped nor refunded as a whole. */
export const unshipped = sql`(order_items.quantity - order_items.fulfilled_quantity
  - order_items.refunded_quantity + order_items.returned_quantity)`

const storeId = bindStore('order_items.store_id')

/** The rows of refund_items for single parts of the item in order_items, unless their refund has failed. */
export const fromRefundedParts = sql`from refund_items
            join refunds on refunds.store_id = ${storeId}
              and refunds.id = refund_items.refund_id
              and refunds.status <> 'failed'
            where refund_items.store_id = ${storeId}
              and refund_items.order_id = order_items.order_id
              and refund_items.item_id = order_items.id
              and refund_items.part >= 0`

/**
 * Units of a part of the item in order_items: those of its unshipped bundles, less those that were refunded before they
 * were sent. Units that were refunded after a shipment that was cancelled later are not sent again.
 */
export const unsentUnits = ({ part, in_one }: Record<'part' | 'in_one', Sql>): Sql => sql`
        greatest(0, ${unshipped} * ${in_one} - (
          select coalesce(sum(refund_items.quantity) - least(sum(refund_items.returned),
            (order_items.fulfilled_quantity - order_items.returned_quantity) * ${in_one}), 0)
          ${fromRefundedParts}
            and refund_items.part = ${part}))::int`

/** The quantity left to fulfill. A bundle of which every part was refunded has nothing left to send. */
export const fulfillable = sql`(case when order_items.parts is null then ${unshipped} else (
    select coalesce(max(ceil(${unsentUnits({ part: sql`position - 1`, in_one: sql`in_one` })}::numeric / in_one)), 0)
    from (
      select position, (part ->> 'quantity')::int as in_one
      from jsonb_array_elements(order_items.parts) with ordinality as one (part, position)) as each_part)::int end)`
