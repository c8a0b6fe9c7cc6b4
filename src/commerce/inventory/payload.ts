// Products in the bodies of events.
import type { Db } from '../../kit/database/database.ts'
import { complete } from '../../kit/declare/composites.ts'
import { entitiesOf, findRecord } from '../../kit/declare/page.ts'
import { resource } from '../../kit/declare/resource.ts'
import { choice, id, money, text, time, url } from '../../kit/declare/scalars.ts'
import { sql } from '../../kit/database/sql.ts'
import { payload, type Payload } from '../../tenancy/events/payload.ts'

export const productStatuses = ['draft', 'active', 'archived'] as const

// prettier-ignore
const productSummary = resource('products', {
  id:             id('prod'),
  name:           text().example('Canvas backpack'),
  slug:           text().example('canvas-backpack'),
  price:          money().example(1500.5),
  product_status: choice(productStatuses),
  archived_at:    time().nullable(),
  main_image:     url().nullable(),
}, {}, { noun: 'Product' })

export const productBody = payload(['product.created', 'product.updated'], { product: complete(productSummary.fields) })

export const productDeletedBody = payload(['product.deleted'], { product: complete({ id: productSummary.fields.id }) })

export async function productPayload(
  db: Db,
  storeId: string,
  productId: string,
): Promise<Payload<'product.created' | 'product.updated'>> {
  return productBody.write({ product: (await findRecord(db, productSummary, storeId, productId)).entity })
}

/** Several at once, with their public ids. */
export async function productPayloads(
  db: Db,
  storeId: string,
  productIds: readonly string[],
): Promise<{ id: string; payload: Payload<'product.created' | 'product.updated'> }[]> {
  const rows = await db.texts(sql`
    select ${productSummary.columns}
    from products
    where products.store_id = ${storeId}
      and products.id = any(${productIds}::uuid[])
    order by products.id`)
  const entities = await entitiesOf(db, productSummary, storeId, rows)
  return entities.map((entity) => ({ id: entity.id, payload: productBody.write({ product: entity }) }))
}
