// The customer of a buyer: one person by email, or by phone where it cannot be two.
import type * as phones from 'libphonenumber-js/min'
import { createRequire } from 'node:module'
import type { Db, Tx } from '../../kit/database/database.ts'
import { RetryTransaction } from '../../kit/database/errors.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { hasRow, sql, type Sql } from '../../kit/database/sql.ts'
import type { Store } from '../../tenancy/stores/store.ts'

type Reachable = { email?: string | null; phone?: string | null }

/**
 * The customer of an order: the oldest with this email, otherwise the oldest with this phone unless both have an
 * email, otherwise a new one. At least one of the two is given. An existing customer's record stays as it is, since
 * anyone can order with someone else's phone. `found` is what findCustomer() answered in this transaction, if asked. A
 * new one is not written yet: createBuyer() does it, with the order.
 */
export async function matchCustomer(
  tx: Tx,
  store: Store,
  contact: Reachable,
  customerId?: string | null,
): Promise<{ id: string; isNew: boolean }> {
  const existing = customerId === undefined ? await findCustomer(tx, store, contact) : customerId
  if (existing) return { id: existing, isNew: false }
  lockContacts(tx, store, contact)
  return { id: newUuid(), isNew: true }
}

/** The uuid of the customer of matchCustomer(); null if there is none. */
export async function findCustomer(db: Db, store: Store, contact: Reachable): Promise<string | null> {
  if (!contact.email && !contact.phone) return null
  const match = await db.one<{ id: string }>(buildMatchQuery(store, contact))
  return match?.id ?? null
}

function buildMatchQuery(store: Store, { email, phone }: Reachable): Sql {
  return sql`
    (select id, 1 as choice from customers
    where store_id = ${store.id}
      and lower(email) = lower(${email || null}::text)
    order by id
    limit 1)
    union all
    (select id, 2 as choice from customers
    where store_id = ${store.id}
      and ${isReachedBy(store, { email, phone })}
    order by id
    limit 1)
    order by choice
    limit 1`
}

/**
 * True for a customer with this phone. Families and offices share one: who has an email is never matched with a
 * customer who has another, nor with one whose orders were placed with another.
 */
export function isReachedBy(store: Pick<Store, 'id' | 'country_code'>, { email, phone }: Reachable): Sql {
  const hasPhone = sql`customers.phone_key = ${phoneKey(store, phone || null)}::text`
  if (!email) return hasPhone
  return sql`${hasPhone}
      and ${hasNoOtherEmail(store.id, sql`lower(${email})`)}`
}

/** True for a customer who has no email, and no order with another than this one, which is in lower case. */
export function hasNoOtherEmail(storeId: string, email: Sql): Sql {
  const isOfAnother = hasRow(sql`from orders
        where orders.store_id = ${storeId}
          and orders.customer_id = customers.id
          and lower(orders.customer_email) <> ${email}`)
  return sql`customers.email is null
      and not ${isOfAnother}`
}

/**
 * Two first orders of one person wait for each other here; the second one begins again and finds the customer of the
 * first. The fixed order prevents deadlocks between customers who share both contacts.
 */
function lockContacts(tx: Tx, store: Store, { email, phone }: Reachable): void {
  const contacts = [email?.toLowerCase(), phoneKey(store, phone ?? null)].filter((contact) => contact)
  if (contacts.length === 0) return
  for (const contact of contacts.sort()) {
    tx.later(sql`
    select pg_advisory_xact_lock(hashtextextended(${`customer ${store.id} ${contact}`}, 0))`)
  }
  tx.later(sql`select refuse('customer_known') from (${buildMatchQuery(store, { email, phone })}) as known`, {
    customer_known: () => new RetryTransaction(),
  })
}

/** E.164 if the number is valid in the store's country, otherwise its digits; null without digits. */
export function phoneKey(store: { country_code: string }, phone: string | null): string | null {
  if (!phone) return null
  phoneRules ??= createRequire(import.meta.url)('libphonenumber-js/min') as typeof phones
  const number = phoneRules.parsePhoneNumberFromString(phone, store.country_code as phones.CountryCode)
  return number?.isPossible() ? number.number : phone.replace(/\D/g, '') || null
}
/** The rules of all countries take 2 MB: they are loaded with the first number. */
let phoneRules: typeof phones | undefined
