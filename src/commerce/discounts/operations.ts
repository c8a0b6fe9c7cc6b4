import type { Tx } from '../../kit/database/database.ts'
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
  discount,
  rules,
  type Discount,
  type DiscountPatch,
  type DiscountRow,
  type DiscountType,
  type NewDiscount,
} from './discount.ts'
import { discountFaults } from './errors.ts'
import { isExpired } from './usability.ts'

export async function createDiscount(
  tx: Tx,
  store: Store,
  values: NewDiscount,
  origin?: RecordOrigin & { current_uses: number },
): Promise<RecordOf<Discount>> {
  const scope = resolveDiscountScope(values, noScope)
  // A restored discount may name products, categories or groups that have been deleted since.
  if (!origin) await requireExisting(tx, store.id, values)
  await requireFewAutomatic(tx, store.id, values)
  const [row] = await insertCounted(tx, store, 'discounts', () =>
    tx.texts(
      sql`
    ${insertInto(discount, values, {
      store_id: store.id,
      id: origin?.id ?? newUuid(),
      value: roundDiscountValue(store, values),
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
  if (!isAutomaticNow(before, tx.now)) await requireFewAutomatic(tx, store.id, after)
  if (after.code !== before.code) advisoryLock(tx, `codes of discounts ${store.id}`)
  const [row] = await tx.texts(
    sql`
    update discounts
    set ${assignments(discount, patch, {
      value: roundDiscountValue(store, after),
      ...resolveDiscountScope(patch, before),
      updated_at: tx.now,
    })}
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
function roundDiscountValue(
  store: Store,
  { type, value }: { type: DiscountType; value: Decimal.Value },
): Decimal.Value {
  return type === 'fixed_amount' ? round(value, store.currency) : value
}

/** The fields that name records, and the tables of these. */
const scopeTables = {
  applicable_product_ids: 'products',
  applicable_category_ids: 'categories',
  buy_product_ids: 'products',
  buy_category_ids: 'categories',
  customer_group_ids: 'customer_groups',
} as const
type ScopeField = keyof typeof scopeTables
const scopeFields = Object.keys(scopeTables) as ScopeField[]
type Scope = Pick<DiscountRow, 'applies_to_all' | ScopeField>

const noScope: Scope = {
  applies_to_all: true,
  applicable_product_ids: [],
  applicable_category_ids: [],
  buy_product_ids: [],
  buy_category_ids: [],
  customer_group_ids: [],
}

/** Naming products or categories limits a discount to them, unless the same body says that it applies to all. */
function resolveDiscountScope(input: Partial<Scope>, before: Scope): Scope {
  const ids = Object.fromEntries(scopeFields.map((name) => [name, [...new Set(input[name] ?? before[name])]]))
  const isNarrowed = [input.applicable_product_ids, input.applicable_category_ids].some((ids) => ids && ids.length > 0)
  return {
    applies_to_all: input.applies_to_all ?? (isNarrowed ? false : before.applies_to_all),
    ...(ids as Pick<Scope, ScopeField>),
  }
}

/** IDs that are new to the discount must exist in this store; the ID of a deleted one may stay. */
async function requireExisting(tx: Tx, storeId: string, input: Partial<Scope>, before?: Scope): Promise<void> {
  const faults = await Promise.all(
    scopeFields.map((field) => unknownIds(tx, storeId, field, scopeTables[field], input, before)),
  )
  if (faults.flat().length > 0) throw invalid(...faults.flat())
}

async function unknownIds(
  tx: Tx,
  storeId: string,
  field: ScopeField,
  table: string,
  input: Partial<Scope>,
  before?: Scope,
): Promise<Fault[]> {
  const ids = input[field] ?? []
  const existingIds = new Set(before?.[field])
  const newIds = ids.filter((id) => !existingIds.has(id))
  if (newIds.length === 0) return []
  const rows = await tx.rows<{ id: string }>(sql`
    select id from ${raw(table)}
    where store_id = ${storeId}
      and id = any(${newIds}::uuid[])`)
  rows.forEach(({ id }) => existingIds.add(id))
  return ids.flatMap((id, index) =>
    existingIds.has(id) ? [] : [fault(`${field}.${index}`, generalFaults.does_not_exist)],
  )
}

function duplicateErrors({ code }: { code?: string }): Record<string, () => Error> {
  return { discounts_code: () => conflict(`A discount with the code ${code} already exists`) }
}

/** Every checkout reads all of them, so their number is limited. */
export const maxAutomatic = 25

type AutomaticFacts = { is_automatic?: boolean; is_active?: boolean; expires_at?: Date | null }

function isAutomaticNow({ is_automatic, is_active, expires_at }: AutomaticFacts, now: Date): boolean {
  return is_automatic === true && is_active !== false && (!expires_at || expires_at > now)
}

/** Creates and activations of automatic discounts wait for each other, so that the limit is exact. */
async function requireFewAutomatic(tx: Tx, storeId: string, discount: AutomaticFacts): Promise<void> {
  if (!isAutomaticNow(discount, tx.now)) return
  advisoryLock(tx, `automatic discounts ${storeId}`)
  const others = await tx.one<{ count: number }>(sql`
    select count(*) as count
    from discounts
    where store_id = ${storeId}
      and is_automatic
      and is_active
      and not ${isExpired}`)
  if (others!.count >= maxAutomatic) {
    throw invalid(fault('is_automatic', discountFaults.too_many_automatic, { limit: maxAutomatic }))
  }
}
