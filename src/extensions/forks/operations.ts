// Creating and deleting forks. The row comes before the database, and the database goes after the row: whatever ends a
// process in between, the job finds what is left to do.
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { remove } from '../../kit/declare/remove.ts'
import { json, type WriteResult } from '../../kit/declare/route.ts'
import { sql } from '../../kit/database/sql.ts'
import { waitAtMost } from '../../kit/values/patience.ts'
import { conflict } from '../../kit/values/errors.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { hashSecret, randomBase62 } from '../../kit/values/secrets.ts'
import { scopes as keyScopes } from '../../identity/apikeys/scopes.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { forkDeleted, type ForkDeps } from './deps.ts'
import { fork, keptDays, maxPerStore } from './fork.ts'

/** Longer than the copy of most stores takes. */
const patienceMs = 20_000
/** Another process takes over a copy that has made no progress for this long. */
export const leaseMs = 60_000

type ForkCaller = { store: Store; scopes: ReadonlySet<string>; forks: ForkDeps['forks'] }

type NewFork = { name?: string | null }

/** Answers when the copy is complete, or after 20 seconds. Only this answer contains the key. */
export async function createFork(tx: Tx, caller: ForkCaller, body: NewFork): Promise<WriteResult<object>> {
  const { store, forks } = caller
  const { id, key } = await insertFork(tx, caller, body)
  const fork = await withKey(tx, store.id, id, key)
  const { build } = forks
  if (!build) return fork
  return {
    ...fork,
    async afterwards(db) {
      await waitAtMost(patienceMs, build(id))
      return withKey(db, store.id, id, key)
    },
  }
}

/** Its database is still to be built. */
export async function insertFork(
  tx: Tx,
  { store, scopes, forks }: ForkCaller,
  { name = null }: NewFork,
): Promise<{ id: string; key: string }> {
  if (forks.clock) throw conflict('A fork cannot be forked')
  await requireRoom(tx, store.id)
  await requirePermission(tx)
  const key = `wk_test_${randomBase62(40)}`
  const id = newUuid()
  const own = keyScopes.filter((scope) => scopes.has(scope))
  tx.later(sql`
    insert into forks (store_id, id, name, status, scopes, key_hash, key_last4, due_at, expires_at, created_at,
      updated_at)
    values (${store.id}, ${id}, ${name}, 'creating', ${own}, ${hashSecret(key)}, ${key.slice(-4)},
      ${new Date(tx.now.getTime() + leaseMs)}, ${new Date(tx.now.getTime() + keptDays * 24 * 3600_000)}, ${tx.now},
      ${tx.now})`)
  return { id, key }
}

/** The count is exact: creations in a store wait for each other. */
async function requireRoom(tx: Tx, storeId: string): Promise<void> {
  advisoryLock(tx, `forks ${storeId}`)
  const forks = await tx.one<{ count: number }>(sql`select count(*) as count from forks where store_id = ${storeId}`)
  if (forks!.count >= maxPerStore) {
    throw conflict(`This store has ${maxPerStore} forks, the maximum. Delete one first`)
  }
}

async function requirePermission(db: Db): Promise<void> {
  const role = await db.one<{ name: string; may_create: boolean }>(sql`
    select rolname::text as name, rolcreatedb or rolsuper as may_create
    from pg_roles
    where rolname = session_user`)
  if (role!.may_create) return
  throw conflict(
    `Forks need a database of their own, which the database role ${role!.name} cannot create. ` +
      `The operator can permit it: alter role "${role!.name}" createdb`,
  )
}

async function withKey(db: Db, storeId: string, id: string, key: string): Promise<WriteResult<object>> {
  const { id: publicId, entity } = await findRecord(db, fork, storeId, id)
  return { id: publicId, json: json({ ...entity, key }) }
}

/** Its key stops working at once. */
export async function deleteFork(tx: Tx, store: Store, id: string, { forks }: Pick<ForkCaller, 'forks'>) {
  await remove(tx, fork, store.id, id)
  tx.afterCommit(() => {
    tx.bus.publish(forkDeleted, { id })
    void forks.sweep?.().catch(() => {}) // The job tries again.
  })
}
