// A product has a row with its first image, one for each of its other images, and one for each variant.
import type { Db } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import type { GalleryItem } from '../../../commerce/catalog/gallery.ts'
import type { Product } from '../../../commerce/catalog/product.ts'
import type { Variant } from '../../../commerce/catalog/variant.ts'
import { formatCategories } from '../imports/cells.ts'
import { imageParts, rowFields } from '../imports/fields.ts'
import { ownCells } from './columns.ts'
import type { ExportRow } from './row.ts'

export async function productRows(db: Db, storeId: string, products: Product[]): Promise<ExportRow[]> {
  const [categories, collections] = await Promise.all([
    listCategoryPaths(db, storeId, products.flatMap(toCategoryUuids)),
    collectionNames(db, storeId, products),
  ])
  return products.flatMap((product) => {
    const { id, slug, gallery, options, variants } = product
    const [category] = toCategoryUuids(product)
    const [first, ...images] = gallery
    const whole = {
      row_type: 'product',
      ...ownCells('products', product),
      category: category && categories.get(category),
      collections: collections.get(toUuid('prod', id)!),
      ...(first ? imageCells(first) : {}),
    }
    return [
      whole,
      ...images.map((image) => ({ row_type: 'image', slug, ...imageCells(image) })),
      ...variants.map((variant) => ({ row_type: 'variation', slug, ...variantCells(variant, options) })),
    ]
  })
}

function toCategoryUuids({ category_id }: Product): string[] {
  return category_id ? [toUuid('cat', category_id)!] : []
}

function imageCells(image: GalleryItem): ExportRow {
  return Object.fromEntries(Object.entries(imageParts).map(([column, part]) => [column, image[part]]))
}

/** Options keep the order of the product. */
function variantCells(variant: Variant, options: { title?: string }[]): ExportRow {
  const values = options.flatMap(({ title }, index) => {
    const value = variant.option_values.find(({ option_title }) => option_title === title)?.value
    return [
      [`option${index + 1}_name`, value === undefined ? null : title],
      [`option${index + 1}_value`, value],
    ]
  })
  const fields = Object.entries(rowFields).map(([column, name]) => [column, variant[name as keyof Variant]])
  return Object.fromEntries([...values, ['variant_title', variant.title], ['image', variant.image], ...fields])
}

/** `Clothing > Shirts`, by the UUID of the category. */
async function listCategoryPaths(db: Db, storeId: string, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows<{ id: string; path: string[] }>(sql`
    select id, array(
        select above.name
        from categories as above
        where above.store_id = ${storeId}
          and above.id = any(categories.ancestor_ids)
        order by cardinality(above.ancestor_ids)) || name as path
    from categories
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
  return new Map(rows.map(({ id, path }) => [id, formatCategories(path)]))
}

async function collectionNames(db: Db, storeId: string, products: readonly Product[]): Promise<Map<string, string[]>> {
  const ids = products.map(({ id }) => toUuid('prod', id)!)
  const rows = await db.rows<{ product_id: string; name: string }>(sql`
    select collection_products.product_id, collections.name
    from collection_products
    join collections on collections.store_id = ${storeId}
      and collections.id = collection_products.collection_id
    where collection_products.store_id = ${storeId}
      and collection_products.product_id = any(${ids}::uuid[])
    order by collections.name_key`)
  const names = Map.groupBy(rows, ({ product_id }) => product_id)
  return new Map([...names].map(([id, own]) => [id, own.map(({ name }) => name)]))
}
