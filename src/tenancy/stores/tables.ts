import { undoSetting } from '../tables/setting.ts'
import { table } from '../tables/table.ts'
import { orderBump, orderBumps } from './orderbump.ts'
import { shippingRate, shippingRates } from './shippingrate.ts'

export const storeSlugs = table('store_slugs', { placement: 'local', audit: 'what stores.slug was' })
export const orderBumpTable = table(orderBump, { audit: { noun: 'order_bump', undo: undoSetting(orderBumps) } })

export const shippingRateTable = table(shippingRate, {
  audit: { noun: 'shipping_rate', undo: undoSetting(shippingRates) },
})
