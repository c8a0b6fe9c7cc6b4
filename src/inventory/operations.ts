import type { Tx } from '../kit/database/database.ts'
import { invalid } from '../kit/values/errors.ts'
import { fault, type Fault } from '../kit/values/faults.ts'
import { publicId } from '../kit/values/ids.ts'
import { findRecord } from '../kit/declare/page.ts'
import type { RecordOf } from '../kit/declare/resource.ts'
import type { Actor } from '../kit/declare/route.ts'
import { emit } from '../events/emit.ts'
import type { Store } from '../stores/store.ts'
import { inventory, type Adjustment, type Inventory } from './inventory.ts'
import { productPayload } from './payload.ts'
import { maximumStock, moveStock } from './stock.ts'

/** Adds pieces to a product or one of its variants, or takes them away. */
export async function adjustInventory(
  tx: Tx,
  store: Store,
  productId: string,
  { quantity, reason, variant_id = null }: Adjustment,
  actor: Actor,
): Promise<RecordOf<Inventory>> {
  const [refused, stock, payload] = await Promise.all([
    moveStock(tx, store.id, [{ product_id: productId, variant_id, quantity }], { reason, actor }),
    findRecord(tx, inventory, store.id, productId),
    productPayload(tx, store.id, productId),
  ])
  if (refused.length > 0) throw invalid(faultOf(stock.entity, quantity, variant_id))
  emit(tx, store, 'product.updated', publicId('prod', productId), payload)
  return stock
}

/** Why nothing moved. */
function faultOf(known: Inventory, quantity: number, variantId: string | null): Fault {
  if (variantId === null && known.variants.length > 0) {
    return fault('variant_id', 'variant_required')
  }
  const item = variantId === null ? known : known.variants.find(({ variant_id }) => variant_id === variantId)
  if (!item) return fault('variant_id', 'variant_foreign')
  const { stock_quantity: count } = item
  return quantity < 0
    ? fault('quantity', 'stock_below_zero', { count })
    : fault('quantity', 'stock_above_limit', { count, limit: maximumStock })
}
