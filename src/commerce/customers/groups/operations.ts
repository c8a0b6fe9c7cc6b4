// Operations on customer groups.
import type { Tx } from '../../../kit/database/database.ts'
import { advisoryLock } from '../../../kit/database/advisorylock.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { RecordOrigin } from '../../../kit/declare/origin.ts'
import { findRecord } from '../../../kit/declare/page.ts'
import { remove } from '../../../kit/declare/remove.ts'
import { assignments, insertInto, type RecordOf } from '../../../kit/declare/resource.ts'
import { conflict, invalid, notFound } from '../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { newUuid, publicId } from '../../../kit/values/ids.ts'
import { parseProvinceCode, provinceName } from '../../../kit/values/provinces.ts'
import { emit } from '../../../tenancy/events/emit.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { groupDeletedBody, groupPayload } from './payload.ts'
import {
  customerGroup,
  rules,
  type CustomerGroup,
  type CustomerGroupPatch,
  type CustomerGroupRow,
  type NewCustomerGroup,
} from './group.ts'

/** The maximum number of groups in a store: the page of a customer asks each whether the customer is in it. */
const maxGroups = 100

export async function createGroup(
  tx: Tx,
  store: Store,
  values: NewCustomerGroup,
  origin?: RecordOrigin,
): Promise<RecordOf<CustomerGroup>> {
  const provinces = provinceCodes(store, values.provinces ?? [], values.country_codes ?? [])
  advisoryLock(tx, `customer groups ${store.id}`)
  const others = await tx.one<{ count: number }>(sql`
    select count(*) as count
    from customer_groups
    where store_id = ${store.id}`)
  if (others!.count >= maxGroups) {
    const filling = { owner: 'a store', limit: maxGroups, things: 'customer groups' }
    throw invalid(fault('body', generalFaults.one_too_many, filling))
  }
  const [row] = await tx.texts(
    sql`
    ${insertInto(customerGroup, values, {
      store_id: store.id,
      id: origin?.id ?? newUuid(),
      provinces,
      created_at: origin?.created_at ?? tx.now,
      updated_at: tx.now,
    })}
    returning ${customerGroup.columns}`,
    duplicateErrors(values),
  )
  return tell(tx, store, 'customer_group.created', customerGroup.record(row!))
}

/** A partial update; least and greatest values must fit together afterwards. */
export async function updateGroup(
  tx: Tx,
  store: Store,
  id: string,
  patch: CustomerGroupPatch,
): Promise<RecordOf<CustomerGroup>> {
  if (Object.keys(patch).length === 0) return findRecord(tx, customerGroup, store.id, id)
  const before = await tx.one<CustomerGroupRow>(sql`
    select ${customerGroup.row.columns}
    from customer_groups
    where store_id = ${store.id}
      and id = ${id}
    for update`)
  if (!before) throw notFound(customerGroup.noun)
  const after = { ...before, ...patch }
  const faults = rules.flatMap(({ check }) => check(after, store) ?? [])
  if (faults.length > 0) throw invalid(...faults)
  const places = patch.provinces ? { provinces: provinceCodes(store, patch.provinces, after.country_codes) } : {}
  const [row] = await tx.texts(
    sql`
    update customer_groups
    set ${assignments(customerGroup, patch, { ...places, updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${customerGroup.columns}`,
    duplicateErrors(patch),
  )
  return tell(tx, store, 'customer_group.updated', customerGroup.record(row!))
}

function tell(
  tx: Tx,
  store: Store,
  event: 'customer_group.created' | 'customer_group.updated',
  record: RecordOf<CustomerGroup>,
): RecordOf<CustomerGroup> {
  emit(tx, store, event, record.id, groupPayload(record.entity))
  return record
}

/** Customers stay. A discount that is limited to this group alone applies to nobody from then on. */
export async function deleteGroup(tx: Tx, store: Store, id: string): Promise<void> {
  await remove(tx, customerGroup, store.id, id)
  const customer_group = { id: publicId('cgrp', id) }
  emit(tx, store, 'customer_group.deleted', customer_group.id, groupDeletedBody.write({ customer_group }))
}

/** Unique ISO codes. A name is looked up in the countries of the group, then in the store's. */
export function provinceCodes(
  { country_code }: { country_code: string },
  input: readonly string[],
  countries: readonly string[],
): string[] {
  const codes = input.map((text) => {
    if (provinceName(text)) return text
    return [...countries, country_code].map((country) => parseProvinceCode(country, text)).find(Boolean) ?? null
  })
  const faults = codes.flatMap((code, index) =>
    code === null
      ? [fault(`provinces.${index}`, generalFaults.no_province, { country: countries.join(', ') || country_code })]
      : [],
  )
  if (faults.length > 0) throw invalid(...faults)
  return [...new Set(codes as string[])]
}

function duplicateErrors({ name }: { name?: string }): Record<string, () => Error> {
  return { customer_groups_name: () => conflict(`A customer group with the name ${name} already exists`) }
}
