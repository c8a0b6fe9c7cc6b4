// The body of return events.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { complete, list } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { publicId } from '../../kit/values/ids.ts'
import { payload, type Payload } from '../../tenancy/events/payload.ts'
import { item, maxItems } from '../orders/item.ts'
import { order } from '../orders/order.ts'
import { orderReturn, returnItem, type Return } from './return.ts'

const returnEvents = [
  'return.created',
  'return.approved',
  'return.declined',
  'return.received',
  'return.refunded',
  'return.exchanged',
  'return.closed',
  'return.cancelled',
  'return.reopened',
] as const
export type ReturnEvent = (typeof returnEvents)[number]

// prettier-ignore
export const returnBody = payload(returnEvents, {
  order: complete(pick(order.fields, ['id', 'order_number'])),
  return: complete({
    ...pick(orderReturn.fields, [
      'id', 'number', 'status', 'requested_by', 'instructions', 'decline_reason', 'restocking_fee', 'refund_id',
      'exchange_order_id',
    ]),
    items: list(complete({
      ...pick(returnItem.fields, ['item_id']),
      ...pick(item.fields, ['product_id', 'product_name', 'variant_name']),
      ...pick(returnItem.fields, ['quantity', 'reason', 'received_quantity', 'damaged_quantity']),
    }), { max: maxItems }),
  }),
})

export type ReturnedItem = {
  id: string
  product_id: string | null
  variant_id: string | null
  product_name: string
  variant_name: string | null
}

/** The items of an order by their public IDs, with their names. */
export async function findReturnedItems(
  db: Db,
  storeId: string,
  orderId: string,
): Promise<ReadonlyMap<string, ReturnedItem>> {
  const rows = await db.rows<ReturnedItem>(sql`
    select id, product_id, variant_id, product_name, variant_name
    from order_items
    where store_id = ${storeId}
      and order_id = ${orderId}`)
  return new Map(rows.map((row) => [publicId('item', row.id), row]))
}

export function returnPayload(record: Return, items: ReadonlyMap<string, ReturnedItem>): Payload<ReturnEvent> {
  return returnBody.write({
    order: { id: record.order_id, order_number: record.order_number },
    return: {
      ...record,
      items: record.items.map((one) => {
        const { product_id, product_name, variant_name } = items.get(one.item_id)!
        return { ...one, product_id: product_id && publicId('prod', product_id), product_name, variant_name }
      }),
    },
  })
}
