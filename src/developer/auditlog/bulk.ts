// Undoing a change of many products together, as it was made: not one product after the other.
import { sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import { changeProducts } from '../../commerce/catalog/bulkchange.ts'
import {
  bulkChange,
  maxBulkRows,
  productCells,
  variantCells,
  type BulkChange,
} from '../../commerce/catalog/bulkfields.ts'
import { product } from '../../commerce/catalog/product.ts'
import { variant } from '../../commerce/catalog/variant.ts'
import type { ProductRevert } from './products.ts'
import type { UndoCall } from '../../tenancy/tables/table.ts'
import type { RowChange } from './rowchange.ts'
import { fieldsView } from './view.ts'

/** Columns that follow others. */
const derivedColumns = ['updated_at', 'search_text']

/** True if only cells changed that a bulk change accepts. The time of archiving is not one of them. */
function isBulk({ own, variants, slugs }: ProductRevert): boolean {
  const ofProduct = [...productCells, ...derivedColumns, 'archived_at']
  if (slugs.length > 0 || (own && (!changesOnly(own, ofProduct) || own.before!.archived_at))) return false
  return variants.every((one) => changesOnly(one, [...variantCells, ...derivedColumns]))
}

function changesOnly({ before, after }: RowChange, names: readonly string[]): boolean {
  return before !== null && after !== null && Object.keys(after).every((name) => names.includes(name))
}

/** Returns at most as many as one bulk change accepts. */
export function selectBulkReverts(products: readonly ProductRevert[]): ProductRevert[] {
  const bulk = products.filter(isBulk)
  const rows = bulk.reduce((sum, { variants }) => sum + variants.length, bulk.length)
  return bulk.length > 1 && rows <= maxBulkRows ? bulk : []
}

/** Sold units stay sold: stock is moved back by as much as the write has moved it. */
export async function revertBulk({ tx, store, actor }: UndoCall, reverts: readonly ProductRevert[]): Promise<void> {
  const variants = reverts.flatMap((one) => one.variants)
  const owns = listProductChanges(reverts)
  const stockNow = await readCurrentStock(tx, store.id, [...owns, ...variants])
  const cells = (fields: object, names: readonly string[], { before, after, id }: RowChange) => {
    const cells = Object.entries(before!).filter(([name]) => names.includes(name))
    const difference = Number(before!.stock_quantity ?? 0) - Number(after!.stock_quantity ?? 0)
    const stock = difference === 0 ? {} : { stock_quantity: (stockNow.get(id) ?? 0) + difference }
    return { ...fieldsView(fields as typeof product.fields, Object.fromEntries(cells)), ...stock }
  }
  const body = bulkChange.read(
    {
      products: owns.map((one) => ({ id: publicId('prod', one.id), ...cells(product.fields, productCells, one) })),
      variants: variants.map((one) => ({ id: one.id, ...cells(variant.fields, variantCells, one) })),
    },
    store,
  )
  await changeProducts(tx, store, body as BulkChange, actor)
}

function listProductChanges(reverts: readonly ProductRevert[]): RowChange[] {
  return reverts.flatMap(({ own, variants }) => {
    // The stock of a product with variants is their sum.
    const isSum = variants.some(({ after }) => after!.stock_quantity !== undefined)
    return own ? [isSum ? withoutStock(own) : own] : []
  })
}

/** The record and the field of a fault, such as `variants.3.price`. */
export function placeOfFault(reverts: readonly ProductRevert[], path: string): { change: RowChange; field: string } {
  const [kind, index, field] = path.split('.') as [string, string, string]
  const rows = kind === 'variants' ? reverts.flatMap(({ variants }) => variants) : listProductChanges(reverts)
  return { change: rows[Number(index)]!, field }
}

function withoutStock({ before, after, ...change }: RowChange): RowChange {
  const { stock_quantity: _, ...was } = before!
  const { stock_quantity: __, ...is } = after!
  return { ...change, before: was, after: is }
}

async function readCurrentStock(
  tx: UndoCall['tx'],
  storeId: string,
  changes: readonly RowChange[],
): Promise<Map<string, number>> {
  const ids = changes.filter(({ after }) => after!.stock_quantity !== undefined).map(({ id }) => id)
  const stocks = await tx.rows<{ id: string; stock_quantity: number }>(sql`
    select id, stock_quantity
    from products
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])
    union all
    select id, stock_quantity
    from variants
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
  return new Map(stocks.map(({ id, stock_quantity }) => [id, stock_quantity]))
}
