// Passkeys of shoppers. They belong to a customer of one store, and prove the email that was proven when they were
// added.
import type { Db, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { conflict, invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { isUuid, newUuid } from '../../kit/values/ids.ts'
import type { PasskeyStore } from '../../identity/accounts/factors/ceremony.ts'
import type { NewKey } from '../../identity/accounts/factors/passkey.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { Shopper } from './session.ts'

export const maxPasskeys = 10

export type ShopperPasskey = { id: string; name: string; created_at: Date; last_used_at: Date | null }

export function listPasskeys(db: Db, store: Store, { id }: Shopper): Promise<ShopperPasskey[]> {
  return db.rows<ShopperPasskey>(sql`
    select id, name, created_at, last_used_at
    from shopper_passkeys
    where store_id = ${store.id}
      and customer_id = ${id}
    order by created_at, id
    limit ${maxPasskeys}`)
}

type KeyRow = { id: string; credential_id: Buffer; public_key: Buffer; counter: number; transports: string[] }

/** The keys of a store; `user_id` is the customer's. */
export function buildPasskeyStore(store: Store): PasskeyStore {
  return {
    realm: `shopper of ${store.id}`,
    listCredentials: async (db, customerId) => {
      const rows = await db.rows<Pick<KeyRow, 'credential_id' | 'transports'>>(sql`
        select credential_id, transports
        from shopper_passkeys
        where store_id = ${store.id}
          and customer_id = ${customerId}
        limit ${maxPasskeys}`)
      return rows.map(({ credential_id, transports }) => ({ id: credential_id.toString('base64url'), transports }))
    },
    find: (db, credentialId) =>
      db.one<KeyRow & { user_id: string }>(sql`
        select shopper_passkeys.id, shopper_passkeys.customer_id as user_id, shopper_passkeys.credential_id,
          shopper_passkeys.public_key, shopper_passkeys.counter, shopper_passkeys.transports
        from shopper_passkeys
        join customers on customers.store_id = ${store.id}
          and customers.id = shopper_passkeys.customer_id
          and lower(customers.email) = shopper_passkeys.email
        where shopper_passkeys.store_id = ${store.id}
          and shopper_passkeys.credential_id = ${credentialId}`),
    recordUse: async (tx, { id, counter }, newCounter) => {
      const row = await tx.one(sql`
        update shopper_passkeys
        set counter = ${newCounter}, last_used_at = ${tx.now}
        where store_id = ${store.id}
          and id = ${id}
          and counter = ${counter}
        returning id`)
      return row !== undefined
    },
  }
}

export async function addPasskey(
  tx: Tx,
  store: Store,
  { id: customerId, email }: Shopper,
  { name, ...key }: NewKey & { name: string },
): Promise<void> {
  // The lock serializes inserts, so that the count is exact.
  await tx.rows(sql`select id from customers where store_id = ${store.id} and id = ${customerId} for no key update`)
  const row = await tx.one<{ count: number }>(sql`
    select count(*) as count
    from shopper_passkeys
    where store_id = ${store.id}
      and customer_id = ${customerId}`)
  if (row!.count >= maxPasskeys) {
    throw invalid(
      fault('name', generalFaults.one_too_many, { owner: 'a customer', limit: maxPasskeys, things: 'passkeys' }),
    )
  }
  await tx.rows(
    sql`
    insert into shopper_passkeys
      (store_id, id, customer_id, email, credential_id, public_key, counter, transports, is_synced, name, created_at)
    values (${store.id}, ${newUuid()}, ${customerId}, ${email}, ${key.credentialId}, ${key.publicKey}, ${key.counter},
            ${key.transports}, ${key.isSynced}, ${name}, ${tx.now})`,
    { shopper_passkeys_credential: () => conflict('This passkey is already registered') },
  )
}

export async function removePasskey(tx: Tx, store: Store, { id: customerId }: Shopper, id: string): Promise<void> {
  const row = isUuid(id)
    ? await tx.one(sql`
      delete from shopper_passkeys
      where store_id = ${store.id}
        and customer_id = ${customerId}
        and id = ${id}
      returning id`)
    : undefined
  if (!row) throw notFound('Passkey')
}
