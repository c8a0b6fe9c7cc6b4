// The body of order.commented events.
import { complete } from '../../../kit/declare/composites.ts'
import { pick } from '../../../kit/declare/row.ts'
import { payload, type Payload } from '../../../tenancy/events/payload.ts'
import { order } from '../order.ts'
import { orderComment, type OrderComment } from './comment.ts'

export const commentedBody = payload(['order.commented'], {
  order: complete(pick(order.fields, ['id', 'order_number'])),
  comment: complete({
    ...pick(orderComment.fields, ['id', 'author_kind', 'author_id', 'mentions', 'created_at', 'edited_at']),
    body: orderComment.fields.body.nullable().describe('Plain text; null after the customer of the order is erased'),
  }),
})

export function commentedPayload(order_number: number, record: OrderComment): Payload<'order.commented'> {
  return commentedBody.write({ order: { id: record.order_id, order_number }, comment: record })
}
