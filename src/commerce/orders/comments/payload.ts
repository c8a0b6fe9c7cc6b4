// The body of order.commented events.
import { complete } from '../../../kit/declare/composites.ts'
import { pick } from '../../../kit/declare/row.ts'
import { declareEvents, type Payload } from '../../../tenancy/events/event.ts'
import { order } from '../order.ts'
import { orderComment, type OrderComment } from './comment.ts'
import { sampleId, sampleOrder, sampleTime } from '../../samples.ts'

// prettier-ignore
export const commentedBody = declareEvents({ scope: 'read:orders', subjectId: sampleOrder.id, fields: {
  order: complete(pick(order.fields, ['id', 'order_number'])),
  comment: complete({
    ...pick(orderComment.fields, ['id', 'author_kind', 'author_id', 'mentions', 'created_at', 'edited_at']),
    body: orderComment.fields.body.nullable().describe('Plain text; null after the customer of the order is erased'),
  }),
} }, {
  'order.commented': {
    when: 'Staff or an app comments on an order ([orders](orders.md#comments)).',
    sample: {
      order: sampleOrder,
      comment: {
        id: sampleId('cmt'), body: '@Ana, can you check the address?', author_kind: 'user', author_id: sampleId('usr'),
        mentions: [sampleId('usr')], created_at: sampleTime, edited_at: null,
      },
    },
  },
})

export function commentedPayload(order_number: number, record: OrderComment): Payload<'order.commented'> {
  return commentedBody.write({ order: { id: record.order_id, order_number }, comment: record })
}
