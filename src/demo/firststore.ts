// The store to begin with: the oldest, or a demo store when there is none yet.
import { systemClock } from '../kit/clock.ts'
import { openDatabase } from '../kit/database.ts'
import { sql } from '../kit/sql.ts'
import { createKey } from '../apikeys/operations.ts'
import { scopes } from '../apikeys/scopes.ts'
import { makeDemo } from './demo.ts'
import { loadStore } from '../stores/store.ts'

export type FirstStore = {
  id: string
  name: string
  slug: string
  /** Made with the demo store, and known only then. */
  key: string | null
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
      db.one<Omit<FirstStore, 'key'>>(sql`select id, name, slug from stores order by created_at limit 1`),
    ])
    const postgres = version!.server_version
    if (oldest || !demo) return { postgres, store: oldest ? { ...oldest, key: null } : null }
    return { postgres, store: showsKey ? await makeDemoWithKey(url, secretKey) : { ...await makeDemo(url, secretKey), key: null } }
  } finally {
    await db.close()
  }
}

/** A demo store, and a key to try everything with. */
export async function makeDemoWithKey(url: string, secretKey: string): Promise<FirstStore> {
  const made = await makeDemo(url, secretKey)
  const db = openDatabase({ url, clock: systemClock, connections: 1 })
  try {
    const store = (await loadStore(db, sql`stores.id = ${made.id}`))!
    const { key } = await db.transaction((tx) =>
      createKey(tx, store, { name: 'First key', mode: 'test', scopes: [...scopes], expires_at: null, is_active: true }))
    return { ...made, key }
  } finally {
    await db.close()
  }
}
