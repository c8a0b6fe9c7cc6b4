// The body of order.fulfilled events.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { complete, list } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { publicId } from '../../kit/values/ids.ts'
import { declareEvents, type Payload } from '../../tenancy/events/event.ts'
import { item, maxItems } from '../orders/item.ts'
import { order } from '../orders/order.ts'
import type { FulfillmentProgress } from '../orders/fulfillmentstatus.ts'
import { fulfillment, fulfillmentItem, type Fulfillment } from './fulfillment.ts'
import { sampleId, sampleOrder, sampleTime, sampleUnits } from '../samples.ts'

export type FulfilledItem = {
  item_id: string
  product_id: string | null
  product_name: string
  variant_name: string | null
  quantity: number
  requires_shipping: boolean
}

/** The items of a fulfillment, with their names. */
export function findFulfilledItems(db: Db, storeId: string, fulfillmentId: string): Promise<FulfilledItem[]> {
  return db.rows<FulfilledItem>(sql`
    select item_id, product_id, product_name, variant_name, fulfillment_items.quantity, requires_shipping
    from fulfillment_items
    join order_items on order_items.store_id = ${storeId}
      and order_items.order_id = fulfillment_items.order_id
      and order_items.id = fulfillment_items.item_id
    where fulfillment_items.store_id = ${storeId}
      and fulfillment_items.fulfillment_id = ${fulfillmentId}
    order by item_id`)
}

// prettier-ignore
export const fulfilledBody = declareEvents({ scope: 'read:orders', subjectId: sampleOrder.id, fields: {
  order: complete(pick(order.fields, ['id', 'order_number', 'fulfillment_status'])),
  fulfillment: complete({
    ...pick(fulfillment.fields, [
      'id', 'status', 'carrier', 'tracking_number', 'tracking_url', 'shipped_at', 'delivered_at',
    ]),
    items: list(complete({
      item_id: fulfillmentItem.fields.item_id,
      ...pick(item.fields, ['product_id', 'product_name', 'variant_name']),
      quantity: fulfillmentItem.fields.quantity,
    }), { max: maxItems }),
  }).describe('Fulfillment of the event'),
} }, {
  'order.fulfilled': {
    when: 'Items are fulfilled; `order.fulfillment_status` shows whether all of them are '
      + '([fulfillments](fulfillments.md)).',
    sample: {
      order: { ...sampleOrder, fulfillment_status: 'fulfilled' },
      fulfillment: {
        id: sampleId('ful'), status: 'shipped', carrier: 'DHL', tracking_number: '00340434161094042557',
        tracking_url: 'https://www.dhl.com/global-en/home/tracking.html?tracking-id=00340434161094042557',
        shipped_at: sampleTime, delivered_at: null, items: [{ item_id: sampleId('item'), ...sampleUnits }],
      },
    },
  },
})

export function fulfilledPayload(
  record: Fulfillment,
  progress: FulfillmentProgress,
  items: readonly FulfilledItem[],
): Payload<'order.fulfilled'> {
  return fulfilledBody.write({
    order: { id: record.order_id, ...progress },
    fulfillment: {
      ...record,
      items: items.map(({ requires_shipping: _, ...one }) => ({
        ...one,
        item_id: publicId('item', one.item_id),
        product_id: one.product_id && publicId('prod', one.product_id),
      })),
    },
  })
}
