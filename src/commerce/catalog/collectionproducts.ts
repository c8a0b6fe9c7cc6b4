// Adds products to collections and removes them. Both counters of a collection change in the same transaction. Products
// are locked first, then collections, as in all operations that change both.
import type { Tx } from '../../kit/database/database.ts'
import { list } from '../../kit/declare/composites.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import { id as idField, integer } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { records, sql } from '../../kit/database/sql.ts'
import { isForSale } from '../inventory/availability.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { collection, maxCollectionProducts, type Collection } from './collection.ts'
import { product } from './product.ts'

export const collectionAddition = createBody({
  product_ids: list(idField('prod'), { min: 1, max: 500, unique: true })
    .required()
    .describe('IDs of products in the desired order; those already in the collection are moved'),
  position: integer({ min: 0, max: maxCollectionProducts }).describe(
    'Position of the first product, starting at 0; defaults to the end',
  ),
})

/** Adds products to a collection, or moves those that it already contains. */
export async function addCollectionProducts(
  tx: Tx,
  store: Store,
  id: string,
  { product_ids: ids, position = maxCollectionProducts }: { product_ids: string[]; position?: number },
): Promise<RecordOf<Collection>> {
  const [products, current, members] = await Promise.all([
    tx.rows<{ id: string; is_for_sale: boolean }>(sql`
      select id, ${isForSale} as is_for_sale
      from products
      where store_id = ${store.id}
        and id = any(${ids}::uuid[])
      order by id
      for share`),
    lockCollection(tx, store.id, id),
    tx.rows<{ product_id: string }>(sql`
      select product_id
      from collection_products
      where store_id = ${store.id}
        and collection_id = ${id}
        and product_id = any(${ids}::uuid[])`),
  ])
  const faults = ids.flatMap((one, index) =>
    products.some((product) => product.id === one) ? [] : [fault(`product_ids.${index}`, generalFaults.does_not_exist)],
  )
  if (faults.length > 0) throw invalid(...faults)
  if (!current) throw notFound(collection.noun)
  const newMembers = products.filter((product) => !members.some(({ product_id }) => product_id === product.id))
  if (current.products_count + newMembers.length > maxCollectionProducts) {
    const filling = { owner: 'a collection', limit: maxCollectionProducts, things: 'products' }
    throw invalid(fault('product_ids', generalFaults.one_too_many, filling))
  }
  placeProducts(tx, store.id, id, ids, position)
  const [row] = await tx.texts(sql`
    update collections
    set products_count = products_count + ${newMembers.length},
      products_for_sale = products_for_sale + ${newMembers.filter(({ is_for_sale }) => is_for_sale).length},
      updated_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${id}
    returning ${collection.columns}`)
  return collection.record(row!)
}

function lockCollection(tx: Tx, storeId: string, id: string): Promise<{ products_count: number } | undefined> {
  return tx.one<{ products_count: number }>(sql`
    select products_count
    from collections
    where store_id = ${storeId}
      and id = ${id}
    for no key update`)
}

/** Shifts later products to make room. Rows that keep their position are not written. */
function placeProducts(tx: Tx, storeId: string, id: string, ids: readonly string[], position: number): void {
  const others = sql`
      from collection_products
      where store_id = ${storeId}
        and collection_id = ${id}
        and product_id <> all(${ids}::uuid[])`
  tx.later(sql`
    update collection_products
    set position = placed.place
    from (
      select product_id, place + case when place < ${position}::int then 0 else ${ids.length}::int end as place
      from (select product_id, row_number() over (order by position, product_id) - 1 as place ${others}) as ordered
      ) as placed
    where collection_products.store_id = ${storeId}
      and collection_products.collection_id = ${id}
      and collection_products.product_id = placed.product_id
      and position <> placed.place`)
  tx.later(sql`
    insert into collection_products as collection_products (store_id, collection_id, product_id, position)
    select ${storeId}, ${id}::uuid, product_id, least(${position}::int, (select count(*) ${others})) + number - 1
    from unnest(${ids}::uuid[]) with ordinality as wanted (product_id, number)
    on conflict (store_id, collection_id, product_id) do update
    set position = excluded.position
    where collection_products.position <> excluded.position`)
}

/** Removes a product from a collection. */
export async function removeCollectionProduct(tx: Tx, store: Store, id: string, productId: string): Promise<void> {
  tx.later(sql`
    select from products
    where store_id = ${store.id}
      and id = ${productId}
    for share`)
  const [current, deletions] = await Promise.all([
    lockCollection(tx, store.id, id),
    tx.rows(sql`
      delete from collection_products
      where store_id = ${store.id}
        and collection_id = ${id}
        and product_id = ${productId}
      returning product_id`),
  ])
  if (!current) throw notFound(collection.noun)
  if (deletions.length === 0) throw notFound(product.noun)
  tx.later(sql`
    update collections
    set products_count = products_count - 1,
      products_for_sale = products_for_sale - (
        select (${isForSale})::int
        from products
        where store_id = ${store.id}
          and id = ${productId}),
      updated_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${id}`)
}

/** Updates the counters when locked products become available for sale or stop being so. */
export function countForSale(tx: Tx, storeId: string, begins: readonly string[], ends: readonly string[]): void {
  const ids = [...begins, ...ends]
  if (ids.length === 0) return
  const members = sql`
      from collection_products
      where store_id = ${storeId}
        and product_id = any(${ids}::uuid[])`
  tx.later(sql`
    select from collections
    where store_id = ${storeId}
      and id in (select collection_id ${members})
    order by id
    for no key update`)
  tx.later(sql`
    update collections
    set products_for_sale = products_for_sale + moved.by, updated_at = ${tx.now}
    from (
      select collection_id, sum(case when product_id = any(${begins}::uuid[]) then 1 else -1 end)::int as by ${members}
      group by collection_id) as moved
    where collections.store_id = ${storeId}
      and collections.id = moved.collection_id`)
}

/** Removes a product from all collections before it is deleted. */
export function removeFromCollections(tx: Tx, storeId: string, productId: string): void {
  tx.later(sql`
    select from products
    where store_id = ${storeId}
      and id = ${productId}
    for update`)
  tx.later(sql`
    update collections
    set products_count = products_count - 1,
      products_for_sale = products_for_sale - (
        select (${isForSale})::int
        from products
        where store_id = ${storeId}
          and id = ${productId}),
      updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = any(${lockedCollections(storeId, productId)})`)
}

/** Locks a product's collections in a fixed order, to prevent deadlocks. */
function lockedCollections(storeId: string, productId: string) {
  return sql`array(
        select id
        from collections
        where store_id = ${storeId}
          and id in (
            select collection_id
            from collection_products
            where store_id = ${storeId}
              and product_id = ${productId})
        order by id
        for no key update)`
}

/** Takes these products out of a collection and puts others back at their places, without an event for each. */
export function restorePlaces(
  tx: Tx,
  storeId: string,
  id: string,
  { removed, places }: { removed: readonly string[]; places: readonly { product_id: string; position: number }[] },
): void {
  tx.later(sql`
    delete from collection_products
    where store_id = ${storeId}
      and collection_id = ${id}
      and product_id = any(${removed}::uuid[])`)
  tx.later(sql`
    insert into collection_products as collection_products (store_id, collection_id, product_id, position)
    select ${storeId}, collections.id, products.id, places.position
    from ${records('places', { product_id: 'uuid', position: 'int' }, places)}
    join products on products.store_id = ${storeId}
      and products.id = places.product_id
    join collections on collections.store_id = ${storeId}
      and collections.id = ${id}
    on conflict (store_id, collection_id, product_id) do update
    set position = excluded.position`)
  tx.later(sql`
    update collections
    set (products_count, products_for_sale) = (
        select count(*), count(*) filter (where ${isForSale})
        from collection_products
        join products on products.store_id = ${storeId}
          and products.id = collection_products.product_id
        where collection_products.store_id = ${storeId}
          and collection_products.collection_id = ${id}),
      updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = ${id}`)
}
