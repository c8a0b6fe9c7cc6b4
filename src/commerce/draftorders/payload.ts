// The bodies of events about draft orders. They tell nothing of the customer but the ID.
import { complete } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { payload, type Payload } from '../../tenancy/events/payload.ts'
import { draftOrder, type DraftOrder } from './draftorder.ts'

const { fields } = draftOrder

// prettier-ignore
export const draftOrderBody = payload(
  ['draft_order.created', 'draft_order.updated', 'draft_order.sent', 'draft_order.completed'],
  { draft_order: complete(pick(fields, [
    'id', 'status', 'order_id', 'customer_id', 'item_count', 'currency', 'total', 'link_expires_at', 'completed_at',
    'created_at',
  ])) },
)

export const draftOrderDeletedBody = payload(['draft_order.deleted'], { draft_order: complete(pick(fields, ['id'])) })

type DraftOrderEvent = 'draft_order.created' | 'draft_order.updated' | 'draft_order.sent' | 'draft_order.completed'

export function draftOrderPayload(record: DraftOrder): Payload<DraftOrderEvent> {
  return draftOrderBody.write({ draft_order: record })
}
