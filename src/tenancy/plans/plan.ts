// A store's plan: its features, and limits on what can be created.
import type { Db, Tx } from '../../kit/database/database.ts'
import { ApiError } from '../../kit/values/errors.ts'
import { planLimit } from './errors.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'

export const features = [
  'inventory',
  'custom_domain',
  'order_bumps',
  'abandoned_checkouts',
  'discounts_advanced',
  'wholesale',
  'analytics',
] as const

export type Feature = (typeof features)[number]

/** A missing limit is unlimited. */
export type Plan = { id: string; name: string; limits: Partial<Record<LimitedNoun, number>>; features: Feature[] }

// noun → the columns of store_counters whose sum is limited
const limitedCounters = {
  products: { noun: 'product', columns: ['products_active', 'products_draft', 'products_archived'] },
  categories: { noun: 'category', columns: ['categories'] },
  discounts: { noun: 'discount', columns: ['discounts'] },
  webhooks: { noun: 'webhook', columns: ['webhooks'] },
  api_keys: { noun: 'API key', columns: ['api_keys'] },
  staff: { noun: 'staff', columns: ['staff'] },
} as const

export type LimitedNoun = keyof typeof limitedCounters
export type Usage = { resource: LimitedNoun; used: number; limit: number | null }
type Owner = { id: string; plan: Plan }

export function hasFeature(plan: Plan, feature: Feature): boolean {
  return plan.features.includes(feature)
}

/**
 * Refuses with PLAN_LIMIT_EXCEEDED when the plan is full now. Only countCreated() is exact, but it comes last: this
 * tells a full plan before a conflict.
 */
export async function requireRoom(tx: Tx, store: Owner, noun: LimitedNoun): Promise<void> {
  const limit = store.plan.limits[noun]
  if (limit === undefined) return
  const counters = await tx.one<{ count: number }>(sql`
    select ${sumOf(noun)} as count
    from store_counters
    where store_id = ${store.id}`)
  if (counters!.count >= limit) throw planLimit(limitedCounters[noun].noun, counters!.count, limit)
}

/** Both travel together. A full plan is told before a conflict, and after a fault of the input. */
export async function insertIfRoom<T>(tx: Tx, store: Owner, noun: LimitedNoun, insert: () => Promise<T>): Promise<T> {
  const [room, insertion] = await Promise.allSettled([requireRoom(tx, store, noun), insert()])
  const isInvalid =
    insertion.status === 'rejected' && insertion.reason instanceof ApiError && insertion.reason.status === 422
  if (room.status === 'rejected' && !isInvalid) throw room.reason
  if (insertion.status === 'rejected') throw insertion.reason
  return insertion.value
}

/** Inserts and counts at once, for operations that do nothing in between. */
export async function insertCounted<T>(tx: Tx, store: Owner, noun: LimitedNoun, insert: () => Promise<T>): Promise<T> {
  const result = await insertIfRoom(tx, store, noun, insert)
  countNew(tx, store, noun)
  return result
}

/**
 * Counts one more of `noun` in `column`, or fails the commit with PLAN_LIMIT_EXCEEDED: one conditional statement, so
 * that the count is exact under any concurrency. The last of its transaction: everybody who creates in the store
 * waits for this one row, from here to the commit.
 */
export function countNew(
  tx: Tx,
  store: Owner,
  noun: LimitedNoun,
  column: string = limitedCounters[noun].columns[0],
): void {
  const limit = store.plan.limits[noun]
  if (limit === undefined) return moveCounters(tx, store.id, { [column]: 1 })
  tx.later(
    sql`
    update store_counters
    set ${raw(column)} = case when ${sumOf(noun)} < ${limit} then ${raw(column)} + 1 else refuse('plan_limit') end
    where store_id = ${store.id}`,
    { plan_limit: () => planLimit(limitedCounters[noun].noun, limit, limit) },
  )
}

function sumOf(noun: LimitedNoun): Sql {
  return raw(limitedCounters[noun].columns.join(' + '))
}

export const limitedNouns = Object.keys(limitedCounters) as LimitedNoun[]

/** How many there are of what a plan can limit; `limit` null: as many as one likes. */
export async function findUsage(db: Db, { id, plan }: Owner): Promise<Usage[]> {
  const sums = raw(limitedNouns.map((noun) => `${limitedCounters[noun].columns.join(' + ')} as ${noun}`).join(', '))
  const counters = (await db.one<Record<LimitedNoun, number>>(sql`
    select ${sums}
    from store_counters
    where store_id = ${id}`))!
  return limitedNouns.map((resource) => ({ resource, used: counters[resource], limit: plan.limits[resource] ?? null }))
}

/** Moves counters that have no limit, e.g. `countMoved(tx, storeId, { products_active: -1, products_archived: 1 })`. */
export function moveCounters(tx: Tx, storeId: string, moves: Record<string, number>): void {
  const columns = Object.entries(moves).filter(([, by]) => by !== 0)
  if (columns.length === 0) return
  tx.later(sql`
    update store_counters
    set ${joinMoves(columns)}
    where store_id = ${storeId}`)
}

function joinMoves(columns: [string, number][]): Sql {
  return raw(columns.map(([column, by]) => `${column} = ${column} + ${Math.trunc(by)}`).join(', '))
}
