import { sql } from '../../kit/database/sql.ts'
import { unequal, unlike } from '../../tenancy/tables/rule.ts'
import { table, undoBy } from '../../tenancy/tables/table.ts'
import { createCategory, updateCategory, deleteCategory } from './categories.ts'
import { category, categoryPath } from './category.ts'
import { collection } from './collection.ts'
import { createCollection, updateCollection, deleteCollection } from './collections.ts'
import { product } from './product.ts'
import { variant } from './variant.ts'

export const categories = table(category, {
  counters: { categories: '' },
  rules: [
    {
      name: 'a category is below the ancestors and the path of its parent',
      broken: sql`
      select store_id, child::text as wrong
      from (
        select store_id, child, ancestors, path,
          max(ancestors) filter (where child is null) over siblings as ancestors_of_all,
          max(path) filter (where child is null) over siblings as path_of_all
        from (
          select store_id, id as parent, null::uuid as child, ancestor_ids || id as ancestors, ${categoryPath} as path
          from categories
          union all
          select store_id, parent_id, id, ancestor_ids, parent_path
          from categories
          where parent_id is not null or parent_path is not null
        ) as places
        window siblings as (partition by store_id, parent)
      ) as compared
      where child is not null
        and (ancestors, path) is distinct from (ancestors_of_all, path_of_all)`,
    },
  ],
  audit: {
    noun: 'category',
    scope: 'categories',
    undo: {
      ...undoBy(category, { create: createCategory, update: updateCategory, remove: deleteCategory }),
      users: (storeId, id, own) => sql`
      select from products
      where store_id = ${storeId}
        and category_id = ${id}
        and id <> all(${own}::uuid[])
      union all
      select from categories
      where store_id = ${storeId}
        and parent_id = ${id}
        and id <> all(${own}::uuid[])
      limit 1`,
    },
  },
})

export const categorySlugs = table('category_slugs', { audit: { noun: 'category_slug', scope: 'categories' } })

export const products = table(product, {
  rules: [
    {
      name: 'a product knows whether its stock is tracked',
      broken: unequal(
        sql`select store_id, id, is_tracked::int, 0 from products`,
        sql`
        select store_id, id, (variant_count = 0 and track_inventory)::int, 0 from products
        union all
        select store_id, product_id, max(manage_inventory::int), 0 from variants group by store_id, product_id`,
      ),
    },
    {
      name: 'a bundle has no stock and no variants of its own',
      broken: sql`
      select store_id, id::text as wrong
      from products
      where bundle_items is not null
        and (track_inventory or stock_quantity <> 0 or variant_count > 0)`,
    },
    {
      name: 'a collection counts its products and those for sale',
      broken: unequal(
        sql`select store_id, id, products_count, products_for_sale from collections`,
        sql`
        select store_id, collection_id, 1, for_sale
        from (
          select store_id, collection_id, max(for_sale) over (partition by store_id, product_id) as for_sale
          from (
            select store_id, product_id, collection_id, 0 as for_sale from collection_products
            union all
            select store_id, id, null, (product_status = 'active')::int from products
          ) as products_and_places
        ) as places
        where collection_id is not null`,
      ),
    },
  ],
  audit: { noun: 'product', scope: 'products' },
  counters: {
    products_active: `product_status = 'active'`,
    products_draft: `product_status = 'draft'`,
    products_archived: `product_status = 'archived'`,
  },
})

export const productSlugs = table('product_slugs', { audit: { noun: 'product_slug', scope: 'products' } })
export const productWords = table('product_words', { audit: 'what follows from products' })
export const listedProducts = table('listed_products', {
  audit: 'what follows from products',
  rules: [
    {
      name: 'the narrow rows of products match the products',
      broken: unlike(
        sql`store_id, id, product_status, created_at, updated_at, publish_at, price, stock_quantity,
          low_stock_threshold, track_inventory, is_tracked, is_featured, variant_count`,
        sql`products`,
        sql`listed_products`,
      ),
    },
  ],
})
export const variants = table(variant, {
  rules: [
    {
      name: 'a variant that is a bundle has no stock of its own',
      broken: sql`
      select store_id, id::text as wrong
      from variants
      where bundle_items is not null
        and (manage_inventory or stock_quantity <> 0)`,
    },
  ],
  audit: { noun: 'variant', scope: 'products' },
})

export const collections = table(collection, {
  counters: { collections: '' },
  audit: {
    noun: 'collection',
    scope: 'products',
    undo: {
      ...undoBy(collection, { create: createCollection, update: updateCollection, remove: deleteCollection }),
      users: (storeId, id, own) => sql`
      select from collection_products
      where store_id = ${storeId}
        and collection_id = ${id}
        and product_id <> all(${own}::uuid[])
      limit 1`,
    },
  },
})

export const collectionSlugs = table('collection_slugs', { audit: { noun: 'collection_slug', scope: 'products' } })

export const collectionProducts = table('collection_products', {
  audit: { noun: 'collection_product', scope: 'products', prefix: 'prod' },
})
