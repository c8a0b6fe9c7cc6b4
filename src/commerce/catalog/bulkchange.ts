// Changes many products and variants in one transaction: one statement for each table, whatever their number.
import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '../../kit/database/database.ts'
import { arrayLiteral, raw, records, sql } from '../../kit/database/sql.ts'
import type { AnyField } from '../../kit/declare/field.ts'
import type { Actor } from '../../kit/declare/route.ts'
import { columnType, select } from '../../kit/declare/row.ts'
import { ApiError, invalid } from '../../kit/values/errors.ts'
import { fault, type Fault, generalFaults } from '../../kit/values/faults.ts'
import { publicId } from '../../kit/values/ids.ts'
import { searchable } from '../../kit/values/slug.ts'
import { moveCounters } from '../../tenancy/plans/plan.ts'
import { emitAll } from '../../tenancy/events/emit.ts'
import { mergeCustomValues } from '../../tenancy/stores/customvalues.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { repriceBundles } from './bundleprices.ts'
import { productPayloads } from './payload.ts'
import { moveStock, type Movement } from '../inventory/stock.ts'
import { productCells, variantCells, type BulkChange, type BulkRow, type CellValues } from './bulkfields.ts'
import { countForSale } from './collectionproducts.ts'
import { inventoryFaults } from '../inventory/errors.ts'
import { catalogFaults } from './errors.ts'
import { product } from './product.ts'
import { variant } from './variant.ts'

type BulkKind = 'products' | 'variants'
type LockedRow = { id: string; name: string; slug: string; variant_count: number; product_id: string } & CellValues
/** A row with what it becomes: `changed` names the cells that differ. */
type PlannedChange = { index: number; kind: BulkKind; before: LockedRow; after: LockedRow; changed: string[] }

const stock = 'stock_quantity'
const bulkResources = { products: product, variants: variant }
const own = 'custom_fields'
const cellNames: Record<BulkKind, readonly string[]> = {
  products: [...productCells, own],
  variants: [...variantCells, own],
}

/** All or nothing. Returns the number of changed rows; unchanged ones do not count. */
export async function changeProducts(
  tx: Tx,
  store: Store,
  change: BulkChange,
  actor: Actor,
): Promise<Record<BulkKind, number>> {
  const rows = await lockRows(tx, store.id, change.products, change.variants)
  const faults: Fault[] = []
  const { products, variants } = await mergeOwnValues(tx, store, change, rows, faults)
  const changes = [...plan('products', products, rows, faults), ...plan('variants', variants, rows, faults)]
  faults.push(...(await unknownCategories(tx, store.id, changes)))
  if (faults.length > 0) throw invalid(...faults)
  const of = (kind: BulkKind) => changes.filter((one) => one.kind === kind)
  const rowsById = new Map(of('products').map(({ after }) => [after.id, after]))
  for (const { after } of of('variants')) {
    if (!rowsById.has(after.product_id)) rowsById.set(after.product_id, { id: after.product_id } as LockedRow)
  }
  write(tx, store.id, 'variants', of('variants'), [])
  write(tx, store.id, 'products', of('products'), [...rowsById.keys()])
  followStatus(tx, store.id, of('products'))
  const priced = changes.filter(({ changed }) => changed.includes('price'))
  await repriceBundles(tx, store, [
    ...new Set(priced.map(({ kind, after }) => (kind === 'products' ? after.id : after.product_id))),
  ])
  await followStock(tx, store.id, changes, actor)
  emitAll(tx, store, 'product.updated', await productPayloads(tx, store.id, [...rowsById.keys()]))
  return { products: of('products').length, variants: of('variants').length }
}

const ownSchema = {
  properties: {
    products: { type: 'array', items: product.patch.schema },
    variants: { type: 'array', items: variant.patch.schema },
  },
}

/** The rows with all of the custom fields that their records then have. */
async function mergeOwnValues(
  tx: Tx,
  store: Store,
  { products, variants }: BulkChange,
  rows: Record<BulkKind, Map<string, LockedRow>>,
  faults: Fault[],
): Promise<BulkChange> {
  const current = { products: [...rows.products.values()], variants: [...rows.variants.values()] }
  try {
    return await mergeCustomValues(tx, store, { products, variants }, current, ownSchema)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    faults.push(...error.faults)
    return { products, variants }
  }
}

/**
 * Products are locked in the order of their ids, as everywhere, and guard their variants. Bundles come last, because
 * they are locked after their parts where these change.
 */
async function lockRows(
  tx: Tx,
  storeId: string,
  products: readonly BulkRow[],
  variants: readonly BulkRow[],
): Promise<Record<BulkKind, Map<string, LockedRow>>> {
  const productIds = products.map(({ id }) => id)
  const variantIds = variants.map(({ id }) => id)
  tx.later(sql`
    select from products
    where store_id = ${storeId}
      and (id = any(${productIds}::uuid[]) or id in (
        select product_id
        from variants
        where store_id = ${storeId}
          and id = any(${variantIds}::uuid[])))
    order by bundle_items is not null, id
    for no key update`)
  const [ofProducts, ofVariants] = await Promise.all([
    tx.rows<LockedRow>(sql`
      select id, name, slug, variant_count, bundle_items is not null as is_bundle,
        ${select(product, [...productCells, own]).columns}
      from products
      where store_id = ${storeId}
        and id = any(${productIds}::uuid[])`),
    tx.rows<LockedRow>(sql`
      select id, product_id, bundle_items is not null as is_bundle,
        ${select(variant, [...variantCells, own]).columns}
      from variants
      where store_id = ${storeId}
        and id = any(${variantIds}::uuid[])`),
  ])
  const byId = (rows: LockedRow[]) => new Map(rows.map((row) => [row.id, row]))
  return { products: byId(ofProducts), variants: byId(ofVariants) }
}

function plan(
  kind: BulkKind,
  requestedRows: readonly BulkRow[],
  rows: Record<BulkKind, Map<string, LockedRow>>,
  faults: Fault[],
) {
  const fields = bulkResources[kind].fields as Record<string, AnyField>
  return requestedRows.flatMap(({ id, expected = {}, ...cells }, index): PlannedChange[] => {
    const at = `${kind}.${index}`
    const before = rows[kind].get(id)
    if (!before) {
      faults.push(fault(`${at}.id`, generalFaults.does_not_exist))
      return []
    }
    const differs = (name: string, value: unknown) =>
      value !== undefined && !isDeepStrictEqual(toBodyValue(fields[name]!, before[name]), value)
    const { custom_fields: expectedOwn = {}, ...expectedCells } = expected
    for (const [key, value] of Object.entries(expectedOwn)) {
      const now = before.custom_fields?.[key] ?? null
      if (now !== value)
        faults.push(fault(`${at}.${own}.${key}`, catalogFaults.changed_meanwhile, { now: String(now ?? '') }))
    }
    for (const [name, value] of Object.entries(expectedCells)) {
      if (!differs(name, value)) continue
      const now = shownValue(fields[name]!, (before[name] ?? '') as string | number | string[])
      faults.push(fault(`${at}.${name}`, catalogFaults.changed_meanwhile, { now }))
    }
    const names = cellNames[kind].filter((name) => differs(name, (cells as CellValues)[name]))
    if (names.includes(stock) && before.variant_count > 0) {
      faults.push(fault(`${at}.${stock}`, catalogFaults.sum_of_variants))
    }
    if (names.includes(stock) && before.is_bundle) faults.push(fault(`${at}.${stock}`, inventoryFaults.stock_of_parts))
    return names.length > 0
      ? [{ index, kind, before, after: { ...before, ...cells } as LockedRow, changed: names }]
      : []
  })
}

/** Decimals are texts in a row, and numbers in a body. */
function toBodyValue({ spec }: AnyField, cell: unknown): unknown {
  return spec.schema.type === 'number' && cell !== null ? Number(cell) : cell
}

function shownValue({ spec: { prefix } }: AnyField, cell: string | number | string[]): string | number {
  if (Array.isArray(cell)) return cell.join(', ')
  return prefix && cell !== '' ? publicId(prefix, String(cell)) : cell
}

function arraysAsText(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, Array.isArray(value) ? arrayLiteral(value) : value]),
  )
}

async function unknownCategories(tx: Tx, storeId: string, changes: readonly PlannedChange[]): Promise<Fault[]> {
  const moves = changes.filter(({ changed, after }) => changed.includes('category_id') && after.category_id !== null)
  if (moves.length === 0) return []
  const categories = await tx.rows<{ id: string }>(sql`
    select id
    from categories
    where store_id = ${storeId}
      and id = any(${[...new Set(moves.map(({ after }) => after.category_id))]}::uuid[])
    order by id
    for key share`)
  const ids = new Set<unknown>(categories.map(({ id }) => id))
  return moves
    .filter(({ after }) => !ids.has(after.category_id))
    .map(({ index }) => fault(`products.${index}.category_id`, generalFaults.does_not_exist))
}

/** A slice of this size takes a busy database well below the limit of a statement. */
const rowsOfStatement = 2500

/** Sets the columns that any of the rows changes. `touched` are products whose variants may be all that changes. */
function write(
  tx: Tx,
  storeId: string,
  kind: BulkKind,
  changes: readonly PlannedChange[],
  ids: readonly string[],
): void {
  const names = cellNames[kind].filter(
    (name) => name !== stock && changes.some(({ changed }) => changed.includes(name)),
  )
  if (names.length > 0) {
    const fields = bulkResources[kind].fields as Record<string, AnyField>
    const table = raw(kind)
    const types = Object.fromEntries(names.map((name) => [name, columnType(fields[name]!.spec)]))
    const isFound = names.includes('sku')
    const rows = changes.map(({ after: { id, name, slug, ...after } }) => ({
      ...arraysAsText(after),
      id,
      search_text:
        kind === 'products'
          ? searchable(name, after.sku as string | null, slug)
          : searchable(after.sku as string | null),
    }))
    const sets = [...names, ...(isFound ? ['search_text'] : [])].map((name) => `${name} = change.${name}`)
    const archivedRows = names.includes('product_status')
      ? sql`, archived_at = case
          when change.product_status = products.product_status then products.archived_at
          when change.product_status = 'archived' then ${tx.now}::timestamptz end,
          publish_at = case when change.product_status = products.product_status then products.publish_at end,
          unpublish_at = case when change.product_status in (products.product_status, 'active')
            then products.unpublish_at end`
      : sql``
    for (let from = 0; from < rows.length; from += rowsOfStatement) {
      const columns = { id: 'uuid', ...types, ...(isFound ? { search_text: 'text' } : {}) }
      tx.later(sql`
        update ${table}
        set ${raw(sets.join(', '))}, updated_at = ${tx.now}${archivedRows}
        from ${records('change', columns, rows.slice(from, from + rowsOfStatement))}
        where ${table}.store_id = ${storeId}
          and ${table}.id = change.id`)
    }
  }
  const others = names.length > 0 ? ids.slice(changes.length) : ids
  if (others.length === 0) return
  tx.later(sql`
    update products
    set updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = any(${others}::uuid[])`)
}

function followStatus(tx: Tx, storeId: string, changes: readonly PlannedChange[]): void {
  const statusMoves = changes.filter(({ changed }) => changed.includes('product_status'))
  const ids = (side: 'before' | 'after') =>
    statusMoves.filter((one) => one[side].product_status === 'active').map(({ before }) => before.id)
  countForSale(tx, storeId, ids('after'), ids('before'))
  const moves: Record<string, number> = {}
  for (const { before, after } of statusMoves) {
    moves[`products_${before.product_status}`] = (moves[`products_${before.product_status}`] ?? 0) - 1
    moves[`products_${after.product_status}`] = (moves[`products_${after.product_status}`] ?? 0) + 1
  }
  moveCounters(tx, storeId, moves)
}

async function followStock(tx: Tx, storeId: string, changes: readonly PlannedChange[], actor: Actor): Promise<void> {
  const stockChanges = changes.filter(({ changed }) => changed.includes(stock))
  const movements = stockChanges.map(({ kind, before, after }): Movement => ({
    product_id: kind === 'products' ? before.id : before.product_id,
    variant_id: kind === 'products' ? null : before.id,
    quantity: Number(after[stock]) - Number(before[stock]),
  }))
  const rejections = await moveStock(tx, storeId, movements, { reason: 'correction', actor })
  if (rejections.length === 0) return
  const { below_zero_product, below_zero_variant } = catalogFaults
  throw invalid(
    ...rejections.map((place) => {
      const { kind, index } = stockChanges[place]!
      return fault(`${kind}.${index}.${stock}`, kind === 'products' ? below_zero_product : below_zero_variant)
    }),
  )
}
