// Products in the bodies of events.
import type { Db } from '../../kit/database/database.ts'
import { complete } from '../../kit/declare/composites.ts'
import { loadEntities, findRecord } from '../../kit/declare/page.ts'
import { resource } from '../../kit/declare/resource.ts'
import { choice, id, money, text, time, url } from '../../kit/declare/scalars.ts'
import { sql } from '../../kit/database/sql.ts'
import { declareEvents, type Payload } from '../../tenancy/events/event.ts'
import { sampleId } from '../samples.ts'

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

const sample = {
  product: {
    id: sampleId('prod'),
    name: 'Canvas backpack',
    slug: 'canvas-backpack',
    price: 1500.5,
    product_status: 'active' as const,
    archived_at: null,
    main_image: 'https://example.com/backpack.jpg',
  },
}
const marks = { scope: 'read:products', subjectId: sample.product.id }

export const productBody = declareEvents(
  { ...marks, fields: { product: complete(productSummary.fields).describe('Product details') } },
  {
    'product.created': { when: 'A product is created.', sample },
    'product.updated': {
      when: 'A product is changed or its stock is adjusted, but not when an order takes stock.',
      sample,
    },
  },
)

export const productDeletedBody = declareEvents(
  { ...marks, fields: { product: complete({ id: productSummary.fields.id }).describe('Product details') } },
  { 'product.deleted': { when: 'A product is deleted.', sample: { product: { id: sample.product.id } } } },
)

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
  const entities = await loadEntities(db, productSummary, storeId, rows)
  return entities.map((entity) => ({ id: entity.id, payload: productBody.write({ product: entity }) }))
}
