import { recordSecurityEvent } from '../../tenancy/audit/operations.ts'
import { operator, type Actor } from '../../kit/values/actor.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { notFound } from '../../kit/values/errors.ts'
import type { Cells, Create } from '../../kit/declare/field.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { remove } from '../../kit/declare/remove.ts'
import { assignments, insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import { hashSecret, randomBase62 } from '../../kit/values/secrets.ts'
import { sql } from '../../kit/database/sql.ts'
import { moveCounters, insertCounted } from '../../tenancy/plans/plan.ts'
import { effectivePolicy, type CredentialPolicy } from '../../tenancy/dispatch/policy.ts'
import { loadStore, storeColumns, type Store } from '../../tenancy/stores/store.ts'
import { apiKey, type ApiKey } from './apikey.ts'

/** Only this response has the key: the database stores its hash and last four characters. */
export async function createKey(
  tx: Tx,
  store: Store,
  values: Create<typeof apiKey.fields>,
  actor: Actor = operator,
): Promise<{ id: string; key: string }> {
  const key = `wk_${values.mode}_${randomBase62(40)}`
  const id = newUuid()
  await insertCounted(tx, store, 'api_keys', () =>
    tx.rows(
      insertInto(
        apiKey,
        { ...values, policy: effectivePolicy(values.policy) },
        { store_id: store.id, id, hash: hashSecret(key), last4: key.slice(-4), created_at: tx.now, updated_at: tx.now },
      ),
    ),
  )
  const { mode, scopes } = values
  recordSecurityEvent(tx, {
    event: 'key_created',
    actor,
    store: store.id,
    subject: publicId('key', id),
    details: { mode, scopes },
  })
  return { id: publicId('key', id), key }
}

/** The key stops working when the nodes' caches expire, after 5 seconds at most. */
export async function deactivateKey(tx: Tx, id: string, actor: Actor = operator): Promise<void> {
  const key = await tx.one<{ store_id: string }>(sql`select store_id from api_keys where id = ${id}`)
  if (!key) throw notFound(apiKey.noun)
  const { is_active } = await lockKey(tx, key.store_id, id)
  if (!is_active) return
  await setActive(tx, key.store_id, id, false)
  moveCounters(tx, key.store_id, { api_keys: -1 })
  recordSecurityEvent(tx, { event: 'key_deactivated', actor, store: key.store_id, subject: publicId('key', id) })
}

/** Changes name, policy and state. A key that is activated again counts again toward the plan's limit. */
export async function updateKey(
  tx: Tx,
  store: Store,
  id: string,
  { is_active, ...values }: { name?: string; policy?: CredentialPolicy | null; is_active?: boolean },
  actor: Actor,
): Promise<RecordOf<ApiKey>> {
  const before = await lockKey(tx, store.id, id)
  const changes = 'policy' in values ? { ...values, policy: effectivePolicy(values.policy) } : values
  if (Object.keys(changes).length > 0) {
    tx.later(sql`
      update api_keys
      set ${assignments(apiKey, changes, { updated_at: tx.now })}
      where store_id = ${store.id}
        and id = ${id}`)
  }
  if (is_active === false) await deactivateKey(tx, id, actor)
  if (is_active && !before.is_active) {
    await insertCounted(tx, store, 'api_keys', () => setActive(tx, store.id, id, true))
    recordSecurityEvent(tx, { event: 'key_activated', actor, store: store.id, subject: publicId('key', id) })
  }
  return findRecord(tx, apiKey, store.id, id)
}

/** Creates a replacement key; the old one ends when the overlap does. */
export async function rotateKey(
  tx: Tx,
  store: Store,
  id: string,
  { overlap_hours }: { overlap_hours: number },
  actor: Actor,
): Promise<{ id: string; key: string }> {
  const { name, mode, scopes, policy, expires_at, is_active } = await lockKey(tx, store.id, id)
  const until = new Date(tx.now.getTime() + overlap_hours * 3_600_000)
  const isSooner = expires_at !== null && expires_at < until
  if (!isSooner) {
    tx.later(sql`
      update api_keys
      set expires_at = ${until}, updated_at = ${tx.now}
      where store_id = ${store.id}
        and id = ${id}`)
  }
  recordSecurityEvent(tx, { event: 'key_rotated', actor, store: store.id, subject: publicId('key', id) })
  const same = { name, mode, scopes, policy, is_active }
  return createKey(tx, store, { ...same, expires_at: isSooner ? null : expires_at }, actor)
}

export async function deleteKey(tx: Tx, store: Store, id: string, actor: Actor): Promise<void> {
  const { is_active } = await lockKey(tx, store.id, id)
  await remove(tx, apiKey, store.id, id)
  if (is_active) moveCounters(tx, store.id, { api_keys: -1 })
  recordSecurityEvent(tx, { event: 'key_deleted', actor, store: store.id, subject: publicId('key', id) })
}

type KeyState = Pick<Cells<typeof apiKey.fields>, 'name' | 'mode' | 'scopes' | 'policy' | 'expires_at' | 'is_active'>

async function lockKey(tx: Tx, storeId: string, id: string): Promise<KeyState> {
  const key = await tx.one<KeyState>(sql`
    select name, mode, scopes, policy, expires_at, is_active
    from api_keys
    where store_id = ${storeId}
      and id = ${id}
    for update`)
  if (!key) throw notFound(apiKey.noun)
  return key
}

function setActive(tx: Tx, storeId: string, id: string, isActive: boolean): Promise<unknown> {
  return tx.rows(sql`
    update api_keys
    set is_active = ${isActive}, updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = ${id}`)
}

export type KeyRecord = {
  key_id: string
  mode: 'live' | 'test'
  scopes: string[]
  policy: CredentialPolicy | null
  is_active: boolean
  expires_at: Date | null
  last_used_at: Date | null
  store: Store
}

/** Looks up the hash across all stores: the key determines the store of a request. */
export async function findKey(db: Db, hash: Buffer): Promise<KeyRecord | null> {
  if (db.isDistributed) {
    const key = await db.one<Omit<KeyRecord, 'store'> & { store_id: string }>(sql`
      select id as key_id, mode, scopes, policy, is_active, expires_at, last_used_at, store_id
      from api_keys
      where hash = ${hash}`)
    const store = key && (await loadStore(db, key.store_id))
    return key && store ? { ...key, store } : null
  }
  const row = await db.one<Omit<KeyRecord, 'store'> & Store>(sql`
    select api_keys.id as key_id, api_keys.mode, api_keys.scopes, api_keys.policy, api_keys.is_active,
      api_keys.expires_at, api_keys.last_used_at, ${storeColumns}
    from api_keys
    join stores on stores.id = api_keys.store_id
    join plans on plans.id = stores.plan_id
    where api_keys.hash = ${hash}`)
  if (!row) return null
  const { key_id, mode, scopes, policy, is_active, expires_at, last_used_at, ...store } = row
  return { key_id, mode, scopes, policy, is_active, expires_at, last_used_at, store }
}

const touchEveryMs = 60_000

/** At most one write a minute and key, and no extra query: the record has the time of the last one. */
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
