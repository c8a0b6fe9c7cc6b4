// The store to begin with: the oldest, or a demo store when there is none yet.
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../kit/values/clock.ts'
import { openDatabase } from '../kit/database/open.ts'
import type { Database, Db, Tx } from '../kit/database/database.ts'
import { randomBase62, vault } from '../kit/values/secrets.ts'
import { sql } from '../kit/database/sql.ts'
import { journal } from '../tenancy/audit/journal.ts'
import { findUser, makeLink } from '../identity/accounts/links.ts'
import { addMember, createUser } from '../identity/accounts/operations.ts'
import { createKey } from '../identity/apikeys/operations.ts'
import { scopes } from '../identity/apikeys/scopes.ts'
import { makeDemo, type Making } from './demo.ts'
import { payCardsAt } from './sandbox.ts'

export type FirstStore = {
  id: string
  name: string
  slug: string
  /** Whose link signs in; null: nobody owns it. */
  owner: string | null
  /** Made with the demo store, and known only then. */
  first: { key: string; signInLink: string } | null
}

type Start = {
  secretKey: string
  /** Whether to make a demo store where there is none. */
  demo: boolean
  /** Whether somebody is there to read its key. */
  showsKey: boolean
  /** What the addresses of its pictures begin with. */
  baseUrl: string
  /** Where the demo store's cards are paid. */
  sandboxUrl?: string | null
}

export async function findFirstStore(
  url: string,
  { secretKey, demo, showsKey, baseUrl, sandboxUrl = null }: Start,
): Promise<{ postgres: string; store: FirstStore | null }> {
  const db = openDemoDatabase(url)
  try {
    const [version, oldest] = await Promise.all([
      db.one<{ server_version: string }>(sql`show server_version`),
      oldestStore(db),
    ])
    const postgres = version!.server_version
    const making = { vault: vault(secretKey), baseUrl }
    const store = oldest ?? (demo ? await makeFirstDemo(db, making, showsKey) : null)
    if (store) await db.transaction((tx) => payCardsAt(tx, store, { sandboxUrl, secretKey }))
    return { postgres, store }
  } finally {
    await db.close()
  }
}

/** A demo store with an owner, a key to try everything with, and a link that signs the owner in once. */
export async function makeDemoToEnter(
  url: string,
  { secretKey, baseUrl }: Pick<Start, 'secretKey' | 'baseUrl'>,
): Promise<FirstStore & { first: object }> {
  const db = openDemoDatabase(url)
  try {
    return await db.transaction((tx) => makeDemoToUse(tx, { vault: vault(secretKey), baseUrl }))
  } finally {
    await db.close()
  }
}

// The demo is one transaction, so that a start that is killed leaves nothing behind: 0.8 s, much longer on a busy
// machine.
const patienceMs = 60_000

const cause = { requestId: null, actor: { kind: 'system', id: 'demo' }, operation: 'demo' } as const

function openDemoDatabase(url: string): Database {
  return openDatabase({ url, clock: systemClock, connections: 1, patienceMs, journal }).because(cause)
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
  return store ? { ...store, first: null } : null
}

const pauseMs = 100

/** Of two starts at the same time one makes it, and the other waits for it. */
async function makeFirstDemo(db: Database, making: Making, showsKey: boolean): Promise<FirstStore> {
  for (;;) {
    const found = await db.transaction(async (tx) => {
      const lock = await tx.one<{ taken: boolean }>(sql`
        select pg_try_advisory_xact_lock(hashtextextended('the first store', 0)) as taken`)
      if (!lock!.taken) return null
      const oldest = await oldestStore(tx)
      if (oldest) return oldest
      return showsKey ? makeDemoToUse(tx, making) : { ...(await makeOwnedDemo(tx, making)).named, first: null }
    })
    if (found) return found
    await sleep(pauseMs)
  }
}

async function makeDemoToUse(tx: Tx, making: Making): Promise<FirstStore & { first: object }> {
  const { store, owner, named } = await makeOwnedDemo(tx, making)
  const { key } = await createKey(tx, store, { name: 'First key', mode: 'test', scopes: [...scopes], is_active: true })
  return { ...named, first: { key, signInLink: await makeLink(tx, owner, 'sign_in') } }
}

/** It has an owner even when nobody is there to be shown a link: a command makes one later. */
async function makeOwnedDemo(tx: Tx, making: Making) {
  const store = await makeDemo(tx, making)
  const owner =
    (await findUser(tx, ownerEmail)) ?? (await createUser(tx, { email: ownerEmail, password: randomBase62(40) }))
  await addMember(tx, store, owner, 'owner')
  const { id, name, slug } = store
  return { store, owner, named: { id, name, slug, owner: ownerEmail } }
}

// Reserved for examples (RFC 2606); nobody knows the password, and one can be set after signing in by the link.
const ownerEmail = 'owner@example.com'
