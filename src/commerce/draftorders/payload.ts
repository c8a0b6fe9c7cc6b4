// The bodies of events about draft orders. They contain only the ID of the customer.
import { complete } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { declareEvents, type Payload } from '../../tenancy/events/event.ts'
import { draftOrder, type DraftOrder, type DraftStatus } from './draftorder.ts'
import { sampleId, sampleTime } from '../samples.ts'

const { fields } = draftOrder

const id = sampleId('dord')
const marks = { scope: 'read:orders', subjectId: id }
const later = new Date('2026-01-22T12:00:00.000Z')

function buildDraftSample(status: DraftStatus, changes: Partial<DraftOrder> = {}) {
  const none = { order_id: null, link_expires_at: null, completed_at: null }
  const order = { customer_id: sampleId('cus'), item_count: 1, currency: 'MXN', total: 1599.5, created_at: sampleTime }
  return { draft_order: { id, draft_number: 'D12', status, ...none, ...order, ...changes } }
}

// prettier-ignore
export const draftOrderBody = declareEvents({ ...marks, fields: {
  draft_order: complete(pick(fields, [
    'id', 'draft_number', 'status', 'order_id', 'customer_id', 'item_count', 'currency', 'total', 'link_expires_at',
    'completed_at', 'created_at',
  ])).describe('Draft order of the event'),
} }, {
  'draft_order.created':   { when: 'A draft order is created ([draft orders](draft-orders.md)).',
                             sample: buildDraftSample('open') },
  'draft_order.updated':   { when: 'A draft order is changed, or its link is shown or revoked.',
                             sample: buildDraftSample('open') },
  'draft_order.sent':      { when: 'The payment link of a draft order is emailed.',
                             sample: buildDraftSample('sent', { link_expires_at: later }) },
  'draft_order.completed': { when: 'A draft order has become an order.',
                             sample: buildDraftSample('completed',
                               { order_id: sampleId('ord'), completed_at: later }) },
})

export const draftOrderDeletedBody = declareEvents(
  { ...marks, fields: { draft_order: complete(pick(fields, ['id'])).describe('Draft order of the event') } },
  { 'draft_order.deleted': { when: 'A draft order is deleted.', sample: { draft_order: { id } } } },
)

type DraftOrderEvent = (typeof draftOrderBody)['types'][number]['type']

export function draftOrderPayload(record: DraftOrder): Payload<DraftOrderEvent> {
  return draftOrderBody.write({ draft_order: record })
}
