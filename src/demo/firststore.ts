// The store to begin with: the oldest, or a demo store when there is none yet.
import { systemClock } from '../kit/clock.ts'
import { openDatabase } from '../kit/database.ts'
import { randomBase62 } from '../kit/secrets.ts'
import { sql } from '../kit/sql.ts'
import { findUser, makeLink } from '../accounts/links.ts'
import { addMember, createUser } from '../accounts/operations.ts'
import { createKey } from '../apikeys/operations.ts'
import { scopes } from '../apikeys/scopes.ts'
import { makeDemo } from './demo.ts'
import { loadStore } from '../stores/store.ts'

export type FirstStore = {
  id: string
  name: string
  slug: string
  /** Made with the demo store, and known only then. */
  first: { key: string; signInLink: string } | null
}

/** `demo`: whether to make a demo store where there is none; `showsKey`: whether somebody is there to read its key. */
export async function findFirstStore(url: string, { secretKey, demo, showsKey }: {
  secretKey: string
  demo: boolean
  showsKey: boolean
}): Promise<{
  postgres: string
  store: FirstStore | null
}> {
  const db = openDatabase({ url, clock: systemClock, connections: 1 })
  try {
    const [version, oldest] = await Promise.all([
      db.one<{ server_version: string }>(sql`show server_version`),
      db.one<Omit<FirstStore, 'first'>>(sql`select id, name, slug from stores order by created_at limit 1`),
    ])
    const postgres = version!.server_version
    if (oldest || !demo) return { postgres, store: oldest ? { ...oldest, first: null } : null }
    const store = showsKey ? await makeDemoToEnter(url, secretKey) : { ...await makeDemo(url, secretKey), first: null }
    return { postgres, store }
  } finally {
    await db.close()
  }
}

/** A demo store with an owner, a key to try everything with, and a link that signs the owner in once. */
export async function makeDemoToEnter(url: string, secretKey: string): Promise<FirstStore & { first: object }> {
  const made = await makeDemo(url, secretKey)
  const db = openDatabase({ url, clock: systemClock, connections: 1 })
  try {
    const store = (await loadStore(db, sql`stores.id = ${made.id}`))!
    const first = await db.transaction(async (tx) => {
      const owner = await findUser(tx, ownerEmail) ?? await createUser(tx, { email: ownerEmail, password: randomBase62(40) })
      await addMember(tx, store, owner, 'owner')
      const { key } = await createKey(tx, store, { name: 'First key', mode: 'test', scopes: [...scopes], is_active: true })
      return { key, signInLink: await makeLink(tx, owner, 'sign_in') }
    })
    return { ...made, first }
  } finally {
    await db.close()
  }
}

// Reserved for examples (RFC 2606); nobody knows the password, and one can be set after signing in by the link.
const ownerEmail = 'owner@example.com'
