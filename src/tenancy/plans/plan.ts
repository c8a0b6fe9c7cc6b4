// A store's plan: its features, and limits on what can be created.
import type { Db, Tx } from '../../kit/database/database.ts'
import { ApiError, invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
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

/** True if the plan gives no more than the other one. */
export function isWithin(plan: Plan, other: Plan): boolean {
  const fits = (noun: LimitedNoun) => (plan.limits[noun] ?? Infinity) <= (other.limits[noun] ?? Infinity)
  return limitedNouns.every(fits) && plan.features.every((feature) => hasFeature(other, feature))
}

/**
 * Throws PLAN_LIMIT_EXCEEDED if the plan is full now. Only countCreated() is exact, but it comes last; this check
 * reports a full plan before a conflict.
 */
export async function requireRoom(tx: Tx, store: Owner, noun: LimitedNoun): Promise<void> {
  const limit = store.plan.limits[noun]
  if (limit === undefined) return
  const counters = await tx.one<{ count: number }>(sql`
    select ${buildCounterSum(noun)} as count
    from store_counters
    where store_id = ${store.id}`)
  if (counters!.count >= limit) throw planLimit(limitedCounters[noun].noun, counters!.count, limit)
}

/** Both statements are sent together. A full plan is reported before a conflict, but after invalid input. */
export async function insertIfRoom<T>(tx: Tx, store: Owner, noun: LimitedNoun, insert: () => Promise<T>): Promise<T> {
  const [room, insertion] = await Promise.allSettled([requireRoom(tx, store, noun), insert()])
  const isInvalid =
    insertion.status === 'rejected' && insertion.reason instanceof ApiError && insertion.reason.status === 422
  if (room.status === 'rejected' && !isInvalid) throw room.reason
  if (insertion.status === 'rejected') throw insertion.reason
  return insertion.value
}

/** Inserts and counts in one step, for operations that do nothing in between. */
export async function insertCounted<T>(tx: Tx, store: Owner, noun: LimitedNoun, insert: () => Promise<T>): Promise<T> {
  const result = await insertIfRoom(tx, store, noun, insert)
  countNew(tx, store, noun)
  return result
}

/**
 * Counts one more of `noun` in `column`, or fails the commit with PLAN_LIMIT_EXCEEDED. A single conditional statement
 * keeps the count exact under concurrency. It is the last of its transaction, because all writers that create records
 * in the store wait for this row until the commit.
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
    set ${raw(column)} = case
      when ${buildCounterSum(noun)} < ${limit} then ${raw(column)} + 1
      else refuse('plan_limit', ${raw(column)})
    end
    where store_id = ${store.id}`,
    { plan_limit: () => planLimit(limitedCounters[noun].noun, limit, limit) },
  )
}

/** Counts one more record of a table that no plan limits but every store does; `table` is also the column's name. */
export function countUpTo(tx: Tx, storeId: string, table: 'collections' | 'redirects', limit: number): void {
  const count = raw(table)
  tx.later(
    sql`
    update store_counters
    set ${count} = case when ${count} < ${limit} then ${count} + 1 else refuse('store_full', ${count}) end
    where store_id = ${storeId}`,
    {
      store_full: () => invalid(fault('body', generalFaults.one_too_many, { owner: 'a store', limit, things: table })),
    },
  )
}

function buildCounterSum(noun: LimitedNoun): Sql {
  return raw(limitedCounters[noun].columns.join(' + '))
}

export const limitedNouns = Object.keys(limitedCounters) as LimitedNoun[]

/** The usage of each limit of a plan; a null `limit` means unlimited. */
export async function findUsage(db: Db, { id, plan }: Owner): Promise<Usage[]> {
  const sums = raw(limitedNouns.map((noun) => `${limitedCounters[noun].columns.join(' + ')} as ${noun}`).join(', '))
  const counters = (await db.one<Record<LimitedNoun, number>>(sql`
    select ${sums}
    from store_counters
    where store_id = ${id}`))!
  return limitedNouns.map((resource) => ({ resource, used: counters[resource], limit: plan.limits[resource] ?? null }))
}

/** Updates counters without a limit, e.g. `moveCounters(tx, id, { products_active: -1, products_archived: 1 })`. */
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

/** The counters of a new store. */
export async function insertCounters(tx: Tx, storeId: string): Promise<void> {
  await tx.rows(sql`insert into store_counters (store_id) values (${storeId})`)
}

/** The statement by which a new order takes the next number and is counted, with its customer if they are new. */
export function countNewOrder(
  storeId: string,
  { isArchived, hasNewCustomer }: { isArchived: boolean; hasNewCustomer: boolean },
): Sql {
  return sql`
      update store_counters
      set order_number = order_number + 1, orders = orders + 1, customers = customers + ${hasNewCustomer ? 1 : 0}::int,
        orders_archived = orders_archived + ${isArchived ? 1 : 0}::int
      where store_id = ${storeId}`
}

/** An order has taken the next number, but keeps its own: the next one is free again unless it is the order's. */
export function keepOrderNumber(tx: Tx, storeId: string, number: number): void {
  tx.later(sql`
    update store_counters
    set order_number = greatest(order_number - 1, ${number}::bigint), order_numbers_have_gaps = true
    where store_id = ${storeId}`)
}
