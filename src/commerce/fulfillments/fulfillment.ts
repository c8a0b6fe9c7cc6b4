// A fulfillment: a shipment, or any other delivery of items of an order.
import { list, many, object } from '../../kit/declare/composites.ts'
import { derive, type Create, type Patch } from '../../kit/declare/field.ts'
import { resource } from '../../kit/declare/resource.ts'
import { choice, id, integer, text, time, url } from '../../kit/declare/scalars.ts'
import { createBody, patchBody } from '../../kit/declare/shape.ts'
import { sql } from '../../kit/database/sql.ts'
import { reason } from '../../kit/values/faults.ts'
import { maxItems } from '../orders/item.ts'
import { shipmentStatuses } from './states.ts'
import { addressFaults } from '../../platform/outbound/errors.ts'

export const fulfillmentItem = resource(
  'fulfillment_items',
  { item_id: id('item').readonly(), quantity: integer().readonly().example(2) },
  {},
  { noun: 'Fulfillment item', parent: { column: 'fulfillment_id', order: 'fulfillment_items.item_id' } },
)

export type FulfillmentItem = NonNullable<typeof fulfillmentItem.type>

// prettier-ignore
export const fulfillment = resource('fulfillments', {
  id:              id('ful').readonly(),
  order_id:        id('ord').readonly(),
  status:          derive(choice(shipmentStatuses), sql`
    case when fulfillments.cancelled_at is not null then 'cancelled'
         when fulfillments.delivered_at is not null then 'delivered'
         else 'shipped' end`),
  carrier:         text({ min: 1, max: 100 }).nullable().example('DHL').describe('Carrier'),
  tracking_number: text({ min: 1, max: 100 }).nullable().personal().example('00340434161094042557')
    .describe('Tracking number'),
  tracking_url:    url().rule((address) => (/^https:/i.test(address) ? null : reason(addressFaults.not_https)))
    .nullable().personal()
    .describe('Tracking page (https); generated for well-known carriers if omitted'),
  shipped_at:      time().describe('Time of shipment; defaults to now'),
  delivered_at:    time().nullable().describe('Time the shipment was delivered; null if unknown'),
  cancelled_at:    time().nullable().readonly(),
  created_at:      time().readonly().sortable(),
  updated_at:      time().readonly(),
  items:           many<FulfillmentItem>(fulfillmentItem),
}, {}, { noun: 'Fulfillment' })

export type Fulfillment = NonNullable<typeof fulfillment.type>

/** Items of an order in a request body. */
const itemPieces = () =>
  list(object({ item_id: id('item').required(), quantity: integer({ min: 1, max: 1_000_000 }).required() }), {
    min: 1,
    max: maxItems,
  })

const newFields = {
  ...fulfillment.fields,
  items: itemPieces().describe('Items to fulfill; defaults to everything left'),
}

export type NewFulfillment = Create<typeof newFields>
export const newFulfillment = createBody(newFields)

const changes = {
  ...fulfillment.fields,
  status: choice(shipmentStatuses).describe('Status of the shipment; cancelled makes its items unfulfilled again'),
}

export type FulfillmentPatch = Patch<typeof changes>
export const fulfillmentChanges = patchBody(changes)
