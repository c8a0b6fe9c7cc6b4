// Makes the database of a fork: the tables, the store's rows without personal data, and the key. Interrupted at any
// point, it is begun again from an empty database.
import type pg from 'pg'
import type { Database } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import { hashSecret, randomHex, vault, type Vault } from '../../kit/values/secrets.ts'
import { sealContext as sealMethodContext } from '../../commerce/payments/settings.ts'
import { withClient } from '../../platform/postgres/client.ts'
import { migrate } from '../../platform/postgres/migrate.ts'
import { newToken, sealContext } from '../../storefront/checkout/link.ts'
import { copyRows } from './copyrows.ts'
import { copiedTables, replacementsWith } from './content.ts'
import { connectionName, createDatabase } from './databases.ts'
import { toForkDatabase, forkSecretKey, forkUrl } from './names.ts'
import { maxPerInstallation } from './fork.ts'
import { leaseMs } from './operations.ts'

export type Installation = { databaseUrl: string; secretKey: string }

export type ForkToBuild = { store_id: string; id: string; scopes: string[]; key_hash: Buffer; key_last4: string }

/** Builds it and records the result. Without room for another database it has failed. */
export async function buildFork(db: Database, fork: ForkToBuild, installation: Installation): Promise<void> {
  const { store_id, id } = fork
  const ready = await db.one<{ count: number }>(sql`select count(*) as count from forks where status = 'ready'`)
  if (ready!.count >= maxPerInstallation) {
    const limit = `This installation has ${maxPerInstallation} forks, the maximum. Delete one, then try again`
    return recordFailure(db, fork, limit)
  }
  const extending = setInterval(() => void extendLease(db, fork).catch(() => {}), leaseMs / 3).unref()
  try {
    await makeDatabase(fork, installation, db.clock.now())
    await db.transaction(async (tx) =>
      tx.later(sql`
      update forks
      set status = 'ready', ready_at = ${tx.now}, worked_until = ${tx.now}, due_at = null, updated_at = ${tx.now}
      where store_id = ${store_id}
        and id = ${id}`),
    )
  } finally {
    clearInterval(extending)
  }
}

export async function recordFailure(db: Database, { store_id, id }: ForkToBuild, error: string): Promise<void> {
  await db.transaction(async (tx) =>
    tx.later(sql`
    update forks
    set status = 'failed', error = ${error}, due_at = null, updated_at = ${tx.now}
    where store_id = ${store_id}
      and id = ${id}
      and status = 'creating'`),
  )
}

/** Prevents other processes from starting while it is being built. */
async function extendLease(db: Database, { store_id, id }: ForkToBuild): Promise<void> {
  await db.transaction(async (tx) =>
    tx.later(sql`
    update forks
    set due_at = ${new Date(tx.now.getTime() + leaseMs)}
    where store_id = ${store_id}
      and id = ${id}
      and due_at is not null`),
  )
}

async function makeDatabase(fork: ForkToBuild, { databaseUrl, secretKey }: Installation, now: Date): Promise<void> {
  const url = forkUrl(databaseUrl, fork.id)
  const keys = { from: vault(secretKey), to: vault(forkSecretKey(secretKey, fork.id)) }
  await createDatabase(databaseUrl, toForkDatabase(databaseUrl, fork.id))
  await migrate(url)
  await withClient(databaseUrl, connectionName, (source) =>
    withClient(url, connectionName, async (target) => {
      await copyPlans(source, target)
      await copyRows(source, target, {
        storeId: fork.store_id,
        tables: copiedTables,
        replacements: replacementsWith(randomHex(16)),
      })
      await target.query('begin')
      await target.query('insert into event_logs (store_id) values ($1)', [fork.store_id])
      await addKey(target, fork, now)
      await resealMethods(source, target, fork, keys)
      await renewLinks(target, fork, keys)
      await target.query('commit')
      await target.query('analyze')
    }),
  )
}

/** The operator may have changed them. */
async function copyPlans(source: pg.Client, target: pg.Client): Promise<void> {
  const { rows } = await source.query('select id, name, limits, features from plans')
  await target.query('delete from plans')
  for (const { id, name, limits, features } of rows) {
    await target.query('insert into plans (id, name, limits, features) values ($1, $2, $3, $4)', [
      id,
      name,
      JSON.stringify(limits),
      features,
    ])
  }
}

async function addKey(target: pg.Client, { store_id, scopes, key_hash, key_last4 }: ForkToBuild, now: Date) {
  await target.query(
    `insert into api_keys (store_id, id, name, mode, scopes, hash, last4, is_active, created_at, updated_at)
    values ($1, $2, 'Fork', 'test', $3, $4, $5, true, $6, $6)`,
    [store_id, newUuid(), scopes, key_hash, key_last4, now],
  )
  await target.query('update store_counters set api_keys = 1 where store_id = $1', [store_id])
}

type Vaults = { from: Vault; to: Vault }

/** The sandbox provider's accounts; a method whose secrets cannot be opened is left to the built-in test provider. */
async function resealMethods(source: pg.Client, target: pg.Client, { store_id }: ForkToBuild, keys: Vaults) {
  const { rows } = await source.query<{ id: string; secrets: string }>(
    `select id, secrets from payment_methods where store_id = $1 and provider = 'sandbox' and secrets is not null`,
    [store_id],
  )
  for (const { id, secrets } of rows) {
    const newSecrets = resealSecrets(keys, store_id, id, secrets)
    await target.query(
      `update payment_methods
      set secrets = $3::text, provider = case when $3::text is null then 'test' else provider end,
        settings = case when $3::text is null then '{}' else settings end
      where store_id = $1 and id = $2`,
      [store_id, id, newSecrets],
    )
  }
}

/** The same secrets, for a copy of the store that has another key; null if they cannot be opened. */
function resealSecrets({ from, to }: Vaults, storeId: string, id: string, secrets: string): string | null {
  try {
    return to.seal(from.open(secrets, sealMethodContext(storeId, id)), sealMethodContext(storeId, id))
  } catch {
    return null
  }
}

/** Drafts get recovery links of their own. */
async function renewLinks(target: pg.Client, { store_id }: ForkToBuild, { to }: Vaults): Promise<void> {
  const { rows } = await target.query<{ id: string }>(
    `select id
    from listed_checkouts
    where store_id = $1 and draft_since is not null and status in ('active', 'abandoned')`,
    [store_id],
  )
  const links = rows.map(({ id }) => {
    const link = newToken()
    return { id, token: to.seal(link, sealContext(store_id, publicId('chk', id))), hash: hashSecret(link) }
  })
  await target.query(
    `update checkouts
    set token = renewed.token, recovery_hash = renewed.hash
    from unnest($2::uuid[], $3::text[], $4::bytea[]) as renewed (id, token, hash)
    where checkouts.store_id = $1
      and checkouts.id = renewed.id`,
    [store_id, links.map(({ id }) => id), links.map(({ token }) => token), links.map(({ hash }) => hash)],
  )
}
