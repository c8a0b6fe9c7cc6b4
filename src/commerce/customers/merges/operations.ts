// Two records of one person become one. Rows of every table that names the other customer follow, as the declarations
// of the tables say.
import type { Tx } from '../../../kit/database/database.ts'
import { list, raw, sql } from '../../../kit/database/sql.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { assignments, type RecordOf } from '../../../kit/declare/resource.ts'
import { invalid, notFound } from '../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { newUuid, publicId } from '../../../kit/values/ids.ts'
import { emit } from '../../../tenancy/events/emit.ts'
import { moveCounters } from '../../../tenancy/plans/plan.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { endAccess } from '../access.ts'
import { customer, type Customer } from '../customer.ts'
import { customerFaults } from '../errors.ts'
import { recountOrders, searchColumns } from '../operations.ts'
import { customerPayload, mergedPayload } from '../payload.ts'
import { uniteCustomers, type CustomerRow } from './union.ts'

/** The tables whose rows follow a customer into another (the mark `merge` of their declarations). */
export type MergeDeps = { followingTables: readonly string[] }

/** The other customer's record is gone then. Their order of locks is that of all that lock several. */
export async function mergeCustomers(
  tx: Tx,
  store: Store,
  id: string,
  otherId: string,
  { followingTables }: MergeDeps,
): Promise<RecordOf<Customer>> {
  const rows = await tx.rows<CustomerRow & { whole: string }>(sql`
    select ${customer.row.columns}, to_json(customers)::text as whole
    from customers
    where store_id = ${store.id}
      and id = any(${[id, otherId]}::uuid[])
    order by id
    for update`)
  const [kept, other] = [id, otherId].map((one) => rows.find((row) => row.id === one))
  if (!kept) throw notFound(customer.noun)
  if (!other) throw invalid(fault('customer_id', generalFaults.does_not_exist))
  if (kept === other) throw invalid(fault('customer_id', customerFaults.same_customer))
  const { changes, faults } = uniteCustomers(kept, other)
  if (faults.length > 0) throw invalid(...faults)
  const moved = await moveRows(tx, store.id, { from: otherId, to: id }, followingTables)
  const mergeId = newUuid()
  tx.later(sql`
    insert into customer_merges (store_id, id, customer_id, merged_id, merged, moved, created_at)
    values (${store.id}, ${mergeId}, ${id}, ${otherId}, ${other.whole}::json, ${JSON.stringify(moved)}::json,
            ${tx.now})`)
  endAccess(tx, store.id, otherId)
  tx.later(sql`
    delete from customers
    where store_id = ${store.id}
      and id = ${otherId}`)
  moveCounters(tx, store.id, { customers: -1 })
  const contact = { ...kept, ...changes }
  tx.later(sql`
    update customers
    set ${assignments(customer, changes, { ...searchColumns(store, contact), updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}`)
  recountOrders(tx, store.id, id)
  emit(tx, store, 'customer.updated', publicId('cus', id), customerPayload({ ...contact, id }))
  emit(tx, store, 'customer.merged', publicId('cus', id), mergedPayload({ ...contact, id }, otherId))
  return findRecord(tx, customer, store.id, id)
}

/** Rows of one statement, which has seconds. */
const maxAtOnce = 2000

/** Table → the IDs of its moved rows. */
type MovedRows = Record<string, string[]>

async function moveRows(
  tx: Tx,
  storeId: string,
  { from, to }: { from: string; to: string },
  tables: readonly string[],
): Promise<MovedRows> {
  const moves = tables.map(async (table) => {
    const moved: string[] = []
    for (let count = maxAtOnce; count === maxAtOnce;) {
      const rows = await tx.rows<{ id: string }>(sql`
      update ${raw(table)}
      set customer_id = ${to}
      where store_id = ${storeId}
        and id = any(array(
          select id from ${raw(table)}
          where store_id = ${storeId}
            and customer_id = ${from}
          limit ${maxAtOnce}))
      returning id`)
      count = rows.length
      moved.push(...rows.map(({ id }) => id))
    }
    return [table, moved] as const
  })
  return Object.fromEntries((await Promise.all(moves)).filter(([, ids]) => ids.length > 0))
}

type Contact = { name: string; email: string | null; phone: string | null }
type MergeRow = { customer_id: string; merged_id: string; merged: Contact; whole: string; moved: MovedRows }

/** Gives back the other customer, with the rows that went along and are still there. Their sign-ins stay ended. */
export async function splitCustomers(tx: Tx, store: Store, mergeId: string): Promise<void> {
  const merge = await tx.one<MergeRow>(sql`
    select customer_id, merged_id, merged, merged::text as whole, moved
    from customer_merges
    where store_id = ${store.id}
      and id = ${mergeId}
    for update`)
  if (!merge) throw notFound('Merge')
  const { customer_id: id, merged_id: otherId, merged, whole, moved } = merge
  await insertAgain(tx, Object.keys(merged), whole)
  for (const [table, ids] of Object.entries(moved)) {
    for (let from = 0; from < ids.length; from += maxAtOnce)
      tx.later(sql`
    update ${raw(table)}
    set customer_id = ${otherId}
    where store_id = ${store.id}
      and customer_id = ${id}
      and id = any(${ids.slice(from, from + maxAtOnce)}::uuid[])`)
  }
  tx.later(sql`
    delete from customer_merges
    where store_id = ${store.id}
      and id = ${mergeId}`)
  moveCounters(tx, store.id, { customers: 1 })
  for (const one of [id, otherId]) recountOrders(tx, store.id, one)
  emit(tx, store, 'customer.created', publicId('cus', otherId), customerPayload({ ...merged, id: otherId }))
}

/** In two statements: a distributed database inserts values. */
async function insertAgain(tx: Tx, columns: readonly string[], row: string): Promise<void> {
  const names = raw(columns.join(', '))
  const [cells] = await tx.texts(sql`select ${names} from json_populate_record(null::customers, ${row}::json)`)
  tx.later(sql`
    insert into customers (${names})
    values (${list(cells!)})`)
}
