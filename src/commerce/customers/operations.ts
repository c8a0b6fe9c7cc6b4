import { isDeepStrictEqual } from 'node:util'
import type { Tx } from '../../kit/database/database.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import type { Decimal } from '../../kit/values/money.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { remove } from '../../kit/declare/remove.ts'
import { assignments, insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import type { Row } from '../../kit/declare/row.ts'
import { searchable } from '../../kit/values/slug.ts'
import { empty, sql } from '../../kit/database/sql.ts'
import { emit } from '../../tenancy/events/emit.ts'
import { moveCounters } from '../../tenancy/plans/plan.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { endAccess } from './access.ts'
import type { ConsentInput } from './consents/consent.ts'
import { recordConsent } from './consents/operations.ts'
import { customer, type Customer, type CustomerPatch, type NewCustomer } from './customer.ts'
import { matchCustomer, phoneKey } from './matching.ts'
import { customerPayload } from './payload.ts'

export async function createCustomer(tx: Tx, store: Store, values: NewCustomer): Promise<RecordOf<Customer>> {
  await requireGroups(tx, store.id, values.group_ids ?? [])
  moveCounters(tx, store.id, { customers: 1 })
  return insertCustomer(tx, store, newUuid(), values)
}

async function insertCustomer(
  tx: Tx,
  store: Store,
  id: string,
  values: NewCustomer,
  first?: FirstOrder,
): Promise<RecordOf<Customer>> {
  const contact = { name: values.name, email: values.email ?? null, phone: values.phone ?? null }
  const { marketing_consent: given, ...fields } = values
  const consent = values.accepts_marketing
    ? recordConsent(tx, store.id, { ...contact, id, accepts: true, before: null }, given ?? {})
    : null
  const insertion = tx.texts(sql`
    ${insertInto(customer, consent ? { ...fields, marketing_consent: consent } : fields, {
      store_id: store.id,
      id,
      ...searchColumns(store, contact),
      marketing_changed_at: values.accepts_marketing ? tx.now : null,
      ...(first && {
        named_by_order: true,
        orders_count: 1,
        total_spent: first.spent,
        last_order_id: first.id,
        last_order_at: tx.now,
        ...placeColumns(first.place),
      }),
      created_at: tx.now,
      updated_at: tx.now,
    })}
    returning ${customer.columns}`)
  emit(tx, store, 'customer.created', publicId('cus', id), customerPayload({ ...contact, id }))
  const [row] = await insertion
  return customer.record(row!)
}

/** Groups that are new to the customer must exist in this store; a deleted group's ID may stay. */
async function requireGroups(
  tx: Tx,
  storeId: string,
  ids: readonly string[],
  existingIds: ReadonlySet<string> = new Set(),
): Promise<void> {
  const newIds = ids.filter((id) => !existingIds.has(id))
  if (newIds.length === 0) return
  const rows = await tx.rows<{ id: string }>(sql`
    select id
    from customer_groups
    where store_id = ${storeId}
      and id = any(${newIds}::uuid[])
    for share`)
  const existing = new Set(rows.map(({ id }) => id))
  const faults = ids.flatMap((id, index) =>
    existingIds.has(id) || existing.has(id) ? [] : [fault(`group_ids.${index}`, generalFaults.does_not_exist)],
  )
  if (faults.length > 0) throw invalid(...faults)
}

/** An update without changes keeps updated_at and emits no event. */
export async function updateCustomer(
  tx: Tx,
  store: Store,
  id: string,
  patch: CustomerPatch,
): Promise<RecordOf<Customer>> {
  const before = await tx.one<Row<typeof customer.row>>(sql`
    select ${customer.row.columns} from customers
    where store_id = ${store.id}
      and id = ${id}
    for update`)
  if (!before) throw notFound(customer.noun)
  const { marketing_consent: given, ...changes } = patch
  const isSame = Object.entries(changes).every(([name, value]) =>
    isDeepStrictEqual(value, before[name as keyof typeof before]),
  )
  if (isSame) return findRecord(tx, customer, store.id, id)
  const existing = new Set(before.group_ids)
  await requireGroups(tx, store.id, changes.group_ids ?? [], existing)
  const contact = { ...before, ...changes }
  if (contact.email?.toLowerCase() !== before.email?.toLowerCase()) endAccess(tx, store.id, id)
  const accepts = changes.accepts_marketing
  const isConsentChanged = accepts !== undefined && accepts !== before.accepts_marketing
  const { email, marketing_consent: earlier } = contact
  const consent = isConsentChanged && recordConsent(tx, store.id, { id, email, accepts, before: earlier }, given ?? {})
  const written = consent ? { ...changes, marketing_consent: consent } : changes
  const consentColumns = consent ? { marketing_changed_at: tx.now } : {}
  const update = tx.texts(sql`
    update customers
    set ${assignments(customer, written, { ...searchColumns(store, contact), ...consentColumns, updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${customer.columns}`)
  emit(tx, store, 'customer.updated', publicId('cus', id), customerPayload({ ...contact, id }))
  const [row] = await update
  return customer.record(row!)
}

/** All records with this address no longer accept marketing. */
export async function withdrawConsent(tx: Tx, store: Store, email: string, consent: ConsentInput): Promise<void> {
  const rows = await tx.rows<{ id: string }>(sql`
    select id from customers
    where store_id = ${store.id}
      and lower(email) = lower(${email})
      and accepts_marketing
    order by id
    limit ${maxWithAddress}`)
  for (const { id } of rows)
    await updateCustomer(tx, store, id, { accepts_marketing: false, marketing_consent: consent })
}

/** More records with one address are a mistake of an import. */
const maxWithAddress = 100

/** The person has said that the name and the phone are theirs. */
export function confirmContact(tx: Tx, storeId: string, id: string): void {
  tx.later(sql`
    update customers
    set named_by_order = false
    where store_id = ${storeId}
      and id = ${id}
      and named_by_order`)
}

/** Erases a customer's data outside their record, while the record still exists. */
export type EraseCustomer = (tx: Tx, store: Store, id: string) => Promise<void>

export type CustomerDeps = { eraseCustomer: EraseCustomer }

/** Erases the person. Orders keep their own data but no longer refer to a customer. */
export async function deleteCustomer(tx: Tx, store: Store, id: string, { eraseCustomer }: CustomerDeps): Promise<void> {
  await eraseCustomer(tx, store, id)
  tx.later(sql`
    update orders
    set customer_id = null
    where store_id = ${store.id}
      and customer_id = ${id}`)
  await remove(tx, customer, store.id, id)
  moveCounters(tx, store.id, { customers: -1 })
}

type CustomerContact = { name: string; email: string | null; phone: string | null }
/** The destination of an order. */
export type OrderPlace = { country_code: string | null; province_code: string | null }

/** The first order of a new customer: its uuid, its total if it is paid, and its place. */
export type FirstOrder = { id: string; spent: Decimal.Value; place: OrderPlace }

function placeColumns({ country_code, province_code }: OrderPlace) {
  return { last_country_code: country_code, last_province_code: province_code }
}

/**
 * Writes a new customer of matchCustomer() with the totals of the first order. Call this before locking the store's
 * counters, which the order moves.
 */
export function createBuyer(
  tx: Tx,
  store: Store,
  id: string,
  { name, email, phone }: { [K in keyof CustomerContact]: string | null },
  first: FirstOrder,
): void {
  const displayName = name || email || phone
  if (!displayName) throw new Error('A customer needs a name, an email or a phone')
  // The caller does not wait. A failure fails the commit.
  void insertCustomer(tx, store, id, { name: displayName, email, phone }, first).catch(() => {})
}

/** The oldest customer with an email that is proven, otherwise a new one, whose name is not known yet. */
export async function customerWithEmail(tx: Tx, store: Store, email: string): Promise<string> {
  const { id, isNew } = await matchCustomer(tx, store, { email })
  if (isNew) {
    void insertCustomer(tx, store, id, { name: email, email }).catch(() => {})
    moveCounters(tx, store.id, { customers: 1 })
  }
  return id
}

/** The columns for searching customers. */
export function searchColumns(
  store: Store,
  { name, email, phone }: CustomerContact,
): { phone_key: string | null; search_text: string } {
  const key = phoneKey(store, phone)
  return { phone_key: key, search_text: searchable(name, email, phone, phone?.replace(/\D/g, ''), key) }
}

/**
 * Updates a customer's order totals in one statement. `spent` is signed. `lastOrder` (a uuid, its time and place) is
 * stored unless a later one is known: imported orders arrive in any order.
 */
export function countOrder(
  tx: Tx,
  storeId: string,
  customerId: string,
  {
    orders,
    spent,
    lastOrder,
  }: { orders: 1 | 0 | -1; spent: Decimal.Value; lastOrder?: { id: string; at: Date; place: OrderPlace } },
): void {
  const isLast = lastOrder && sql`coalesce(last_order_at, '-infinity') <= ${lastOrder.at}::timestamptz`
  const place = lastOrder?.place
  tx.later(sql`
    update customers
    set orders_count = orders_count + ${orders}::int,
        total_spent = total_spent + ${String(spent)}::numeric${
          lastOrder
            ? sql`,
        last_order_id = case when ${isLast} then ${lastOrder.id}::uuid else last_order_id end,
        last_country_code = case when ${isLast} then ${place!.country_code}::text else last_country_code end,
        last_province_code = case when ${isLast} then ${place!.province_code}::text else last_province_code end,
        last_order_at = greatest(last_order_at, ${lastOrder.at}::timestamptz)`
            : empty
        }
    where store_id = ${storeId}
      and id = ${customerId}`)
}

/** Updates the place of the last order after its address has changed. */
export function moveLastOrder(tx: Tx, storeId: string, customerId: string, orderId: string, place: OrderPlace): void {
  tx.later(sql`
    update customers
    set last_country_code = ${place.country_code}::text, last_province_code = ${place.province_code}::text
    where store_id = ${storeId}
      and id = ${customerId}
      and last_order_id = ${orderId}`)
}

/** Counts the orders of a customer again, after those of another have become theirs or the other way round. */
export function recountOrders(tx: Tx, storeId: string, customerId: string): void {
  tx.later(sql`
    update customers
    set orders_count = sums.orders, total_spent = sums.spent
    from (
      select count(*) filter (where status <> 'cancelled')::int as orders,
        coalesce(sum(captured_amount - refunded_amount), 0) as spent
      from orders
      where store_id = ${storeId}
        and customer_id = ${customerId}) as sums
    where customers.store_id = ${storeId}
      and customers.id = ${customerId}`)
  uncountOrders(tx, storeId, customerId, { orders: 0, spent: 0 })
}

/** Takes removed orders out of the customer's totals. */
export function uncountOrders(
  tx: Tx,
  storeId: string,
  customerId: string,
  { orders, spent }: { orders: number; spent: Decimal.Value },
): void {
  tx.later(sql`
    update customers
    set orders_count = orders_count - ${orders}::int, total_spent = total_spent - ${String(spent)}::numeric,
        last_order_id = last.id, last_order_at = last.created_at,
        last_country_code = last.country_code, last_province_code = last.shipping_address ->> 'province_code'
    from (select) as one
    left join (
      select id, created_at, country_code, shipping_address
      from orders
      where store_id = ${storeId}
        and customer_id = ${customerId}
      order by created_at desc, id desc
      limit 1) as last on true
    where customers.store_id = ${storeId}
      and customers.id = ${customerId}`)
}
