// Categories and collections as shoppers see them: only active ones, in the reader's language.
import type { Db } from '../../kit/database/database.ts'
import { derive, type Entity, type Fields } from '../../kit/declare/field.ts'
import { integer } from '../../kit/declare/scalars.ts'
import { entityPage, page, loadRecord, type RecordPage } from '../../kit/declare/page.ts'
import { resource, type Json, type ListQuery, type RecordOf, type ResourceOf } from '../../kit/declare/resource.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { inLanguages, type Translatable, type Untranslated } from '../../tenancy/stores/translations.ts'
import { category, maxLevels } from './category.ts'
import { collection } from './collection.ts'
import { languageFilter, type TextLanguage } from './public.ts'
import { idMatching, matchesIdOrSlug } from './slugs.ts'
import { categoryTranslations, collectionTranslations } from './translations.ts'

// prettier-ignore
export const publicCategory = resource('categories', {
  id:              category.fields.id,
  name:            category.fields.name,
  slug:            category.fields.slug,
  description:     category.fields.description,
  image:           category.fields.image,
  seo_title:       category.fields.seo_title,
  seo_description: category.fields.seo_description,
  parent_id:       category.fields.parent_id,
  ancestor_ids:    category.fields.ancestor_ids,
  path:            category.fields.path,
}, { lang: languageFilter, parent_id: category.filters.parent_id }, {
  noun: 'Category', title: 'Storefront category', defaultSort: 'name', defaultOrder: 'asc',
  orderings: category.orderings,
})

// prettier-ignore
export const publicCollection = resource('collections', {
  id:              collection.fields.id,
  name:            collection.fields.name,
  slug:            collection.fields.slug,
  description:     collection.fields.description,
  image:           collection.fields.image,
  seo_title:       collection.fields.seo_title,
  seo_description: collection.fields.seo_description,
  sort_order:      collection.fields.sort_order,
  position:        collection.fields.position,
  products_count:  derive(integer({ min: 0 }), sql`collections.products_for_sale`)
    .describe('Number of products for sale'),
}, { lang: languageFilter }, {
  noun: 'Collection', title: 'Storefront collection', defaultSort: 'position', defaultOrder: 'asc',
})

export type PublicCategory = Entity<typeof publicCategory.fields> & Untranslated
export type PublicCollection = Entity<typeof publicCollection.fields> & Untranslated

/** The public endpoints of a group: lists as JSON and as records, and one record by its ID or slug. */
function publicGroup<F extends Fields>(
  kind: 'categories' | 'collections',
  base: ResourceOf<F>,
  translations: Translatable,
) {
  const translatedView = inLanguages(base, translations)
  const viewIn = (language: TextLanguage) => (language ? translatedView(language) : base)
  const markedView = inLanguages(base, translations, { isMarked: true })
  const pageViewIn = (language: TextLanguage) => (language ? markedView(language) : base)
  const isActive = raw(`${kind}.is_active`)
  return {
    onPages: pageViewIn,
    list: (db: Db, store: Store, query: ListQuery, language: TextLanguage): Promise<Json<RecordPage<Entity<F>>>> =>
      page(db, viewIn(language), store, query, isActive),
    read: (
      db: Db,
      store: Store,
      query: ListQuery,
      language: TextLanguage,
    ): Promise<RecordPage<Entity<F> & Untranslated>> => entityPage(db, pageViewIn(language), store, query, isActive),
    async find(
      db: Db,
      store: Store,
      idOrSlug: string,
      language: TextLanguage,
      { onPage = false } = {},
    ): Promise<RecordOf<Entity<F> & Untranslated>> {
      const view = onPage ? pageViewIn(language) : viewIn(language)
      const [row] = await db.texts(sql`
        select ${view.columns}
        from ${raw(kind)}
        where store_id = ${store.id}
          and ${matchesIdOrSlug(kind, idOrSlug)}`)
      return loadRecord(db, view, store.id, row)
    },
  }
}

export const publicCategories = publicGroup('categories', publicCategory, categoryTranslations)
export const publicCollections = publicGroup('collections', publicCollection, collectionTranslations)

const maxNames = 5000

/** The names of active categories, each after those above it, by their IDs. */
export async function listCategoryNames(
  db: Db,
  storeId: string,
  language: TextLanguage,
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.rows<{ id: string; name: string; ancestor_ids: string[] }>(sql`
    select id, coalesce(translations -> ${language}::text ->> 'name', name) as name, ancestor_ids
    from categories
    where store_id = ${storeId}
      and is_active
    order by id
    limit ${maxNames}`)
  const names = new Map(rows.map(({ id, name }) => [id, name]))
  return new Map(
    rows.map(({ id, ancestor_ids }) => [
      publicId('cat', id),
      joinNames([...ancestor_ids, id].map((one) => names.get(one))),
    ]),
  )
}

/** Names from the top, as feeds and structured data have them. */
export function joinNames(names: readonly (string | undefined)[]): string {
  return names.filter((name) => name !== undefined).join(' > ')
}

/** The public category of a product, after those above it. */
export async function readCategoryTrail(
  db: Db,
  { id: storeId, has_subcategories }: Store,
  product: string,
  language: TextLanguage,
): Promise<PublicCategory[]> {
  const view = publicCategories.onPages(language)
  const own = sql`(
        select category_id
        from products
        where store_id = ${storeId}
          and ${matchesIdOrSlug('products', product)})`
  const rows = await db.texts(sql`
    select ${view.columns}
    from categories
    where store_id = ${storeId}
      and is_active
      and ${has_subcategories ? isInTrail(storeId, own) : sql`id = ${own}`}
    order by cardinality(ancestor_ids)`)
  return rows.map((row) => view.read(row))
}

const maxChildren = 100

/** The active categories above a category, from the top, and those directly below it. */
export async function readCategoryBranch(
  db: Db,
  storeId: string,
  idOrSlug: string,
  language: TextLanguage,
): Promise<{ above: PublicCategory[]; below: PublicCategory[] }> {
  const view = publicCategories.onPages(language)
  const id = idMatching('categories', storeId, idOrSlug)
  const rows = await db.texts(sql`
    select ${view.columns}
    from categories
    where store_id = ${storeId}
      and is_active
      and (parent_id = ${id} or ${isInTrail(storeId, id)})
    order by cardinality(ancestor_ids), categories.name, id
    limit ${maxChildren + maxLevels}`)
  const categories = rows.map((row) => view.read(row))
  const own = categories.find((one) => [one.id, one.slug].includes(idOrSlug))
  return {
    above: categories.filter((one) => own?.ancestor_ids.includes(one.id)),
    below: categories.filter(({ parent_id }) => parent_id !== null && parent_id === own?.id),
  }
}

function isInTrail(storeId: string, id: Sql): Sql {
  return sql`id = any((
        select ancestor_ids || id
        from categories
        where store_id = ${storeId}
          and id = ${id})::uuid[])`
}
