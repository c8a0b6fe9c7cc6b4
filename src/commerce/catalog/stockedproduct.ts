// Products with tracked stock and their variants, for inventory lists.
import { filter, resource } from '../../kit/declare/resource.ts'
import { choice } from '../../kit/declare/scalars.ts'
import { hasRow, sql, type Sql } from '../../kit/database/sql.ts'
import { inventory } from '../inventory/inventory.ts'
import { product } from './product.ts'

const { fields, filters } = product
const { product_id, variants, ...stock } = inventory.fields

/** True if `of` holds for a product without variants or for any variant. It gets the columns of either. */
function anyItem(of: (columns: { isTracked: Sql; stock: Sql; threshold: Sql }) => Sql): Sql {
  const ofProduct = of({
    isTracked: sql`products.track_inventory`,
    stock: sql`products.stock_quantity`,
    threshold: sql`products.low_stock_threshold`,
  })
  const ofVariant = of({
    isTracked: sql`variants.manage_inventory`,
    stock: sql`variants.stock_quantity`,
    threshold: sql`variants.low_stock_threshold`,
  })
  return sql`(case when products.variant_count = 0
      then ${ofProduct}
      else ${hasRow(sql`
        from variants
        where variants.store_id = products.store_id
          and variants.product_id = products.id
          and ${ofVariant}`)}
    end)`
}

export const hasTrackedStock = anyItem(({ isTracked }) => isTracked)

// prettier-ignore
const levels = {
  in_stock:     anyItem(({ isTracked, stock, threshold }) => sql`(${isTracked} and ${stock} > ${threshold})`),
  low_stock:    anyItem(({ isTracked, stock, threshold }) =>
    sql`(${isTracked} and ${stock} between 1 and ${threshold})`),
  out_of_stock: anyItem(({ isTracked, stock }) => sql`(${isTracked} and ${stock} <= 0)`),
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
    .describe('Stock status of the product or any variant'), (status) => levels[status]),
}, {
  noun: 'Product',
  title: 'Stocked product',
  defaultSort: 'name',
  defaultOrder: 'asc',
})
