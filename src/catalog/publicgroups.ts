// What shoppers see of what products are sorted by: active categories and collections, in the reader's language.
import type { Db } from '../kit/database/database.ts'
import { derived, type Entity, type Fields } from '../kit/declare/field.ts'
import { integer } from '../kit/declare/scalars.ts'
import { entityPage, page, recordOf, type Page } from '../kit/declare/page.ts'
import { resource, type Json, type ListQuery, type RecordOf, type Resource } from '../kit/declare/resource.ts'
import { raw, sql, type Sql } from '../kit/database/sql.ts'
import type { Store } from '../stores/store.ts'
import { inLanguages } from '../stores/translations.ts'
import { category } from './category.ts'
import { collection } from './collection.ts'
import { asked, type In } from './public.ts'
import { isNamed } from './slugs.ts'
import { categoryTranslations, collectionTranslations } from './translations.ts'

// prettier-ignore
export const publicCategory = resource('categories', {
  id:          category.fields.id,
  name:        category.fields.name,
  slug:        category.fields.slug,
  description: category.fields.description,
  image:       category.fields.image,
}, { lang: asked }, { noun: 'Category', title: 'Storefront category', defaultSort: 'name', defaultOrder: 'asc' })

// prettier-ignore
export const publicCollection = resource('collections', {
  id:             collection.fields.id,
  name:           collection.fields.name,
  slug:           collection.fields.slug,
  description:    collection.fields.description,
  image:          collection.fields.image,
  sort_order:     collection.fields.sort_order,
  position:       collection.fields.position,
  products_count: derived(integer({ min: 0 }), sql`collections.products_for_sale`),
}, { lang: asked }, {
  noun: 'Collection', title: 'Storefront collection', defaultSort: 'position', defaultOrder: 'asc',
})

export type PublicCategory = Entity<typeof publicCategory.fields>
export type PublicCollection = Entity<typeof publicCollection.fields>

const categoriesIn = inLanguages(publicCategory, categoryTranslations)
const collectionsIn = inLanguages(publicCollection, collectionTranslations)

const categoryIn = (language: In) => (language ? categoriesIn(language) : publicCategory)
const collectionIn = (language: In) => (language ? collectionsIn(language) : publicCollection)

/** The category that shoppers find a product in. */
export async function findCategoryOfProduct(
  db: Db,
  storeId: string,
  idOrSlug: string,
  language: In,
): Promise<PublicCategory | undefined> {
  const shown = categoryIn(language)
  const [row] = await db.texts(sql`
    select ${shown.columns}
    from categories
    where store_id = ${storeId}
      and is_active
      and id = (
        select category_id
        from products
        where store_id = ${storeId}
          and ${isNamed('products', idOrSlug)})`)
  return row && shown.read(row)
}

export function listPublicCategories(
  db: Db,
  store: Store,
  query: ListQuery,
  language: In,
): Promise<Json<Page<PublicCategory>>> {
  return page(db, categoryIn(language), store, query, sql`categories.is_active`)
}

export function readPublicCategories(
  db: Db,
  store: Store,
  query: ListQuery,
  language: In,
): Promise<Page<PublicCategory>> {
  return entityPage(db, categoryIn(language), store, query, sql`categories.is_active`)
}

export function listPublicCollections(
  db: Db,
  store: Store,
  query: ListQuery,
  language: In,
): Promise<Json<Page<PublicCollection>>> {
  return page(db, collectionIn(language), store, query, sql`collections.is_active`)
}

export function readPublicCollections(
  db: Db,
  store: Store,
  query: ListQuery,
  language: In,
): Promise<Page<PublicCollection>> {
  return entityPage(db, collectionIn(language), store, query, sql`collections.is_active`)
}

export function findPublicCategory(
  db: Db,
  store: Store,
  idOrSlug: string,
  language: In,
): Promise<RecordOf<PublicCategory>> {
  return findNamed(db, store, categoryIn(language), isNamed('categories', idOrSlug))
}

export function findPublicCollection(
  db: Db,
  store: Store,
  idOrSlug: string,
  language: In,
): Promise<RecordOf<PublicCollection>> {
  return findNamed(db, store, collectionIn(language), isNamed('collections', idOrSlug))
}

async function findNamed<F extends Fields>(
  db: Db,
  store: Store,
  shown: Resource<F, any>,
  named: Sql,
): Promise<RecordOf<Entity<F>>> {
  const [row] = await db.texts(sql`
    select ${shown.columns}
    from ${raw(shown.table)}
    where store_id = ${store.id}
      and ${named}`)
  return recordOf(db, shown, store.id, row)
}
