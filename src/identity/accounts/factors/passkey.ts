// Passkeys: keys that a person's phone, computer or security key holds, and that sign in by themselves.
import { recordSecurityEvent } from '../../../tenancy/audit/operations.ts'
import type { Actor } from '../../../kit/values/actor.ts'
import type { Db, Tx } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { conflict, invalid, notFound } from '../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { isUuid, newUuid } from '../../../kit/values/ids.ts'

const maxPasskeys = 20

export type Passkey = { id: string; name: string; is_synced: boolean; created_at: Date; last_used_at: Date | null }

export function listPasskeys(db: Db, userId: string): Promise<Passkey[]> {
  return db.rows<Passkey>(sql`
    select id, name, is_synced, created_at, last_used_at
    from passkeys
    where user_id = ${userId}
    order by created_at, id
    limit ${maxPasskeys}`)
}

/** The browser skips devices that already hold one of these. */
export async function listPasskeyCredentials(db: Db, userId: string): Promise<{ id: string; transports: string[] }[]> {
  const rows = await db.rows<{ credential_id: Buffer; transports: string[] }>(sql`
    select credential_id, transports
    from passkeys
    where user_id = ${userId}
    limit ${maxPasskeys}`)
  return rows.map(({ credential_id, transports }) => ({ id: credential_id.toString('base64url'), transports }))
}

export type NewKey = {
  credentialId: Buffer
  publicKey: Buffer
  counter: number
  transports: string[]
  isSynced: boolean
}

export async function addPasskey(
  tx: Tx,
  userId: string,
  { name, ...key }: NewKey & { name: string },
  actor: Actor,
): Promise<void> {
  await requireRoomForPasskey(tx, userId)
  await tx.rows(
    sql`
    insert into passkeys
      (id, user_id, credential_id, public_key, counter, transports, is_synced, name, created_at)
    values (${newUuid()}, ${userId}, ${key.credentialId}, ${key.publicKey}, ${key.counter}, ${key.transports},
            ${key.isSynced}, ${name}, ${tx.now})`,
    { passkeys_credential: () => conflict('This passkey is already registered') },
  )
  recordSecurityEvent(tx, { event: 'passkey_added', actor, subject: actor.id })
}

async function requireRoomForPasskey(tx: Tx, userId: string): Promise<void> {
  // The lock serialises inserts, so that the count is exact.
  await tx.rows(sql`select id from users where id = ${userId} for no key update`)
  const row = await tx.one<{ count: number }>(sql`select count(*) as count from passkeys where user_id = ${userId}`)
  if (row!.count < maxPasskeys) return
  throw invalid(
    fault('name', generalFaults.one_too_many, { owner: 'a person', limit: maxPasskeys, things: 'passkeys' }),
  )
}

export async function renamePasskey(tx: Tx, userId: string, id: string, name: string): Promise<void> {
  const row = isUuid(id)
    ? await tx.one(sql`
    update passkeys
    set name = ${name}
    where id = ${id}
      and user_id = ${userId}
    returning id`)
    : undefined
  if (!row) throw notFound('Passkey')
}

export async function removePasskey(tx: Tx, userId: string, id: string, actor: Actor): Promise<void> {
  const row = isUuid(id)
    ? await tx.one(sql`
    delete from passkeys
    where id = ${id}
      and user_id = ${userId}
    returning id`)
    : undefined
  if (!row) throw notFound('Passkey')
  recordSecurityEvent(tx, { event: 'passkey_removed', actor, subject: actor.id })
}

/** A passkey's owner and public key. */
export type StoredKey = {
  id: string
  user_id: string
  credential_id: Buffer
  public_key: Buffer
  counter: number
  transports: string[]
}

export function findPasskey(db: Db, credentialId: Buffer): Promise<StoredKey | undefined> {
  return db.one<StoredKey>(sql`
    select id, user_id, credential_id, public_key, counter, transports
    from passkeys
    where credential_id = ${credentialId}`)
}

/** False if another answer with the same counter came first: one of the two came from a copy. */
export async function recordPasskeyUse(tx: Tx, { id, counter }: StoredKey, newCounter: number): Promise<boolean> {
  const row = await tx.one(sql`
    update passkeys
    set counter = ${newCounter}, last_used_at = ${tx.now}
    where id = ${id}
      and counter = ${counter}
    returning id`)
  return row !== undefined
}
