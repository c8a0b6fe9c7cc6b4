// What a command works with: the configured database, beside a running server or started for the command alone.
import { baseUrlOf, loadDotenv, readConfig, type Config } from '../config.ts'
import { systemClock } from '../kit/clock.ts'
import { openDatabase, type Database } from '../kit/database.ts'
import { notFound } from '../kit/errors.ts'
import type { ReadContext } from '../kit/field.ts'
import { sql } from '../kit/sql.ts'
import { bringUpToDate, provideDatabase, type Provided } from '../platform/provide.ts'
import { loadStore, type Store } from '../stores/store.ts'

export type Session = { config: Config; url: string; db: Database }

/** What a command says: one JSON object with --json, else the text. */
export type Outcome = { json: object; text: string; failed?: boolean }

/** For commands that need an up-to-date database. */
export async function inSession(run: (session: Session) => Promise<Outcome>): Promise<Outcome> {
  return withDatabase(async (config, provided) => {
    await bringUpToDate(provided)
    const db = openDatabase({ url: provided.url, clock: systemClock, connections: 2, baseUrl: baseUrlOf(config) })
    try {
      return await run({ config, url: provided.url, db })
    } finally {
      await db.close()
    }
  })
}

export async function withDatabase(run: (config: Config, provided: Provided) => Promise<Outcome>): Promise<Outcome> {
  loadDotenv()
  const config = readConfig(process.env)
  const provided = await provideDatabase({ dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL })
  try {
    return await run(config, provided)
  } finally {
    await provided.release()
  }
}

export async function storeWith({ db }: Session, id: string): Promise<Store> {
  const store = await loadStore(db, sql`stores.id = ${id}`)
  if (!store) throw notFound(`Store ${id}`)
  return store
}

/** Bodies are read as the API reads them; what belongs to no store yet is read in dollars and UTC. */
export function contextOf(store?: Store): ReadContext {
  return { currency: 'USD', timezone: 'UTC', country_code: 'US', ...store, now: systemClock.now() }
}
