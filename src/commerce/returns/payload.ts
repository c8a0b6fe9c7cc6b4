// The body of return events.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { complete, list } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { publicId } from '../../kit/values/ids.ts'
import { declareEvents, type Payload } from '../../tenancy/events/event.ts'
import { item, maxItems, type ItemPart } from '../orders/item.ts'
import { order } from '../orders/order.ts'
import { orderReturn, returnItem, type Return } from './return.ts'
import type { ReturnStatus } from './states.ts'
import { sampleId, sampleOrder, sampleUnits } from '../samples.ts'

/** A sample of a return in this status. */
function buildReturnSample(status: ReturnStatus, changes: Partial<Return> = {}) {
  const received_quantity = ['received', 'closed'].includes(status) ? sampleUnits.quantity : 0
  return {
    order: sampleOrder,
    return: {
      id: sampleId('ret'),
      number: 1,
      status,
      requested_by: 'customer' as const,
      instructions: null,
      decline_reason: null,
      restocking_fee: 0,
      refund_id: null,
      exchange_order_id: null,
      ...changes,
      items: [
        {
          item_id: sampleId('item'),
          part: null,
          ...sampleUnits,
          reason: 'does_not_fit' as const,
          received_quantity,
          damaged_quantity: 0,
        },
      ],
    },
  }
}

// prettier-ignore
export const returnBody = declareEvents({ scope: 'read:orders', subjectId: sampleOrder.id, fields: {
  order: complete(pick(order.fields, ['id', 'order_number'])),
  return: complete({
    ...pick(orderReturn.fields, [
      'id', 'number', 'status', 'requested_by', 'instructions', 'decline_reason', 'restocking_fee', 'refund_id',
      'exchange_order_id',
    ]),
    items: list(complete({
      ...pick(returnItem.fields, ['item_id', 'part']),
      ...pick(item.fields, ['product_id', 'product_name', 'variant_name']),
      ...pick(returnItem.fields, ['quantity', 'reason', 'received_quantity', 'damaged_quantity']),
    }), { max: maxItems }),
  }).describe('Return of the event'),
} }, {
  'return.created':   { when: 'A [return](returns.md) is requested.', sample: buildReturnSample('requested') },
  'return.approved':  { when: 'A return is approved.',
                        sample: buildReturnSample('approved',
                          { instructions: 'Send it to Dock Street 4, with the slip' }) },
  'return.declined':  { when: 'A return is declined.',
                        sample: buildReturnSample('declined', { decline_reason: 'The return period is over' }) },
  'return.received':  { when: 'Items of a return have arrived.', sample: buildReturnSample('received') },
  'return.refunded':  { when: 'A return ends with a refund.',
                        sample: buildReturnSample('closed', { refund_id: sampleId('ref') }) },
  'return.exchanged': { when: 'A return ends with a new order.',
                        sample: buildReturnSample('closed', { exchange_order_id: sampleOrder.id }) },
  'return.closed':    { when: 'A return ends with neither.', sample: buildReturnSample('closed') },
  'return.cancelled': { when: 'A return is canceled.', sample: buildReturnSample('cancelled') },
  'return.reopened':  { when: 'The last step of a return is undone.', sample: buildReturnSample('requested') },
})

export type ReturnEvent = (typeof returnBody)['types'][number]['type']

export type ReturnedItem = {
  id: string
  product_id: string | null
  variant_id: string | null
  product_name: string
  variant_name: string | null
  parts: ItemPart[] | null
}

/** The items of an order by their public IDs, with their names. */
export async function findReturnedItems(
  db: Db,
  storeId: string,
  orderId: string,
): Promise<ReadonlyMap<string, ReturnedItem>> {
  const rows = await db.rows<ReturnedItem>(sql`
    select id, product_id, variant_id, product_name, variant_name, parts
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
