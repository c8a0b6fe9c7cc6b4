// The rows that contain data of a customer, for access and erasure.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import {
  buildEmailMatch,
  buildPhoneMatch,
  type ErasedPerson,
  type Person,
  type PersonContact,
} from '../../tenancy/tables/person.ts'
import { notFound } from '../../kit/values/errors.ts'
import { customer } from '../../commerce/customers/customer.ts'
import { phoneKey } from '../../commerce/customers/matching.ts'
import { isAbout } from '../../tenancy/audit/history.ts'

export async function findSubject(db: Db, store: Store, id: string): Promise<ErasedPerson> {
  const person = await findPerson(db, store, id)
  const listPersonIds = async (table: Sql, isTheirs: Sql) => {
    const rows = await db.rows<{ id: string }>(sql`
      select id from ${table}
      where store_id = ${store.id}
        and ${isTheirs}`)
    return rows.map((row) => row.id)
  }
  const orderIds = await listPersonIds(sql`orders`, sql`customer_id = ${id}`)
  const commentIds = await listPersonIds(sql`order_comments`, sql`order_id = any(${orderIds}::uuid[])`)
  const checkoutIds = await listPersonIds(sql`checkouts`, buildCheckoutCondition({ ...person, orderIds }, store.id))
  const draftOrderIds = await listPersonIds(sql`draft_orders`, buildDraftCondition(person))
  const returnIds = await listPersonIds(sql`returns`, sql`order_id = any(${orderIds}::uuid[])`)
  return { ...person, storeId: store.id, orderIds, returnIds, checkoutIds, commentIds, draftOrderIds }
}

/** A phone is often shared: it proves nothing where both the person and the checkout have an email. */
function buildCheckoutCondition(person: Person & Pick<ErasedPerson, 'orderIds'>, storeId: string): Sql {
  const at = sql`checkouts.created_at`
  return sql`(checkouts.order_id = any(${person.orderIds}::uuid[])
        or ${buildEmailMatch(person, sql`checkouts.customer_email`, at)}
        or (${buildPhoneMatch(person, sql`checkouts.customer_phone`, at)}
          and (checkouts.customer_email is null or ${raw(String(person.emails.length === 0))})
          and not exists (
            select from customers as others
            where others.store_id = ${storeId}
              and lower(others.email) = lower(checkouts.customer_email)
              and others.id <> ${person.id})))`
}

/** Drafts made for them, or sent to an address of theirs. */
function buildDraftCondition(person: Person): Sql {
  const at = sql`draft_orders.created_at`
  return sql`(draft_orders.customer_id = ${person.id}
        or ${buildEmailMatch(person, sql`draft_orders.customer_email`, at)})`
}

// A customer with every contact that they have had: the audit log remembers the earlier ones.

type ContactState = { name: string | null; email: string | null; phone: string | null }
type EarlierContact = ContactState & { until: Date }

async function findPerson(db: Db, store: Store, id: string): Promise<Person> {
  // Those who were merged into them, with their last contact.
  const merged = await db.rows<EarlierContact & { id: string }>(sql`
    select merged_id as id, merged ->> 'name' as name, merged ->> 'email' as email, merged ->> 'phone' as phone,
      created_at as until
    from customer_merges
    where store_id = ${store.id}
      and customer_id = ${id}`)
  const ids = [id, ...merged.map((one) => one.id)]
  const [current, earlier] = await Promise.all([
    db.one<ContactState>(sql`
      select name, email, phone from customers
      where store_id = ${store.id}
        and id = ${id}`),
    db.rows<EarlierContact>(sql`
      select entry -> 'before' ->> 'name' as name, entry -> 'before' ->> 'email' as email,
        entry -> 'before' ->> 'phone' as phone, audit_log.created_at as until
      from audit_log
      cross join lateral json_array_elements(audit_log.personal) as entry
      where audit_log.store_id = ${store.id}
        and ${isAbout(store.id, sql`${ids}::uuid[]`)}
        and audit_log.personal is not null
        and entry ->> 'id' = any(${ids}::text[])
        and json_typeof(entry -> 'before') = 'object'
      order by audit_log.id`),
  ])
  if (!current) throw notFound(customer.noun)
  const states = [...earlier, ...merged, { ...current, until: null }]
  const digits = ({ phone }: ContactState) => [phone, phoneKey(store, phone)].map((text) => text?.replace(/\D/g, ''))
  const emails = listContacts(states, ({ email }) => [email?.toLowerCase()])
  const phones = listContacts(states, digits)
  const foreignContacts = await sharedContacts(db, store.id, { id, emails, phones })
  const selectEnding = (contacts: PersonContact[]) =>
    contacts.map(({ value, until }): PersonContact => ({ value, until: foreignContacts.has(value) ? until : null }))
  return {
    id,
    ids,
    names: [...new Set(states.flatMap(({ name }) => name ?? []))],
    emails: selectEnding(emails),
    phones: selectEnding(phones),
  }
}

/** Each once, with when it was given up last. */
function listContacts<S extends { until: Date | null }>(
  states: S[],
  of: (state: S) => (string | null | undefined)[],
): PersonContact[] {
  const untils = new Map<string, Date | null>()
  for (const state of states) for (const value of of(state)) if (value) untils.set(value, state.until)
  return [...untils].map(([value, until]) => ({ value, until }))
}

async function sharedContacts(
  db: Db,
  storeId: string,
  { id, emails, phones }: Omit<Person, 'names' | 'ids'>,
): Promise<Set<string>> {
  const listUnending = (contacts: PersonContact[]) =>
    contacts.filter(({ until }) => until !== null).map(({ value }) => value)
  const others = await db.rows<{ contact: string }>(sql`
    select lower(email) as contact
    from customers
    where store_id = ${storeId}
      and lower(email) = any(${listUnending(emails)}::text[])
      and id <> ${id}
    union
    select ltrim(phone_key, '+')
    from customers
    where store_id = ${storeId}
      and phone_key = any(${listUnending(phones).flatMap((digits) => [digits, `+${digits}`])}::text[])
      and id <> ${id}`)
  return new Set(others.map(({ contact }) => contact))
}
