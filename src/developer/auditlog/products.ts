// Undoes changes of products, with their variants and the stock that was moved. Sold units stay sold: stock is moved
// back by as much as the write has moved it.
import { findRecord } from '../../kit/declare/page.ts'
import { createProduct, deleteProduct, updateProduct } from '../../commerce/catalog/operations.ts'
import { product } from '../../commerce/catalog/product.ts'
import { restoreSlugs } from '../../commerce/catalog/slugs.ts'
import { variant, type Variant } from '../../commerce/catalog/variant.ts'
import type { ChangeCells, RowChange } from './rowchange.ts'
import type { UndoCall, UndoValues } from '../../tenancy/tables/table.ts'
import { fieldsView } from './view.ts'
import { restoreTranslation } from './translations.ts'

/** All changes that a write has made to one product. */
export type ProductRevert = { id: string; own: RowChange | undefined; variants: RowChange[]; slugs: RowChange[] }

export async function revertProduct(
  call: UndoCall,
  change: ProductRevert,
): Promise<'changed' | 'removed' | 'restored'> {
  const { tx, store } = call
  const { id, own } = change
  if (own?.before === null) {
    await deleteProduct(tx, store, id)
    return 'removed'
  }
  if (own?.after === null) {
    await restoreProduct(call, change, own.before!)
    return 'restored'
  }
  await changeProduct(call, change)
  return 'changed'
}

async function restoreProduct(call: UndoCall, change: ProductRevert, cells: ChangeCells): Promise<void> {
  const { tx, store, actor } = call
  const { id, slugs } = change
  const before = fieldsView(product.fields, cells)!
  const variants = change.variants.map((one) => fieldsView(variant.fields, one.before)!).sort(byPosition)
  const body = product.create.read({ ...before, ...(variants.length > 0 ? { variants } : {}) }, store)
  const sinceWhen = (body.variants ?? []).map((one, index) => ({
    ...one,
    created_at: parseTimestamp(variants[index]!.created_at),
  }))
  await createProduct(tx, store, { ...body, ...(variants.length > 0 ? { variants: sinceWhen } : {}) }, actor, {
    id,
    created_at: parseTimestamp(before.created_at)!,
    archived_at: parseTimestamp(before.archived_at),
  })
  if (before.translations) await restoreTranslation(call, 'products', id, before.translations, { tells: false })
  const oldSlugs = slugs.map(({ before }) => before as { slug: string; since: string })
  restoreSlugs(tx, store.id, id, oldSlugs)
}

async function changeProduct(call: UndoCall, { id, own, variants }: ProductRevert): Promise<void> {
  const { tx, store, actor } = call
  const { entity: current } = await findRecord(tx, product, store.id, id)
  const { stock_quantity: _, archived_at, translations, ...before } = fieldsView(product.fields, own?.before ?? {})!
  const patch: UndoValues = { ...before }
  const returning = variants.filter((one) => one.after === null)
  if (variants.length > 0) patch.variants = variantsBefore(current.variants, variants)
  const ownStock = positionChanges(own)
  const hasVariants = ((patch.variants as unknown[] | undefined) ?? current.variants).length > 0
  // The sum that variants take along may have been the very stock from before.
  if (!hasVariants && (ownStock !== 0 || variants.length > 0)) patch.stock_quantity = current.stock_quantity + ownStock
  const body = product.patch.read(patch, store)
  const times = new Map(returning.map((one) => [one.id, parseTimestamp(one.before!.created_at)!]))
  const namedVariants = body.variants?.map((one) => {
    const created_at = one.id === undefined ? undefined : times.get(one.id)
    return created_at ? { ...one, created_at } : one
  })
  const since = parseTimestamp(archived_at)
  const more = {
    ...(namedVariants ? { variants: namedVariants } : {}),
    ...(since ? { archived_at: since } : {}),
    restoresVariants: true,
  }
  // One event covers both.
  const isAlone = Object.keys(patch).length === 0
  if (translations !== undefined) await restoreTranslation(call, 'products', id, translations, { tells: isAlone })
  if (!isAlone) await updateProduct(tx, store, id, { ...body, ...more }, actor)
}

/** All variants as they were before the write, less what was sold since. */
function variantsBefore(current: Variant[], changes: RowChange[]): UndoValues[] {
  const byId = new Map(changes.map((change) => [change.id, change]))
  const variants = current
    .filter(({ id }) => byId.get(id)?.before !== null)
    .map(({ is_purchasable: _, created_at: __, updated_at: ___, ...one }) => {
      const change = byId.get(one.id)
      const before = fieldsView(variant.fields, change?.before ?? {})!
      return { ...one, ...before, stock_quantity: one.stock_quantity + positionChanges(change) }
    })
  const returning = changes
    .filter(({ after }) => after === null)
    .map(({ before }) => fieldsView(variant.fields, before)!)
  return [...variants, ...returning].sort(byPosition)
}

/** The stock adjustment that restores the earlier quantity. */
function positionChanges(change: RowChange | undefined): number {
  return Number(change?.before?.stock_quantity ?? 0) - Number(change?.after?.stock_quantity ?? 0)
}

function byPosition(a: UndoValues, b: UndoValues): number {
  return Number(a.position) - Number(b.position)
}

function parseTimestamp(stamp: unknown): Date | null {
  return typeof stamp === 'string' ? new Date(stamp) : null
}
