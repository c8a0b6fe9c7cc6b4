// What an app hears when orders miss license keys that it makes.
import { complete } from '../../kit/declare/composites.ts'
import { pick } from '../../kit/declare/row.ts'
import { order } from '../../commerce/orders/order.ts'
import { sampleId, sampleOrder } from '../../commerce/samples.ts'
import { declareEvents } from '../../tenancy/events/event.ts'
import { grant } from './download.ts'

// prettier-ignore
export const keysMissing = declareEvents({ scope: 'read:orders', subjectId: sampleOrder.id, fields: {
  order: complete(pick(order.fields, ['id'])),
  grant: complete(pick(grant.fields, ['id', 'item_id', 'product_id', 'variant_id', 'missing_keys']))
    .describe('What the order was granted'),
} }, {
  'downloads.keys_missing': {
    when: 'A paid order misses license keys that an app makes ([downloads](downloads.md#license-keys-from-an-app)).',
    sample: {
      order: { id: sampleOrder.id },
      grant: {
        id: sampleId('dlg'), item_id: sampleId('item'), product_id: sampleId('prod'), variant_id: null, missing_keys: 2,
      },
    },
  },
})
