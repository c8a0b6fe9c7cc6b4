// Lists a collection's products in their order. A page is read from the index of positions.
import type { Db, RowTexts } from '../../kit/database/database.ts'
import type { Entity, Fields } from '../../kit/declare/field.ts'
import { integer } from '../../kit/declare/scalars.ts'
import { cursorBehind, isBehind, keyOrder, type PlaceKeys } from '../../kit/declare/cursor.ts'
import {
  loadEntities,
  loadEntitiesJson,
  type CursorPagination,
  type Pagination,
  type RecordPage,
} from '../../kit/declare/page.ts'
import { json } from '../../kit/declare/route.ts'
import { resource, type Json, type ListQuery, type Resource, type ResourceOf } from '../../kit/declare/resource.ts'
import { and, hasRow, raw, sql, bindStore, type Sql } from '../../kit/database/sql.ts'
import { notFound } from '../../kit/values/errors.ts'
import { isForSale } from '../inventory/availability.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { collection } from './collection.ts'
import { product, type Product } from './product.ts'
import { cardIn, type ProductCard } from './productcard.ts'
import { productIn, publicProduct, type TextLanguage, type PublicProduct } from './public.ts'
import { idMatching } from './slugs.ts'
import { withTerms } from './translations.ts'

const keys: PlaceKeys = [['product_id', 'uuid']]
const byPosition = { noun: product.noun, defaultSort: 'position', defaultOrder: 'asc', keys } as const
const position = { position: integer().sortable() }

/** The query parameters of these lists. */
export const { query: collectionQuery } = resource('collection_products', position, {}, byPosition)
export const { query: publicCollectionQuery } = resource(
  'collection_products',
  position,
  publicProduct.filters,
  byPosition,
)

type CollectionRef = { id: Sql; total: 'products_count' | 'products_for_sale' }

/** All products of a collection, whatever their status. */
export async function listCollectionProducts(
  db: Db,
  store: Store,
  id: string,
  query: ListQuery,
): Promise<Json<RecordPage<Product>>> {
  const { rows, pagination } = await listCollectionRows(db, store, product, allProducts(id), query, [])
  const records = await loadEntitiesJson(db, product, store.id, rows)
  return `{"data":[${records.join(',')}],"pagination":${JSON.stringify(pagination)}}`
}

/** The same products as objects, for the dashboard. */
export async function readCollectionProducts(
  db: Db,
  store: Store,
  id: string,
  query: ListQuery,
): Promise<RecordPage<Product>> {
  const { rows, pagination } = await listNumberedPage(db, store, product, allProducts(id), query, [])
  return { data: await loadEntities(db, product, store.id, rows), pagination }
}

const allProducts = (id: string): CollectionRef => ({ id: sql`${id}::uuid`, total: 'products_count' })

/** Products for sale in an active collection, with the filters of the query. */
export async function listPublicCollectionProducts(
  db: Db,
  store: Store,
  idOrSlug: string,
  query: ListQuery,
  language: TextLanguage,
): Promise<Json<RecordPage<PublicProduct>>> {
  const { data, pagination } = await readPublic(db, store, { idOrSlug, query }, productIn(language), listCollectionRows)
  return json({ data: data.map(withTerms), pagination }) as Json<RecordPage<PublicProduct>>
}

/** The same products as lists of the online store show them. */
export async function readPublicCollectionProducts(
  db: Db,
  store: Store,
  idOrSlug: string,
  query: ListQuery,
  language: TextLanguage,
  within: readonly Sql[] = [],
): Promise<RecordPage<ProductCard>> {
  return readPublic(db, store, { idOrSlug, query, within }, cardIn(language), listNumberedPage)
}

async function readPublic<F extends Fields, P>(
  db: Db,
  store: Store,
  { idOrSlug, query, within = [] }: { idOrSlug: string; query: ListQuery; within?: readonly Sql[] },
  view: ResourceOf<F>,
  read: (...args: Parameters<typeof listNumberedPage>) => Promise<{ rows: RowTexts[]; pagination: P }>,
): Promise<{ data: Entity<F>[]; pagination: P }> {
  const target: CollectionRef = { id: idMatching('collections', store.id, idOrSlug), total: 'products_for_sale' }
  const context = { ...store, store_id: store.id }
  const filterConditions = Object.entries(publicProduct.filters as Resource['filters'])
    .map(([name, { where }]) => ((query[name] ?? null) === null ? null : where(query[name], context)))
    .filter((condition) => condition !== null)
  const { rows, pagination } = await read(db, store, view, target, query, [isForSale, ...within, ...filterConditions])
  return { data: await loadEntities(db, view, store.id, rows), pagination }
}

/** Lists a page by number or by cursor, as the query requests. */
function listCollectionRows(
  ...args: Parameters<typeof listNumberedPage>
): Promise<{ rows: RowTexts[]; pagination: Pagination | CursorPagination }> {
  return args[4].cursor ? pageBehind(...args) : listNumberedPage(...args)
}

/** The products of a collection, in the order of creation. */
async function pageBehind(
  ...[db, store, of, { id }, { per_page, order, cursor }, conditions]: Parameters<typeof listNumberedPage>
): Promise<{ rows: RowTexts[]; pagination: CursorPagination }> {
  const limit = raw(String(per_page + 1))
  const [productRows, exists] = await Promise.all([
    db.texts(sql`
      select ${of.columns}, chosen.product_id
      from unnest(array(
        select places.product_id
        ${buildPlacesClause(store, id, conditions)}
          and ${and(isBehind('places', keys, cursor!, order))}
        order by ${keyOrder('places', keys, order)}
        limit ${limit})) with ordinality as chosen (product_id, place)
      join products on products.store_id = ${store.id}
        and products.id = chosen.product_id
      order by chosen.place`),
    db.one(sql`
      select id
      from collections
      where store_id = ${store.id}
        and id = ${id}`),
  ])
  if (!exists) throw notFound(collection.noun)
  const rows = productRows.slice(0, per_page)
  const next_cursor = productRows.length > per_page ? cursorBehind(keys, rows.at(-1)!) : null
  return { rows, pagination: { per_page, next_cursor } }
}

function buildPlacesClause(store: Store, id: Sql, conditions: Sql[]): Sql {
  return sql`
    from collection_products as places
    where places.store_id = ${store.id}
      and places.collection_id = ${id}
      and ${conditions.length === 0 ? sql`true` : isProduct(conditions)}`
}

/** The total comes from the collection's counter; filtered lists are counted. */
async function listNumberedPage<F extends Fields>(
  db: Db,
  store: Store,
  of: Resource<F, any>,
  { id, total }: CollectionRef,
  { page, per_page, order, ...query }: ListQuery,
  conditions: Sql[],
): Promise<{ rows: RowTexts[]; pagination: Pagination }> {
  const places = buildPlacesClause(store, id, conditions)
  const isNarrowed = Object.keys(query).some(
    (name) => name !== 'lang' && name in of.filters && query[name] !== undefined,
  )
  const [productRows, count] = await Promise.all([
    db.texts(sql`
      select ${of.columns}
      from unnest(array(
        select places.product_id
        ${places}
        order by places.position ${raw(order)}, places.product_id ${raw(order)}
        limit ${raw(String(per_page))} offset ${(page - 1) * per_page})) with ordinality as chosen (product_id, place)
      join products on products.store_id = ${store.id}
        and products.id = chosen.product_id
      order by chosen.place`),
    db.one<{ total: number }>(sql`
      select ${isNarrowed ? sql`(select count(*) ${places})` : raw(total)} as total
      from collections
      where store_id = ${store.id}
        and id = ${id}`),
  ])
  if (!count) throw notFound(collection.noun)
  return {
    rows: productRows,
    pagination: { page, per_page, total: count.total, total_pages: Math.ceil(count.total / per_page) },
  }
}

/** Restricts positions to matching products. The lookup per row keeps the order of the index. */
function isProduct(conditions: Sql[]): Sql {
  return hasRow(sql`
        from products
        where products.store_id = ${bindStore('places.store_id')}
          and products.id = places.product_id
          and ${and(conditions)}`)
}
