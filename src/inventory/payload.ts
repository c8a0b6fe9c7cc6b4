import type { Db } from '../kit/database/database.ts'
import { id, money, text, time, url } from '../kit/declare/scalars.ts'
import { findRecord } from '../kit/declare/page.ts'
import { resource } from '../kit/declare/resource.ts'

// prettier-ignore
export const productSummary = resource('products', {
  id:             id('prod'),
  name:           text(),
  slug:           text(),
  price:          money(),
  product_status: text(),
  archived_at:    time().nullable(),
  main_image:     url().nullable(),
}, {}, { noun: 'Product' })

/** The product as events carry it. */
export async function productPayload(db: Db, storeId: string, productId: string): Promise<object> {
  return { product: (await findRecord(db, productSummary, storeId, productId)).entity }
}
