// Opens the configured database for a command, starting an embedded one if no server runs.
import { buildBaseUrl, readConfig, buildShopUrl, type Config } from '../config.ts'
import { checkExtensions, requireRightExtensions } from '../extensions.ts'
import type { Cause } from '../../kit/values/cause.ts'
import { systemClock } from '../../kit/values/clock.ts'
import { openDatabase } from '../../kit/database/open.ts'
import type { Database, Db } from '../../kit/database/database.ts'
import type { ReadContext } from '../../kit/declare/field.ts'
import {
  bringUpToDate,
  requireUpToDate,
  provideDatabase,
  type ProvidedDatabase,
} from '../../platform/postgres/provide.ts'
import { readServerNeeds } from '../../platform/postgres/suitability.ts'
import { outsideExtensions } from '../../tenancy/extensions/loaded.ts'
import { journal } from '../../developer/tables.ts'
import type { Store } from '../../tenancy/stores/store.ts'

export type CommandSession = { config: Config; url: string; db: Database }
/** For a command that changes nothing. */
export type ReadSession = Omit<CommandSession, 'db'> & { db: Db }

/** `json` is printed with --json, otherwise `text`; nothing if the command has printed what was asked for. */
export type CommandResult = { json: object; text: string; failed?: boolean; isPrinted?: boolean }

/** Runs a command on an up-to-date database. `command` is its name; a dry run does not migrate, it only checks. */
export async function withSession(
  { command, isDry }: { command: string; isDry: boolean },
  run: (session: CommandSession) => Promise<CommandResult>,
): Promise<CommandResult> {
  return withDatabase(async (config, database) => {
    const needs = readServerNeeds(config)
    await (isDry ? requireUpToDate(database, needs) : bringUpToDate(database, needs))
    if (outsideExtensions.length > 0) await checkExtensions(database.url)
    const db = openDatabase({
      url: database.url,
      clock: systemClock,
      connections: 2,
      baseUrl: buildBaseUrl(config),
      shopUrl: buildShopUrl(config),
      isDistributed: needs.isDistributed,
      journal,
    })
    try {
      return await run({ config, url: database.url, db: db.because(buildCommandCause(command)) })
    } finally {
      await db.close()
    }
  })
}

function buildCommandCause(command: string): Cause {
  return { requestId: null, actor: { kind: 'command', id: command }, operation: command }
}

export function ownConfig(): Config {
  requireRightExtensions()
  return readConfig(process.env)
}

/** `without` gives the result if there is no database; without it that is an error. */
export async function withDatabase(
  run: (config: Config, database: ProvidedDatabase) => Promise<CommandResult>,
  without?: (config: Config, error: Error) => Promise<CommandResult>,
): Promise<CommandResult> {
  const config = ownConfig()
  const interruption = rejectOnSignal()
  let database: ProvidedDatabase
  try {
    database = await provideDatabase({ dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL })
  } catch (error) {
    if (!without) throw error
    return without(config, error as Error)
  }
  try {
    return await Promise.race([run(config, database), interruption])
  } finally {
    await database.release()
  }
}

/** Thrown when a signal ends the command, after its database was released. */
export class Interrupted extends Error {
  exitCode: number
  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`interrupted by ${signal}`)
    this.exitCode = signal === 'SIGINT' ? 130 : 143
  }
}

/** Rejects at the first signal, unless the command listens for it itself. */
function rejectOnSignal(): Promise<never> {
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

/** Bodies are read as the API reads them. Without a store the defaults are US dollars and UTC. */
export function buildReadContext(store?: Store): ReadContext {
  return { currency: 'USD', timezone: 'UTC', country_code: 'US', ...store }
}
