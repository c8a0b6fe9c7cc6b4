// A customer with every contact that they have had: the audit log remembers the earlier ones.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { notFound } from '../../kit/values/errors.ts'
import { customer } from '../../commerce/customers/customer.ts'
import { phoneKey } from '../../commerce/customers/matching.ts'
import { isAbout } from '../../tenancy/audit/history.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { Person, PersonContact } from '../../tenancy/tables/person.ts'

type ContactState = { name: string | null; email: string | null; phone: string | null }
type EarlierContact = ContactState & { until: Date }

export async function findPerson(db: Db, store: Store, id: string): Promise<Person> {
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
        and ${isAbout(store.id, sql`array[${id}::uuid]`)}
        and audit_log.personal is not null
        and entry ->> 'id' = ${id}
        and json_typeof(entry -> 'before') = 'object'
      order by audit_log.id`),
  ])
  if (!current) throw notFound(customer.noun)
  const states = [...earlier, { ...current, until: null }]
  const digits = ({ phone }: ContactState) => [phone, phoneKey(store, phone)].map((text) => text?.replace(/\D/g, ''))
  const emails = contactsOf(states, ({ email }) => [email?.toLowerCase()])
  const phones = contactsOf(states, digits)
  const taken = await sharedContacts(db, store.id, { id, emails, phones })
  const bounded = (contacts: PersonContact[]) =>
    contacts.map(({ value, until }): PersonContact => ({ value, until: taken.has(value) ? until : null }))
  return {
    id,
    names: [...new Set(states.flatMap(({ name }) => name ?? []))],
    emails: bounded(emails),
    phones: bounded(phones),
  }
}

/** Each once, with when it was given up last. */
function contactsOf<S extends { until: Date | null }>(
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
  { id, emails, phones }: Omit<Person, 'names'>,
): Promise<Set<string>> {
  const given = (contacts: PersonContact[]) => contacts.filter(({ until }) => until !== null).map(({ value }) => value)
  const others = await db.rows<{ contact: string }>(sql`
    select lower(email) as contact
    from customers
    where store_id = ${storeId}
      and lower(email) = any(${given(emails)}::text[])
      and id <> ${id}
    union
    select ltrim(phone_key, '+')
    from customers
    where store_id = ${storeId}
      and phone_key = any(${given(phones).flatMap((digits) => [digits, `+${digits}`])}::text[])
      and id <> ${id}`)
  return new Set(others.map(({ contact }) => contact))
}
