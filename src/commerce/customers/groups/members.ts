// The members of a group: lists them, counts those whom rules would match, and adds and removes some by hand.
import type { Db, Tx } from '../../../kit/database/database.ts'
import { arrayLiteral, raw, records, sql } from '../../../kit/database/sql.ts'
import { list } from '../../../kit/declare/composites.ts'
import { find, page } from '../../../kit/declare/page.ts'
import type { Json, ListQuery } from '../../../kit/declare/resource.ts'
import { json } from '../../../kit/declare/route.ts'
import { columnType } from '../../../kit/declare/row.ts'
import { id as idField } from '../../../kit/declare/scalars.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { conflict, invalid, notFound } from '../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { emitAll } from '../../../tenancy/events/emit.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { customer, maxGroupsOfCustomer } from '../customer.ts'
import { customerPayload } from '../payload.ts'
import { groupFaults } from './errors.ts'
import { customerGroup, ruleFields, type CustomerGroupRules } from './group.ts'
import { isInGroup, matchesRules } from './membership.ts'
import { provinceCodes } from './operations.ts'

export const memberAddition = createBody({
  customer_ids: list(idField('cus'), { min: 1, max: 500, unique: true })
    .required()
    .describe('Customers to add by hand; those who were added before stay'),
})

export const addedSchema = {
  title: 'Added members',
  type: 'object',
  properties: { count: { type: 'integer', minimum: 0, description: 'Customers who had not been added before' } },
  required: ['count'],
}

export async function listMembers(db: Db, store: Store, id: string, query: ListQuery) {
  await find(db, customerGroup, store.id, id)
  // As a filter, the list counts the customers itself.
  if (query.group === undefined) return page(db, customer, store, { ...query, group: publicId('cgrp', id) })
  return page(db, customer, store, query, isInGroup(store.id, id))
}

/** Counts the customers whom these rules match now, and with `groupId` those who were added to the group by hand. */
export async function countMatches(
  db: Db,
  store: Store,
  rules: CustomerGroupRules,
  groupId: string | null = null,
): Promise<number> {
  const provinces = provinceCodes(store, rules.provinces ?? [], rules.country_codes ?? [])
  const cells = Object.entries({ ...rules, provinces }).map(([name, value]) => [
    name,
    Array.isArray(value) ? arrayLiteral(value) : value,
  ])
  const isAdded = groupId === null ? raw('false') : sql`${groupId}::uuid = any(customers.group_ids)`
  const row = await db.one<{ count: number }>(sql`
    select count(*)::int as count
    from customers
    cross join ${records('customer_groups', ruleTypes, [Object.fromEntries(cells)])}
    where customers.store_id = ${store.id}
      and (${isAdded} or ${matchesRules})`)
  return row!.count
}

const ruleTypes: Record<string, string> = Object.fromEntries(
  Object.entries(ruleFields).map(([name, { spec }]) => [name, columnType(spec)]),
)

type MemberRow = { id: string; name: string; email: string | null; phone: string | null }

/** All or nothing. Locks customers in the order of their ids, as all that lock several do. */
export async function addMembers(
  tx: Tx,
  store: Store,
  id: string,
  { customer_ids: ids }: { customer_ids: string[] },
): Promise<Json<{ count: number }>> {
  const [group, customers] = await Promise.all([
    lockGroup(tx, store.id, id),
    tx.rows<{ id: string; is_full: boolean }>(sql`
      select id, cardinality(group_ids) >= ${maxGroupsOfCustomer}::int and not ${id}::uuid = any(group_ids) as is_full
      from customers
      where store_id = ${store.id}
        and id = any(${ids}::uuid[])
      order by id
      for no key update`),
  ])
  if (!group) throw notFound(customerGroup.noun)
  const byId = new Map(customers.map((one) => [one.id, one]))
  const faults = ids.flatMap((one, index) => {
    const at = `customer_ids.${index}`
    if (!byId.has(one)) return [fault(at, generalFaults.does_not_exist)]
    return byId.get(one)!.is_full ? [fault(at, groupFaults.too_many_groups, { limit: maxGroupsOfCustomer })] : []
  })
  if (faults.length > 0) throw invalid(...faults)
  const rows = await tx.rows<MemberRow>(sql`
    update customers
    set group_ids = group_ids || ${id}::uuid, updated_at = ${tx.now}
    where store_id = ${store.id}
      and id = any(${ids}::uuid[])
      and not ${id}::uuid = any(group_ids)
    returning id, name, email, phone`)
  emitUpdates(tx, store, rows)
  return json({ count: rows.length })
}

/** Removes a customer who was added by hand. Rules go on matching. */
export async function removeMember(tx: Tx, store: Store, id: string, customerId: string): Promise<void> {
  const [group, rows] = await Promise.all([
    lockGroup(tx, store.id, id),
    tx.rows<MemberRow>(sql`
      update customers
      set group_ids = array_remove(group_ids, ${id}::uuid), updated_at = ${tx.now}
      where store_id = ${store.id}
        and id = ${customerId}
        and ${id}::uuid = any(group_ids)
      returning id, name, email, phone`),
  ])
  if (!group) throw notFound(customerGroup.noun)
  if (rows.length === 0) {
    const match = await tx.one(sql`
      select
      from customers
      where customers.store_id = ${store.id}
        and customers.id = ${customerId}
        and ${isInGroup(store.id, id)}`)
    if (match) throw conflict('The rules of the group match this customer, who was not added by hand')
    throw notFound(customer.noun)
  }
  emitUpdates(tx, store, rows)
}

function lockGroup(tx: Tx, storeId: string, id: string): Promise<object | undefined> {
  return tx.one(sql`
    select
    from customer_groups
    where store_id = ${storeId}
      and id = ${id}
    for share`)
}

function emitUpdates(tx: Tx, store: Store, rows: readonly MemberRow[]): void {
  const subjects = rows.map((row) => ({ id: publicId('cus', row.id), payload: customerPayload(row) }))
  emitAll(tx, store, 'customer.updated', subjects)
}
