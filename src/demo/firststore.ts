// Finds the oldest store, or makes a demo store if there is none.
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../kit/values/clock.ts'
import { openDatabase } from '../kit/database/open.ts'
import type { Database, Db, Tx } from '../kit/database/database.ts'
import { randomBase62, vault } from '../kit/values/secrets.ts'
import { sql } from '../kit/database/sql.ts'
import { journal } from '../developer/tables.ts'
import { findUser, makeLink } from '../identity/accounts/links.ts'
import { addMember, createUser } from '../identity/accounts/operations.ts'
import { createKey } from '../identity/apikeys/operations.ts'
import { scopes } from '../identity/apikeys/scopes.ts'
import { makeDemo, type DemoDeps } from './demo.ts'
import { setCardProvider } from './sandbox.ts'

export type FirstStore = {
  id: string
  name: string
  slug: string
  /** The owner's email; null if the store has no owner. */
  owner: string | null
  /** Created with the demo store and known only then. */
  access: { key: string; signInLink: string } | null
}

type FirstStoreOptions = {
  secretKey: string
  /** Makes a demo store if there is no store. */
  demo: boolean
  /** True if the key is printed to an interactive terminal. */
  showsKey: boolean
  /** Image URLs begin with it. */
  baseUrl: string
  /** The payment provider for the demo store's cards. */
  sandboxUrl?: string | null
  isDistributed?: boolean
}

export async function findFirstStore(
  url: string,
  { secretKey, demo, showsKey, baseUrl, sandboxUrl = null, isDistributed = false }: FirstStoreOptions,
): Promise<{ postgres: string; store: FirstStore | null; problem: unknown }> {
  const db = openDemoDatabase(url, isDistributed)
  try {
    const [version, oldest] = await Promise.all([
      db.one<{ server_version: string }>(sql`show server_version`),
      oldestStore(db),
    ])
    const postgres = version!.server_version
    const deps = { vault: vault(secretKey), baseUrl }
    let store: FirstStore | null = oldest ?? null
    try {
      if (!store && demo) store = await makeDemoOnce(db, deps, showsKey)
      const firstStore = store
      if (firstStore) await db.transaction((tx) => setCardProvider(tx, firstStore, { sandboxUrl, secretKey }))
      return { postgres, store, problem: null }
    } catch (problem) {
      // The server starts even if this store has a problem.
      return { postgres, store, problem }
    }
  } finally {
    await db.close()
  }
}

/** Creates a demo store with an owner, an API key with all scopes, and a one-time sign-in link for the owner. */
export async function createDemo(
  url: string,
  { secretKey, baseUrl, isDistributed = false }: Pick<FirstStoreOptions, 'secretKey' | 'baseUrl' | 'isDistributed'>,
): Promise<FirstStore & { access: object }> {
  const db = openDemoDatabase(url, isDistributed)
  try {
    return await db.transaction((tx) => makeDemoWithAccess(tx, { vault: vault(secretKey), baseUrl }))
  } finally {
    await db.close()
  }
}

// The demo is one transaction, so that a killed start leaves nothing behind. It takes 0.8 s, much longer on a busy
// machine.
const timeoutMs = 60_000

const cause = { requestId: null, actor: { kind: 'system', id: 'demo' }, operation: 'demo' } as const

function openDemoDatabase(url: string, isDistributed: boolean): Database {
  const options = { url, isDistributed, clock: systemClock, connections: 1, patienceMs: timeoutMs, journal }
  return openDatabase(options).because(cause)
}

async function oldestStore(db: Db): Promise<FirstStore | null> {
  const store = await db.one<Omit<FirstStore, 'first'>>(sql`
    select id, name, slug, (
      select email
      from members
      join users on users.id = members.user_id
      where members.store_id = stores.id
        and role = 'owner'
      order by members.created_at
      limit 1) as owner
    from stores
    order by created_at
    limit 1`)
  return store ? { ...store, access: null } : null
}

const pauseMs = 100

/** If two processes start at the same time, one makes the demo and the other waits for it. */
async function makeDemoOnce(db: Database, deps: DemoDeps, showsKey: boolean): Promise<FirstStore> {
  for (;;) {
    const store = await db.transaction(async (tx) => {
      const lock = await tx.one<{ taken: boolean }>(sql`
        select pg_try_advisory_xact_lock(hashtextextended('the first store', 0)) as taken`)
      if (!lock!.taken) return null
      const oldest = await oldestStore(tx)
      if (oldest) return oldest
      return showsKey ? makeDemoWithAccess(tx, deps) : { ...(await makeDemoWithOwner(tx, deps)).summary, access: null }
    })
    if (store) return store
    await sleep(pauseMs)
  }
}

async function makeDemoWithAccess(tx: Tx, deps: DemoDeps): Promise<FirstStore & { access: object }> {
  const { store, owner, summary } = await makeDemoWithOwner(tx, deps)
  const { key } = await createKey(tx, store, { name: 'First key', mode: 'test', scopes: [...scopes], is_active: true })
  return { ...summary, access: { key, signInLink: await makeLink(tx, owner, 'sign_in') } }
}

/** The store has an owner even if no link is printed; a command can make a link later. */
async function makeDemoWithOwner(tx: Tx, deps: DemoDeps) {
  const store = await makeDemo(tx, deps)
  const owner =
    (await findUser(tx, ownerEmail)) ?? (await createUser(tx, { email: ownerEmail, password: randomBase62(40) }))
  await addMember(tx, store, owner, 'owner')
  const { id, name, slug } = store
  return { store, owner, summary: { id, name, slug, owner: ownerEmail } }
}

// The domain is reserved for examples (RFC 2606). The password is random; the owner sets one after using the link.
const ownerEmail = 'owner@example.com'
