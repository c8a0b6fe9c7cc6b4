import { note } from '../audit/operations.ts'
import { operator, type Doer } from '../audit/securityevent.ts'
import type { Db, Tx } from '../kit/database/database.ts'
import { notFound } from '../kit/values/errors.ts'
import type { Create } from '../kit/declare/field.ts'
import { newUuid, publicId } from '../kit/values/ids.ts'
import { insertInto } from '../kit/declare/resource.ts'
import { hashSecret, randomBase62 } from '../kit/values/secrets.ts'
import { sql } from '../kit/database/sql.ts'
import { countMoved, insertCounted } from '../plans/plan.ts'
import { storeColumns, type Store } from '../stores/store.ts'
import { apiKey } from './apikey.ts'

/** The key itself is in this answer only: the database keeps its hash and last four characters. */
export async function createKey(
  tx: Tx,
  store: Store,
  values: Create<typeof apiKey.fields>,
  by: Doer = operator,
): Promise<{ id: string; key: string }> {
  const key = `wk_${values.mode}_${randomBase62(40)}`
  const id = newUuid()
  await insertCounted(tx, store, 'api_keys', () =>
    tx.rows(
      insertInto(apiKey, values, {
        store_id: store.id,
        id,
        hash: hashSecret(key),
        last4: key.slice(-4),
        created_at: tx.now,
        updated_at: tx.now,
      }),
    ),
  )
  const { mode, scopes } = values
  note(tx, { event: 'key_created', by, store: store.id, subject: publicId('key', id), details: { mode, scopes } })
  return { id: publicId('key', id), key }
}

/** It stops working within the life of the nodes' caches, 5 seconds at most. */
export async function deactivateKey(tx: Tx, id: string, by: Doer = operator): Promise<void> {
  const key = await tx.one<{ store_id: string; was_active: boolean }>(sql`
    update api_keys
    set is_active = false, updated_at = ${tx.now}
    from (select store_id, id, is_active from api_keys where id = ${id} for update) as before
    where api_keys.store_id = before.store_id
      and api_keys.id = before.id
    returning api_keys.store_id, before.is_active as was_active`)
  if (!key) throw notFound('API key')
  if (!key.was_active) return
  countMoved(tx, key.store_id, { api_keys: -1 })
  note(tx, { event: 'key_deactivated', by, store: key.store_id, subject: publicId('key', id) })
}

export type KeyRecord = {
  key_id: string
  mode: 'live' | 'test'
  scopes: string[]
  is_active: boolean
  expires_at: Date | null
  last_used_at: Date | null
  store: Store
}

/** By hash, across stores: this is where a request learns which store it is for. */
export async function findKey(db: Db, hash: Buffer): Promise<KeyRecord | null> {
  const row = await db.one<Omit<KeyRecord, 'store'> & Store>(sql`
    select api_keys.id as key_id, api_keys.mode, api_keys.scopes, api_keys.is_active, api_keys.expires_at,
      api_keys.last_used_at, ${storeColumns}
    from api_keys
    join stores on stores.id = api_keys.store_id
    join plans on plans.id = stores.plan_id
    where api_keys.hash = ${hash}`)
  if (!row) return null
  const { key_id, mode, scopes, is_active, expires_at, last_used_at, ...store } = row
  return { key_id, mode, scopes, is_active, expires_at, last_used_at, store }
}

const touchEveryMs = 60_000

/** At most one write a minute and key, and no question in between: the record tells when it was touched. */
export async function touchKey(db: Db, { key_id, last_used_at, store }: KeyRecord): Promise<void> {
  const now = db.clock.now()
  const due = new Date(now.getTime() - touchEveryMs)
  if (last_used_at && last_used_at >= due) return
  await db.rows(sql`
    update api_keys
    set last_used_at = ${now}
    where store_id = ${store.id}
      and id = ${key_id}
      and (last_used_at is null or last_used_at < ${due})`)
}
