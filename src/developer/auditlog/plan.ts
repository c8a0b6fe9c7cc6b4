// Plans an undo: the steps in their order, or the obstacles.
import type { Tx } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { withPersonal, type RowChange, type PersonalCells } from './rowchange.ts'
import { getTableNoun, undos } from './nouns.ts'
import { overtakenFields, type BlockedChange, type ObstacleReason } from './obstacles.ts'
import { selectBulkReverts } from './bulk.ts'
import type { ProductRevert } from './products.ts'
import { getCollectionId, placements, placementsOvertaken, type RestoredPlacement } from './placements.ts'
import type { Undo } from '../../tenancy/tables/table.ts'
import { isTranslated } from './translations.ts'

/**
 * A record, a product with all that is its, cells of many products, products of a category that comes back, or places
 * in a collection.
 */
export type RevertStep =
  | { kind: 'record'; change: RowChange; undo: Undo; slugs: RowChange[] }
  | { kind: 'places'; change: RowChange; changes: RowChange[] }
  | { kind: 'product'; change: RowChange; product: ProductRevert }
  | { kind: 'bulk'; change: RowChange; products: ProductRevert[] }
  | { kind: 'moves'; change: RowChange; productIds: string[] }

export type RevertPlan = { steps: RevertStep[]; blocked: BlockedChange[] }

/** All that a write has changed, each record once. */
type RevertWrite = { changes: readonly RowChange[]; personal: readonly PersonalCells[]; isReverted: boolean }

export async function planRevert(
  tx: Tx,
  store: Store,
  { changes: all, personal, isReverted }: RevertWrite,
): Promise<RevertPlan> {
  const changes = selectMerge(all)
  const records = changes.filter(({ table }) => ![...followers, placements].includes(table)).filter(matters)
  const placementChanges = changes.filter(({ table }) => table === placements)
  if (records.length + placementChanges.length === 0)
    return { steps: [], blocked: changes.map(blockedBy('not_revertible')) }
  if (isReverted) return { steps: [], blocked: [...records, ...placementChanges].map(blockedBy('already_reverted')) }
  const whole = records.map((change) => (keepsPersonal(change) ? withPersonal(change, personal) : change))
  const erasures = records.filter((_, index) => whole[index] === null)
  const complete = whole.filter((change) => change !== null)
  const hopeless = [...erasures.map(blockedBy('erased')), ...complete.flatMap(withoutWay)]
  if (hopeless.length > 0) return { steps: [], blocked: hopeless }
  const blocks = [
    ...(await placementsOvertaken(tx, store.id, placementChanges, restoredBy(complete))),
    ...(await findBlockedChanges(tx, store, complete, placementChanges)),
  ]
  if (blocks.length > 0) return { steps: [], blocked: blocks }
  return {
    steps: [...(await buildRevertSteps(tx, store, complete, changes)), ...buildPlacementSteps(placementChanges)],
    blocked: blocks,
  }
}

/** Of a merge of customers, the undo is its own, beside the changes of the one that remains. */
function selectMerge(changes: readonly RowChange[]): readonly RowChange[] {
  const merge = changes.find(({ table, before }) => table === 'customer_merges' && before === null)
  if (!merge) return changes
  return changes.filter((change) => change === merge || change.id === merge.after!.customer_id)
}

/** Tables whose private values are kept until the person is erased. */
function keepsPersonal({ table }: RowChange): boolean {
  return ['customers', 'order_comments', 'customer_notes'].includes(table)
}

function restoredBy(changes: readonly RowChange[]): RestoredPlacement {
  const listDeletedRows = (table: string) => changes.filter((one) => one.table === table && one.after === null)
  return {
    collections: new Set(listDeletedRows('collections').map(({ id }) => id)),
    products: new Set(listDeletedRows('products').map(({ id }) => id)),
  }
}

function buildPlacementSteps(placementChanges: readonly RowChange[]): RevertStep[] {
  return [...Map.groupBy(placementChanges, getCollectionId)].map(([id, changes]) => ({
    kind: 'places',
    change: { table: 'collections', id, before: {}, after: {} },
    changes,
  }))
}

/** Rows that are created and deleted with others, or are never changed. */
const slugs = 'product_slugs'
const followers = [slugs, 'category_slugs', 'collection_slugs', 'marketing_consents']
const stock = ['stock_quantity']

function listFollowingFields(table: string): readonly string[] {
  return isOfProduct(table) ? stock : (undos[table]?.follows ?? [])
}

function isOfProduct(table: string): boolean {
  return table === 'products' || table === 'variants'
}

/** True if there is anything to restore. */
function matters({ table, before, after, private: maskedFields = [] }: RowChange): boolean {
  if (before === null || after === null || maskedFields.length > 0 || isOfProduct(table)) return true
  return Object.keys(after).some((field) => !listFollowingFields(table).includes(field))
}

function blockedBy(reason: ObstacleReason): (change: RowChange) => BlockedChange {
  return (change) => ({ change, field: null, reason })
}

/** Changes that can never be undone, regardless of later writes. */
function withoutWay(change: RowChange): BlockedChange[] {
  const { table, before, after, private: maskedFields = [] } = change
  if (isOfProduct(table)) return []
  const undo = undos[table]
  if (!undo || (before === null && !undo.remove)) return [blockedBy('not_revertible')(change)]
  if (after === null && !undo.restore) return [blockedBy('erased')(change)]
  if (before === null) return []
  const hiddenFields = maskedFields.filter((field) => !listFollowingFields(table).includes(field))
  if (hiddenFields.length > 0 && !keepsPersonal(change)) return [blockedBy('secret')(change)]
  const fields =
    after === null ? [] : Object.keys(before).filter((field) => !listFollowingFields(table).includes(field))
  const { companions = [], moves = [] } = undo
  return fields
    .filter((field) => !isWritable(table, field) && !companions.includes(field) && !moves.includes(field))
    .map((field): BlockedChange => ({ change, field, reason: 'not_revertible' }))
}

function isWritable(table: string, name: string): boolean {
  const parts: Record<string, string> = { stores: 'checkout_fields', mail_settings: 'words' }
  if (parts[table] === name || (name === 'translations' && isTranslated(table))) return true
  const spec = getTableNoun(table).fields[name]?.spec
  return spec !== undefined && spec.role !== 'readonly' && !spec.expression
}

async function findBlockedChanges(
  tx: Tx,
  store: Store,
  changes: readonly RowChange[],
  placementChanges: readonly RowChange[],
): Promise<BlockedChange[]> {
  const blocks: BlockedChange[] = []
  for (const [table, ofTable] of Map.groupBy(changes, ({ table }) => table)) {
    const key = undos[table]?.key ?? 'id'
    blocks.push(...(await overtakenFields(tx, store.id, { table, key, follows: listFollowingFields(table) }, ofTable)))
    for (const change of ofTable.filter(({ before }) => before === null)) {
      const users = buildUsersQuery(store.id, change, [...changes, ...placedIn(change, placementChanges)])
      if (users && (await tx.one(users))) blocks.push(blockedBy('in_use')(change))
    }
  }
  return blocks
}

function placedIn({ id }: RowChange, placementChanges: readonly RowChange[]): RowChange[] {
  return placementChanges.filter((one) => getCollectionId(one) === id)
}

/** Records that use what the undo would remove, except those that it restores as well. */
function buildUsersQuery(
  storeId: string,
  { table, id, after }: RowChange,
  changes: readonly RowChange[],
): Sql | undefined {
  if (!isOfProduct(table)) {
    const own = changes.filter((one) => one.id !== id).map((one) => one.id)
    return undos[table]?.users?.(storeId, id, own)
  }
  return sql`
    select
    from orders
    join order_items on order_items.store_id = ${storeId}
      and order_items.order_id = orders.id
      and ${table === 'products' ? sql`order_items.product_id` : sql`order_items.variant_id`} = ${id}
    where orders.store_id = ${storeId}
      and orders.created_at >= ${after?.created_at}
    limit 1`
}

/** The order in which tables are restored; deletions run in reverse. */
const ranks = ['stores', 'categories', 'customer_groups', 'collections', 'products']

async function buildRevertSteps(
  tx: Tx,
  store: Store,
  changes: readonly RowChange[],
  all: readonly RowChange[],
): Promise<RevertStep[]> {
  const categoryIds = new Set(
    changes.filter(({ table, after }) => table === 'categories' && !after).map(({ id }) => id),
  )
  const products = await groupProductReverts(tx, store, changes, all)
  const [simpleMoves, others] = partition(
    products,
    ({ own, variants }) => variants.length === 0 && onlyLost(own, categoryIds),
  )
  const bulk = selectBulkReverts(others)
  const together = new Set(bulk)
  const single = others.filter((one) => !together.has(one))
  const moves = Map.groupBy(simpleMoves, ({ own }) => String(own!.before!.category_id))
  const steps: RevertStep[] = [
    ...changes
      .filter(({ table }) => !isOfProduct(table))
      .map((change): RevertStep => ({
        kind: 'record',
        change,
        undo: undos[change.table]!,
        slugs: listFormerSlugs(change, all),
      })),
    ...single.map((product): RevertStep => ({
      kind: 'product',
      product,
      change: product.own ?? buildUnchangedRow(product),
    })),
    ...(bulk[0] ? [{ kind: 'bulk', change: buildUnchangedRow(bulk[0]), products: bulk } as const] : []),
    ...[...moves.values()].map((revert): RevertStep => ({
      kind: 'moves',
      change: revert[0]!.own!,
      productIds: revert.map(({ id }) => id),
    })),
  ]
  return steps.sort((a, b) => rankRevert(a.change) - rankRevert(b.change))
}

/** Former slugs that were deleted with a record. */
function listFormerSlugs({ table, id, after }: RowChange, all: readonly RowChange[]): RowChange[] {
  if (after !== null) return []
  return all.filter(
    (one) =>
      followers.includes(one.table) &&
      one.after === null &&
      Object.values(one.before!).includes(id) &&
      table !== 'products',
  )
}

function rankRevert({ table, before, after }: RowChange): number {
  const rank = ranks.includes(table) ? ranks.indexOf(table) : ranks.length
  if (after === null) return rank
  return before === null ? 100 - rank : 50
}

function partition<T>(list: readonly T[], passes: (one: T) => boolean): [T[], T[]] {
  return [list.filter(passes), list.filter((one) => !passes(one))]
}

/** True if the product only lost its category because the category was deleted. */
function onlyLost(own: RowChange | undefined, categoryIds: ReadonlySet<string>): boolean {
  if (!own?.before || !own.after || Object.keys(own.before).join() !== 'category_id') return false
  return categoryIds.has(String(own.before.category_id))
}

function buildUnchangedRow({ id }: ProductRevert): RowChange {
  return { table: 'products', id, before: {}, after: {} }
}

async function groupProductReverts(
  tx: Tx,
  store: Store,
  changes: readonly RowChange[],
  all: readonly RowChange[],
): Promise<ProductRevert[]> {
  const variants = changes.filter(({ table }) => table === 'variants')
  const nameless = variants.filter(({ before, after }) => before !== null && after !== null).map(({ id }) => id)
  const owners = await tx.rows<{ id: string; product_id: string }>(sql`
    select id, product_id
    from variants
    where store_id = ${store.id}
      and id = any(${nameless}::uuid[])`)
  const productByVariant = new Map(owners.map(({ id, product_id }) => [id, product_id]))
  const getOwnerId = ({ id, before, after }: RowChange) =>
    productByVariant.get(id) ?? String((before ?? after)!.product_id)
  const byOwner = Map.groupBy(variants, getOwnerId)
  const own = new Map(changes.filter(({ table }) => table === 'products').map((change) => [change.id, change]))
  const slugChanges = all.filter(({ table }) => table === slugs)
  return [...new Set([...own.keys(), ...byOwner.keys()])].map((id) => ({
    id,
    own: own.get(id),
    variants: byOwner.get(id) ?? [],
    slugs: slugChanges.filter(({ before, after }) => after === null && before?.product_id === id),
  }))
}
