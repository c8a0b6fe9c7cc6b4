import type { Db, Tx } from '../../kit/database/database.ts'
import { conflict, invalid, notFound } from '../../kit/values/errors.ts'
import { fault, type Fault, generalFaults } from '../../kit/values/faults.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { round, type Decimal } from '../../kit/values/money.ts'
import { findRecord } from '../../kit/declare/page.ts'
import type { RecordOrigin } from '../../kit/declare/origin.ts'
import { remove } from '../../kit/declare/remove.ts'
import { assignments, insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import { moveCounters, insertCounted } from '../../tenancy/plans/plan.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import {
  codeOf,
  discount,
  rules,
  type Discount,
  type DiscountPatch,
  type DiscountRow,
  type DiscountType,
  type NewDiscount,
} from './discount.ts'
import { isUsable } from './usability.ts'

export async function createDiscount(
  tx: Tx,
  store: Store,
  values: NewDiscount,
  origin?: RecordOrigin & { current_uses: number },
): Promise<RecordOf<Discount>> {
  const scope = scopeOf(values, { applies_to_all: true, applicable_product_ids: [], applicable_category_ids: [] })
  // A restored discount may name products or categories that have been deleted since.
  if (!origin) await requireExisting(tx, store.id, values)
  const [row] = await insertCounted(tx, store, 'discounts', () =>
    tx.texts(
      sql`
    ${insertInto(discount, values, {
      store_id: store.id,
      id: origin?.id ?? newUuid(),
      value: valueOf(store, values),
      ...scope,
      current_uses: origin?.current_uses ?? 0,
      created_at: origin?.created_at ?? tx.now,
      updated_at: tx.now,
    })}
    returning ${discount.columns}`,
      duplicateErrors(values),
    ),
  )
  return discount.record(row!)
}

/** A partial update; value, type and dates must fit together afterwards. */
export async function updateDiscount(
  tx: Tx,
  store: Store,
  id: string,
  patch: DiscountPatch,
): Promise<RecordOf<Discount>> {
  if (Object.keys(patch).length === 0) return findRecord(tx, discount, store.id, id)
  const before = await tx.one<DiscountRow>(sql`
    select ${discount.row.columns}
    from discounts
    where store_id = ${store.id}
      and id = ${id}
    for update`)
  if (!before) throw notFound(discount.noun)
  const after = { ...before, ...patch }
  const faults = rules.flatMap(({ check }) => check(after, store) ?? [])
  if (faults.length > 0) throw invalid(...faults)
  await requireExisting(tx, store.id, patch, before)
  if (after.code !== before.code) advisoryLock(tx, `codes of discounts ${store.id}`)
  const [row] = await tx.texts(
    sql`
    update discounts
    set ${assignments(discount, patch, { value: valueOf(store, after), ...scopeOf(patch, before), updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${discount.columns}`,
    duplicateErrors(patch),
  )
  return discount.record(row!)
}

/** Orders keep their discount amounts. */
export async function deleteDiscount(tx: Tx, store: Store, id: string): Promise<void> {
  await remove(tx, discount, store.id, id)
  moveCounters(tx, store.id, { discounts: -1 })
}

/** A fixed amount is rounded to the store's currency. */
function valueOf(store: Store, { type, value }: { type: DiscountType; value: Decimal.Value }): Decimal.Value {
  return type === 'fixed_amount' ? round(value, store.currency) : value
}

type Scope = Pick<DiscountRow, 'applies_to_all' | 'applicable_product_ids' | 'applicable_category_ids'>

/** Naming products or categories limits a discount to them, unless the same body says that it applies to all. */
function scopeOf(input: Partial<Scope>, before: Scope): Scope {
  const products = [...new Set(input.applicable_product_ids ?? before.applicable_product_ids)]
  const categories = [...new Set(input.applicable_category_ids ?? before.applicable_category_ids)]
  const isNarrowed = [input.applicable_product_ids, input.applicable_category_ids].some((ids) => ids && ids.length > 0)
  return {
    applies_to_all: input.applies_to_all ?? (isNarrowed ? false : before.applies_to_all),
    applicable_product_ids: products,
    applicable_category_ids: categories,
  }
}

/** IDs that are new to the discount must exist in this store; a deleted product's ID may stay. */
async function requireExisting(tx: Tx, storeId: string, input: Partial<Scope>, before?: Scope): Promise<void> {
  const faults = await Promise.all([
    unknownIds(tx, storeId, 'applicable_product_ids', 'products', input, before),
    unknownIds(tx, storeId, 'applicable_category_ids', 'categories', input, before),
  ])
  if (faults.flat().length > 0) throw invalid(...faults.flat())
}

async function unknownIds(
  tx: Tx,
  storeId: string,
  field: keyof Scope & `${string}_ids`,
  table: string,
  input: Partial<Scope>,
  before?: Scope,
): Promise<Fault[]> {
  const ids = input[field] ?? []
  const existingIds = new Set(before?.[field])
  const added = ids.filter((id) => !existingIds.has(id))
  if (added.length === 0) return []
  const rows = await tx.rows<{ id: string }>(sql`
    select id from ${raw(table)}
    where store_id = ${storeId}
      and id = any(${added}::uuid[])`)
  rows.forEach(({ id }) => existingIds.add(id))
  return ids.flatMap((id, index) =>
    existingIds.has(id) ? [] : [fault(`${field}.${index}`, generalFaults.does_not_exist)],
  )
}

function duplicateErrors({ code }: { code?: string }): Record<string, () => Error> {
  return { discounts_code: () => conflict(`A discount with the code ${code} already exists`) }
}

/** The discount with the code that a shopper typed, in any case. */
export function findDiscountByCode(db: Db, storeId: string, code: string): Promise<DiscountRow | undefined> {
  return db.one<DiscountRow>(sql`
    select ${discount.row.columns}
    from discounts
    where store_id = ${storeId}
      and code = ${codeOf(code)}`)
}

/** Takes one use. Returns false if none is left or the discount has just ended. Exact under concurrency. */
export async function useDiscount(tx: Tx, storeId: string, id: string): Promise<boolean> {
  const [row] = await tx.rows(sql`
    update discounts
    set current_uses = current_uses + 1
    where store_id = ${storeId}
      and id = ${id}
      and ${isUsable}
    returning id`)
  return row !== undefined
}

/** Returns a use when its order is cancelled or returned. */
export function returnDiscountUse(tx: Tx, storeId: string, id: string): void {
  tx.later(sql`
    update discounts
    set current_uses = greatest(current_uses - 1, 0)
    where store_id = ${storeId}
      and id = ${id}`)
}
