// What order.fulfilled says.
import type { Db } from '../kit/database/database.ts'
import { sql } from '../kit/database/sql.ts'
import { pick } from '../kit/declare/row.ts'
import { publicId } from '../kit/values/ids.ts'
import type { Progress } from '../orders/progress.ts'
import type { Fulfillment } from './fulfillment.ts'

export type SentItem = {
  item_id: string
  product_id: string | null
  product_name: string
  variant_name: string | null
  quantity: number
}

/** The pieces of a parcel by name. */
export function sentItems(db: Db, storeId: string, fulfillmentId: string): Promise<SentItem[]> {
  return db.rows<SentItem>(sql`
    select item_id, product_id, product_name, variant_name, fulfillment_items.quantity
    from fulfillment_items
    join order_items on order_items.store_id = ${storeId}
      and order_items.order_id = fulfillment_items.order_id
      and order_items.id = fulfillment_items.item_id
    where fulfillment_items.store_id = ${storeId}
      and fulfillment_items.fulfillment_id = ${fulfillmentId}
    order by item_id`)
}

export function fulfilledPayload(fulfillment: Fulfillment, progress: Progress, items: readonly SentItem[]): object {
  return {
    order: { id: fulfillment.order_id, ...progress },
    fulfillment: {
      ...pick(fulfillment, [
        'id',
        'status',
        'carrier',
        'tracking_number',
        'tracking_url',
        'shipped_at',
        'delivered_at',
      ]),
      items: items.map((item) => ({
        ...item,
        item_id: publicId('item', item.item_id),
        product_id: item.product_id && publicId('prod', item.product_id),
      })),
    },
  }
}
