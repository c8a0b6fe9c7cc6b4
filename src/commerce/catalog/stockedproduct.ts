// Products with tracked stock and their variants, for inventory lists.
import { filter, maxCounted, resource } from '../../kit/declare/resource.ts'
import { choice } from '../../kit/declare/scalars.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { inventory } from '../inventory/inventory.ts'
import { product } from './product.ts'

const { fields, filters } = product
const { product_id, variants, ...stock } = inventory.fields

type Columns = { isTracked: Sql; stock: Sql; threshold: Sql }

const ofProduct: Columns = {
  isTracked: sql`products.track_inventory`,
  stock: sql`products.stock_quantity`,
  threshold: sql`products.low_stock_threshold`,
}
const ofVariant: Columns = {
  isTracked: sql`variants.manage_inventory`,
  stock: sql`variants.stock_quantity`,
  threshold: sql`variants.low_stock_threshold`,
}

/** True if stock of the product, or of any variant, is tracked. */
export const hasTrackedStock = sql`products.is_tracked`

const levels: Record<'in_stock' | 'low_stock' | 'out_of_stock', (columns: Columns) => Sql> = {
  in_stock: ({ isTracked, stock, threshold }) => sql`(${isTracked} and ${stock} > ${threshold})`,
  low_stock: ({ isTracked, stock, threshold }) => sql`(${isTracked} and ${stock} between 1 and ${threshold})`,
  out_of_stock: ({ isTracked, stock }) => sql`(${isTracked} and ${stock} <= 0)`,
}

/** Few variants are low: all of them are read at once. Most are in stock: a product looks for one of its own. */
function isAt(level: keyof typeof levels, storeId: string): Sql {
  const variants = sql`
        from variants
        where variants.store_id = ${storeId}
          and ${levels[level](ofVariant)}`
  const isAnyAt =
    level === 'in_stock'
      ? sql`coalesce((select true ${variants} and variants.product_id = products.id limit 1), false)`
      : sql`products.id in (select product_id ${variants})`
  return sql`case when products.variant_count = 0 then ${levels[level](ofProduct)} else ${isAnyAt} end`
}

// prettier-ignore
export const stockedProduct = resource('products', {
  product_id,
  name:           fields.name.readonly(),
  product_status: fields.product_status.readonly(),
  ...stock,
  stock_quantity: stock.stock_quantity.sortable(),
  created_at:     fields.created_at,
  updated_at:     fields.updated_at,
  variants,
}, {
  search:         filters.search,
  status:         filters.status,
  category_id:    filters.category_id,
  collection_id:  filters.collection_id,
  stock_status:   filter(choice(['in_stock', 'low_stock', 'out_of_stock'])
    .describe('Stock status of the product or any variant'), (status, { store_id }) => isAt(status, store_id)),
}, {
  noun: 'Product',
  title: 'Stocked product',
  countsUpTo: maxCounted,
  narrow: { ...product.narrow!, knows: ['status', hasTrackedStock] },
  defaultSort: 'name',
  defaultOrder: 'asc',
})
