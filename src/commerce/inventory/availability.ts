// Decides if an item can be bought, and how much of it is left: in SQL for lists, in TypeScript for orders. The test
// beside this file compares the two.
import { byServers, hasRow, raw, sql, bindStore, type Sql } from '../../kit/database/sql.ts'

/** The columns of an item, which is a product without variants, or a variant. */
type Columns = { isTracked: Sql; continuesSelling: Sql; stock: Sql; lowStock: Sql }

const ofProduct: Columns = {
  isTracked: sql`products.track_inventory`,
  continuesSelling: sql`products.continue_selling`,
  stock: sql`products.stock_quantity`,
  lowStock: sql`products.low_stock_threshold`,
}
const partProduct: Columns = {
  isTracked: sql`part_products.track_inventory`,
  continuesSelling: sql`part_products.continue_selling`,
  stock: sql`part_products.stock_quantity`,
  lowStock: sql`part_products.low_stock_threshold`,
}
const ofVariant: Columns = {
  isTracked: sql`variants.manage_inventory`,
  continuesSelling: sql`variants.continue_selling_when_out_of_stock`,
  stock: sql`variants.stock_quantity`,
  lowStock: sql`variants.low_stock_threshold`,
}

const partVariant: Columns = {
  isTracked: sql`part_variants.manage_inventory`,
  continuesSelling: sql`part_variants.continue_selling_when_out_of_stock`,
  stock: sql`part_variants.stock_quantity`,
  lowStock: sql`part_variants.low_stock_threshold`,
}

const partLeft = ({ isTracked, continuesSelling, stock }: Columns) =>
  sql`case when ${isTracked} and not ${continuesSelling} then greatest(${stock}, 0) / part.quantity end`

/**
 * How many of a bundle the stock of its parts allows; null without a limit. A part that is archived, deleted or no item
 * anymore makes it 0. On a row of the table with bundle_items.
 */
export function bundleStock(table: 'products' | 'variants'): Sql {
  const storeId = bindStore(`${table}.store_id`)
  const items = raw(`${table}.bundle_items`)
  const read = sql`(
    select min(case
      when part_products.id is null or part_products.product_status = 'archived'
        or part_products.bundle_items is not null then 0
      when part.variant_id is null and part_products.variant_count > 0 then 0
      when part.variant_id is null then ${partLeft(partProduct)}
      when part_variants.id is null or part_variants.bundle_items is not null then 0
      else ${partLeft(partVariant)} end)
    from jsonb_to_recordset(${items}) as part (product_id uuid, variant_id uuid, quantity int)
    left join products as part_products on part_products.store_id = ${storeId}
      and part_products.id = part.product_id
    left join variants as part_variants on part_variants.store_id = ${storeId}
      and part_variants.id = part.variant_id
      and part_variants.product_id = part.product_id)`
  return byServers(sql`bundle_stock(${storeId}, ${items})`, read)
}

const hasSome = ({ isTracked, continuesSelling, stock }: Columns) =>
  sql`(not ${isTracked} or ${continuesSelling} or ${stock} > 0)`

/** True if some of an item is there: of a bundle, if the stock of its parts is enough. */
const sells = { product: whichSells('products', ofProduct), variant: whichSells('variants', ofVariant) }

function whichSells(table: 'products' | 'variants', own: Columns): Sql {
  return sql`case when ${raw(table)}.bundle_items is null then ${hasSome(own)}
        else coalesce(${bundleStock(table)} > 0, true) end`
}

const leftIfFew = ({ isTracked, continuesSelling, stock, lowStock }: Columns) =>
  sql`case when ${isTracked} and not ${continuesSelling} and ${stock} between 1 and ${lowStock} then ${stock} end`

/** A condition on a row of products. */
export const isForSale = sql`products.product_status = 'active'`

/** Conditions on a row of products and on a row of variants. */
export const isPurchasable = {
  product: sql`(${isForSale} and
    case when products.variant_count > 0
      then ${hasRow(sql`
        from variants
        where variants.store_id = ${bindStore('products.store_id')}
          and variants.product_id = products.id
          and ${sells.variant}`)}
      else ${sells.product} end)`,
  variant: sql`(${sells.variant}
    and (select ${isForSale} from products
         where products.store_id = ${bindStore('variants.store_id')} and products.id = variants.product_id))`,
}

/** The quantity shown to shoppers if only a few units are left, otherwise null. */
export const stockLeft = {
  product: sql`(case when products.variant_count = 0 then ${leftIfFew(ofProduct)} end)`,
  variant: sql`(${leftIfFew(ofVariant)})`,
}

/** A condition on products left joined with variants by `variantId`: a product with variants is not an item itself. */
export function isItem(variantId: Sql): Sql {
  return sql`case when ${variantId} is null then products.variant_count = 0 else variants.id is not null end`
}

/** True if a row of products left joined with variants is an item that can be bought. */
export const isItemPurchasable = sql`(${isForSale}
    and case when variants.id is not null then ${sells.variant}
      when products.variant_count > 0 then false
      else ${sells.product} end)`

/** True if the item can be sold below zero. */
export const continuesSelling = sql`coalesce(${ofVariant.continuesSelling}, ${ofProduct.continuesSelling})`

type ProductState = {
  product_status: string
  variant_count: number
  track_inventory: boolean
  continue_selling: boolean
  stock_quantity: number
  low_stock_threshold: number
}
type VariantState = {
  manage_inventory: boolean
  continue_selling_when_out_of_stock: boolean
  stock_quantity: number
  low_stock_threshold: number
}

/** `left` is null without a limit. */
export type Availability = {
  isForSale: boolean
  isItem: boolean
  isTracked: boolean
  left: number | null
  /** True if shoppers can see the quantity left. */
  isFew: boolean
}

/** A part of a bundle: it may be a draft, but not archived or a bundle itself. Null if it cannot be sold. */
export function toPartAvailability(
  product: ProductState & MadeOf,
  variant?: VariantState & MadeOf,
): Availability | null {
  const availability = toAvailability(product, variant)
  const isBundle = product.bundle_items !== null || (variant !== undefined && variant.bundle_items !== null)
  return availability.isItem && product.product_status !== 'archived' && !isBundle ? availability : null
}

type MadeOf = { bundle_items: unknown }

export function toAvailability(product: ProductState, variant?: VariantState): Availability {
  const isTracked = variant ? variant.manage_inventory : product.track_inventory
  const continuesSelling = variant ? variant.continue_selling_when_out_of_stock : product.continue_selling
  const { stock_quantity, low_stock_threshold } = variant ?? product
  return {
    isForSale: product.product_status === 'active',
    isItem: variant !== undefined || product.variant_count === 0,
    isTracked,
    left: isTracked && !continuesSelling ? Math.max(stock_quantity, 0) : null,
    isFew: stock_quantity <= low_stock_threshold,
  }
}
