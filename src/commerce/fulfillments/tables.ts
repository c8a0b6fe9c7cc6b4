import { table } from '../../tenancy/tables/table.ts'
import { fulfillment } from './fulfillment.ts'

export const fulfillments = table(fulfillment, {
  audit: { noun: 'fulfillment', scope: 'orders' },
  erasure: 'fulfillments of these orders',
  replaced: () => ({ carrier: 'null', tracking_number: 'null', tracking_url: 'null' }),
})

export const fulfillmentItems = table('fulfillment_items', {
  audit: { noun: 'fulfillment_item', scope: 'orders', prefix: 'item' },
})
