// What a store's plan allows: limits on what can be created, and features.
import type { Tx } from '../kit/database.ts'
import { ApiError, missingFeature, planLimit } from '../kit/errors.ts'
import { raw, sql, type Sql } from '../kit/sql.ts'

export const features = [
  'inventory', 'custom_domain', 'order_bumps', 'abandoned_checkouts', 'discounts_advanced', 'wholesale', 'analytics',
] as const

export type Feature = (typeof features)[number]

/** A missing limit is unlimited. */
export type Plan = { id: string; name: string; limits: Partial<Record<LimitedNoun, number>>; features: Feature[] }

// noun → the columns of store_counters whose sum is limited
const limited = {
  products: { noun: 'product', columns: ['products_active', 'products_draft', 'products_archived'] },
  categories: { noun: 'category', columns: ['categories'] },
  discounts: { noun: 'discount', columns: ['discounts'] },
  webhooks: { noun: 'webhook', columns: ['webhooks'] },
  api_keys: { noun: 'API key', columns: ['api_keys'] },
  staff: { noun: 'staff', columns: ['staff'] },
} as const

export type LimitedNoun = keyof typeof limited

export function hasFeature(plan: Plan, feature: Feature): boolean {
  return plan.features.includes(feature)
}

export function demandFeature(plan: Plan, feature: Feature): void {
  if (!hasFeature(plan, feature)) throw missingFeature(feature)
}

/**
 * Counts one more of `noun` in `column`, or refuses with PLAN_LIMIT_EXCEEDED: one conditional statement, so that the
 * count is exact under any concurrency. It need not be awaited before the insert is sent, only before the end.
 */
export async function countCreated(
  tx: Tx, store: { id: string; plan: Plan }, noun: LimitedNoun, column: string = limited[noun].columns[0],
): Promise<void> {
  const { columns, noun: name } = limited[noun]
  const limit = store.plan.limits[noun] ?? null
  const sum = raw(columns.join(' + '))
  const counted = await tx.one<{ reached: number | null; before: number }>(sql`
    with counted as (
      update store_counters
      set ${raw(column)} = ${raw(column)} + 1
      where store_id = ${store.id}
        and (${limit}::int is null or ${sum} < ${limit}::int)
      returning ${sum} as count
    )
    select (select count from counted) as reached, ${sum} as before
    from store_counters
    where store_id = ${store.id}`)
  if (counted!.reached === null) throw planLimit(name, Math.max(counted!.before, limit!), limit!)
}

/** What was sent with its count: a full plan is told before a conflict, and after a fault of the input. */
export async function ifCounted<T>(counted: Promise<void>, inserted: Promise<T>): Promise<T> {
  const [limit, insert] = await Promise.allSettled([counted, inserted])
  const isInvalid = insert.status === 'rejected' && insert.reason instanceof ApiError && insert.reason.status === 422
  if (limit.status === 'rejected' && !isInvalid) throw limit.reason
  if (insert.status === 'rejected') throw insert.reason
  return insert.value
}

/** Moves counters that have no limit, e.g. `countMoved(tx, storeId, { products_active: -1, products_archived: 1 })`. */
export function countMoved(tx: Tx, storeId: string, moves: Record<string, number>): void {
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
