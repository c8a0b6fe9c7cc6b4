// Sessions of shoppers: one row each, found by the hash of the cookie's value in one store. They end when the customer
// is erased, or when their email is no longer the verified one.
import type { Database, Db, Tx } from '../../kit/database/database.ts'
import { currentTime, sql } from '../../kit/database/sql.ts'
import { hashSecret, randomBase62 } from '../../kit/values/secrets.ts'
import type { Store } from '../../tenancy/stores/store.ts'

export const sessionDays = 30
const renewedAfterMs = 24 * 3600_000

/** A customer who is signed in. `id` is their uuid. */
export type Shopper = {
  id: string
  /** Lower case. */
  email: string
  /** Their email, and no phone, as long as only an order has named them: anyone can order with another's email. */
  name: string
  phone: string | null
  /** True if a tax ID is known of them. */
  is_business: boolean
  /** True if the session is old enough to renew its cookie. */
  isDue: boolean
}

const computeSessionEnd = (now: Date) => new Date(now.getTime() + sessionDays * 24 * 3600_000)

/** Every sign-in opens a new session. Only this result contains its value. */
export function openSession(tx: Tx, store: Store, owner: { customerId: string; email: string }): string {
  const value = randomBase62(43)
  tx.later(sql`
    insert into shopper_sessions (store_id, hash, customer_id, email, created_at, seen_at, expires_at)
    values (${store.id}, ${hashSecret(value)}, ${owner.customerId}, ${owner.email.toLowerCase()}, ${tx.now},
            ${tx.now}, ${computeSessionEnd(tx.now)})`)
  return value
}

type SessionRow = Omit<Shopper, 'isDue'> & { seen_at: Date }

export async function findShopper(db: Database | Db, store: Store, value: string, now: Date): Promise<Shopper | null> {
  const row = await db.one<SessionRow>(sql`
    select customers.id, shopper_sessions.email, shopper_sessions.seen_at,
      case when customers.named_by_order then customers.email else customers.name end as name,
      case when customers.named_by_order then null else customers.phone end as phone,
      customers.tax_id is not null as is_business
    from shopper_sessions
    join customers on customers.store_id = ${store.id}
      and customers.id = shopper_sessions.customer_id
      and lower(customers.email) = shopper_sessions.email
    where shopper_sessions.store_id = ${store.id}
      and shopper_sessions.hash = ${hashSecret(value)}
      and shopper_sessions.expires_at > ${currentTime}`)
  if (!row) return null
  const { seen_at, ...shopper } = row
  return { ...shopper, isDue: seen_at.getTime() < now.getTime() - renewedAfterMs }
}

/** Restarts the lifetime of the session. */
export function renewSession(tx: Tx, store: Store, value: string): void {
  tx.later(sql`
    update shopper_sessions
    set seen_at = ${tx.now}, expires_at = ${computeSessionEnd(tx.now)}
    where store_id = ${store.id}
      and hash = ${hashSecret(value)}`)
}

export function endSession(tx: Tx, store: Store, value: string): void {
  tx.later(sql`
    delete from shopper_sessions
    where store_id = ${store.id}
      and hash = ${hashSecret(value)}`)
}

/** Ends all sessions of the customer, in all browsers. */
export function endSessions(tx: Tx, store: Store, customerId: string): void {
  tx.later(sql`
    delete from shopper_sessions
    where store_id = ${store.id}
      and customer_id = ${customerId}`)
}
