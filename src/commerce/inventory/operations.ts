import type { Tx } from '../../kit/database/database.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, type Fault } from '../../kit/values/faults.ts'
import { publicId } from '../../kit/values/ids.ts'
import { findRecord } from '../../kit/declare/page.ts'
import type { RecordOf } from '../../kit/declare/resource.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { empty, sql } from '../../kit/database/sql.ts'
import { emit } from '../../tenancy/events/emit.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import {
  inventory,
  type StockAdjustment,
  type Inventory,
  type StockSettings,
  type VariantInventory,
} from './inventory.ts'
import { productPayload } from '../catalog/payload.ts'
import { maxStock, moveStock } from './stock.ts'
import { inventoryFaults } from './errors.ts'
import { storeFaults } from '../../tenancy/stores/errors.ts'

/** Adjusts the stock of a product or variant. */
export async function adjustInventory(
  tx: Tx,
  store: Store,
  productId: string,
  { quantity, reason, variant_id = null, expected_stock = null }: StockAdjustment,
  actor: Actor,
): Promise<RecordOf<Inventory>> {
  const [rejections, stock, payload] = await Promise.all([
    moveStock(tx, store.id, [{ product_id: productId, variant_id, quantity }], { reason, actor }),
    findRecord(tx, inventory, store.id, productId),
    productPayload(tx, store.id, productId),
  ])
  const item = getInventoryItem(stock.entity, variant_id)
  const movedQuantity = rejections.length > 0 ? 0 : quantity
  if (item && expected_stock !== null && item.stock_quantity - movedQuantity !== expected_stock) {
    throw invalid(fault('expected_stock', inventoryFaults.no_longer, { now: item.stock_quantity - movedQuantity }))
  }
  if (rejections.length > 0) {
    const isBundle = await isBundled(tx, store.id, productId, variant_id)
    throw invalid(
      isBundle
        ? fault('quantity', inventoryFaults.stock_of_parts)
        : buildAdjustmentFault(stock.entity, quantity, variant_id),
    )
  }
  emit(tx, store, 'product.updated', publicId('prod', productId), payload)
  return stock
}

function getInventoryItem(current: Inventory, variantId: string | null): Inventory | VariantInventory | undefined {
  if (variantId !== null) return current.variants.find(({ variant_id }) => variant_id === variantId)
  return current.variants.length === 0 ? current : undefined
}

/** A bundle has no stock of its own. */
async function isBundled(tx: Tx, storeId: string, productId: string, variantId: string | null): Promise<boolean> {
  const bundle = await tx.one(sql`
    select from products
    left join variants on variants.store_id = ${storeId}
      and variants.id = ${variantId}
      and variants.product_id = products.id
    where products.store_id = ${storeId}
      and products.id = ${productId}
      and coalesce(products.bundle_items, variants.bundle_items) is not null`)
  return bundle !== undefined
}

/** The reason why an adjustment was refused. */
function buildAdjustmentFault(current: Inventory, quantity: number, variantId: string | null): Fault {
  const item = getInventoryItem(current, variantId)
  if (!item) return variantFault(variantId)
  const { stock_quantity: count } = item
  return quantity < 0
    ? fault('quantity', inventoryFaults.stock_below_zero, { count })
    : fault('quantity', inventoryFaults.stock_above_limit, { count, limit: maxStock })
}

function variantFault(variantId: string | null): Fault {
  return fault('variant_id', variantId === null ? storeFaults.variant_required : storeFaults.variant_foreign)
}

/** Sets the low-stock threshold of a product or variant, and whether it can be sold without stock. */
export async function setStockSettings(
  tx: Tx,
  store: Store,
  productId: string,
  { variant_id = null, expected_low_stock_threshold = null, ...settings }: StockSettings,
): Promise<RecordOf<Inventory>> {
  tx.later(sql`
    select from products
    where store_id = ${store.id}
      and id = ${productId}
    for no key update`)
  const current = await findRecord(tx, inventory, store.id, productId)
  const item = getInventoryItem(current.entity, variant_id)
  if (!item) throw invalid(variantFault(variant_id))
  const now = item.low_stock_threshold
  if (expected_low_stock_threshold !== null && expected_low_stock_threshold !== now) {
    throw invalid(fault('expected_low_stock_threshold', inventoryFaults.no_longer, { now }))
  }
  const names = ['low_stock_threshold', 'continue_selling_when_out_of_stock'] as const
  if (names.every((name) => settings[name] === undefined || settings[name] === item[name])) return current
  const { low_stock_threshold = now, continue_selling_when_out_of_stock = item.continue_selling_when_out_of_stock } =
    settings
  tx.later(sql`
    update products
    set ${
      variant_id === null
        ? sql`low_stock_threshold = ${low_stock_threshold}::int,
        continue_selling = ${continue_selling_when_out_of_stock}::boolean,`
        : empty
    }
        updated_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${productId}`)
  if (variant_id !== null) {
    tx.later(sql`
    update variants
    set low_stock_threshold = ${low_stock_threshold}::int,
        continue_selling_when_out_of_stock = ${continue_selling_when_out_of_stock}::boolean,
        updated_at = ${tx.now}
    where store_id = ${store.id}
      and id = ${variant_id}`)
  }
  const [record, payload] = await Promise.all([
    findRecord(tx, inventory, store.id, productId),
    productPayload(tx, store.id, productId),
  ])
  emit(tx, store, 'product.updated', publicId('prod', productId), payload)
  return record
}
