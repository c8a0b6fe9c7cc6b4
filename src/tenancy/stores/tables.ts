import { undoSetting } from '../tables/setting.ts'
import { table } from '../tables/table.ts'
import { customField, customFields } from './customfield.ts'
import { orderBump, orderBumps } from './orderbump.ts'
import { buildQuoteSealContext } from './ratequote.ts'
import { shippingRate, shippingRates } from './shippingrate.ts'

export const storeSlugs = table('store_slugs', { placement: 'local', audit: 'what stores.slug was' })
export const orderBumpTable = table(orderBump, { audit: { noun: 'order_bump', undo: undoSetting(orderBumps) } })

export const shippingRateTable = table(shippingRate, {
  audit: { noun: 'shipping_rate', undo: { ...undoSetting(shippingRates), follows: ['quote_secret_last4'] } },
  // An app knows the original, which alone asks it.
  replaced: () => ({ quote_url: 'null', quote_secret: 'null', quote_secret_last4: 'null' }),
  sealed: {
    columns: ['quote_secret'],
    context: (row) => buildQuoteSealContext(row.store_id!, row.id!),
    blank: 'null',
    without: { quote_secret: 'null', quote_secret_last4: 'null' },
  },
})

export const customFieldTable = table(customField, { audit: { noun: 'custom_field', undo: undoSetting(customFields) } })
