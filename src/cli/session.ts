// What a command works with: the configured database, beside a running server or started for the command alone.
import { baseUrlOf, loadDotenv, readConfig, type Config } from '../config.ts'
import type { Cause } from '../kit/values/cause.ts'
import { systemClock } from '../kit/values/clock.ts'
import { openDatabase } from '../kit/database/open.ts'
import type { Database, Db } from '../kit/database/database.ts'
import { notFound } from '../kit/values/errors.ts'
import type { ReadContext } from '../kit/declare/field.ts'
import { sql } from '../kit/database/sql.ts'
import { bringUpToDate, demandUpToDate, provideDatabase, type Provided } from '../platform/postgres/provide.ts'
import { journal } from '../tenancy/audit/journal.ts'
import { loadStore, type Store } from '../tenancy/stores/store.ts'

export type Session = { config: Config; url: string; db: Database }
/** Of a command that changes nothing. */
export type Looking = Omit<Session, 'db'> & { db: Db }

/** What a command says: one JSON object with --json, else the text. */
export type Outcome = { json: object; text: string; failed?: boolean }

/**
 * For commands that need an up-to-date database; `command` is what was typed, without what was given to it. A dry run
 * brings nothing up to date: it changes nothing.
 */
export async function inSession(
  { command, isDry }: { command: string; isDry: boolean },
  run: (session: Session) => Promise<Outcome>,
): Promise<Outcome> {
  return withDatabase(async (config, provided) => {
    await (isDry ? demandUpToDate(provided) : bringUpToDate(provided))
    const db = openDatabase({
      url: provided.url,
      clock: systemClock,
      connections: 2,
      baseUrl: baseUrlOf(config),
      journal,
    })
    try {
      return await run({ config, url: provided.url, db: db.because(causeOf(command)) })
    } finally {
      await db.close()
    }
  })
}

function causeOf(command: string): Cause {
  return { requestId: null, actor: { kind: 'command', id: command }, operation: command }
}

/** `without` answers when there is no database to work with; by itself that is a failure. */
export async function withDatabase(
  run: (config: Config, provided: Provided) => Promise<Outcome>,
  without?: (config: Config, error: Error) => Promise<Outcome>,
): Promise<Outcome> {
  loadDotenv()
  const config = readConfig(process.env)
  const interruption = interrupted()
  let provided: Provided
  try {
    provided = await provideDatabase({ dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL })
  } catch (error) {
    if (!without) throw error
    return without(config, error as Error)
  }
  try {
    return await Promise.race([run(config, provided), interruption])
  } finally {
    await provided.release()
  }
}

/** A signal ended the command, after its database was released. */
export class Interrupted extends Error {
  exitCode: number
  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`ended by ${signal}`)
    this.exitCode = signal === 'SIGINT' ? 130 : 143
  }
}

/** Rejects at a signal, unless the command hears it for itself. Signals after the first change nothing. */
function interrupted(): Promise<never> {
  const signals = ['SIGINT', 'SIGTERM'] as const
  const interruption = new Promise<never>((_resolve, reject) =>
    signals.forEach((signal) =>
      process.on(signal, () => {
        if (process.listenerCount(signal) === 1) reject(new Interrupted(signal))
      }),
    ),
  )
  interruption.catch(() => {})
  return interruption
}

export async function storeWith({ db }: Pick<Looking, 'db'>, id: string): Promise<Store> {
  const store = await loadStore(db, sql`stores.id = ${id}`)
  if (!store) throw notFound(`Store ${id}`)
  return store
}

/** Bodies are read as the API reads them; what belongs to no store yet is read in dollars and UTC. */
export function contextOf(store?: Store): ReadContext {
  return { currency: 'USD', timezone: 'UTC', country_code: 'US', ...store, now: systemClock.now() }
}
