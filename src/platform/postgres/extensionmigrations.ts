// Migrations of extensions. The database lists them as loyalty/0001_points, apart from those of the core: a migration
// that fails turns its extension off, and nothing else.
import type pg from 'pg'
import { readMigrations, type Applied, type Migration } from './migrations.ts'

/** Extension → the folder of its migrations, and the tables that it declares. */
export const extensionMigrations = new Map<string, { folder: string; tables: readonly string[] }>()

/** Extension → the reason why it is off. */
export const extensionFaults = new Map<string, string>()

type ExtensionSchedule = { name: string; missing: Migration[]; fault: string | null }

/** The migrations that the database lacks, by extension. */
async function scheduleExtensions(history: Applied): Promise<ExtensionSchedule[]> {
  return Promise.all(
    [...extensionMigrations].map(async ([name, { folder }]) => {
      const existing = await readExtensionMigrations(name, folder).catch((error: Error) => error)
      if (existing instanceof Error)
        return { name, missing: [], fault: `its migrations cannot be read: ${existing.message}` }
      const missing = existing.filter((migration) => !history.has(migration.name))
      return { name, missing, fault: findFault(name, existing, history) }
    }),
  )
}

function findFault(name: string, existing: readonly Migration[], history: Applied): string | null {
  const mismatch = existing.find((one) => history.has(one.name) && history.get(one.name) !== one.checksum)
  if (mismatch) return `its migration ${mismatch.name} was changed after it was applied to this database`
  const names = new Set(existing.map((one) => one.name))
  const newer = [...history.keys()].find((one) => one.startsWith(`${name}/`) && !names.has(one))
  return newer ? `this database has its migration ${newer} of a newer version. Install that version` : null
}

async function readExtensionMigrations(name: string, folder: string): Promise<Migration[]> {
  const migrations = await readMigrations(folder)
  return migrations.map((migration) => ({ ...migration, name: `${name}/${migration.name}` }))
}

/** Every migration of the extensions that are loaded. */
export async function listExtensionMigrations(): Promise<Migration[]> {
  const folders = [...extensionMigrations].map(([name, { folder }]) =>
    readExtensionMigrations(name, folder).catch(() => []),
  )
  return (await Promise.all(folders)).flat()
}

/** Turns off the extensions whose migrations the database lacks or does not fit. */
export async function checkExtensions(history: Applied): Promise<void> {
  for (const { name, missing, fault } of await scheduleExtensions(history)) {
    if (extensionFaults.has(name)) continue
    const names = missing.map((one) => one.name).join(', ')
    const reason = fault ?? (missing.length > 0 ? `the database lacks ${names}. Run: npm run -s stoa -- migrate` : null)
    if (reason) extensionFaults.set(name, reason)
  }
}

/** An extension that was applied and is not loaded, and its tables that have rows. */
export type RemovedExtension = { name: string; filledTables: string[] }

export async function listRemovedExtensions(client: pg.Client, history: Applied): Promise<RemovedExtension[]> {
  const names = [...history.keys()].flatMap((migration) => migration.split('/').slice(0, -1))
  const absent = [...new Set(names)].filter((name) => !extensionMigrations.has(name))
  const tables = absent.length > 0 ? await listFilledTables(client) : []
  return absent.map((name) => ({
    name,
    filledTables: tables.filter((table) => table === name || table.startsWith(`${name}_`)),
  }))
}

async function listFilledTables(client: pg.Client): Promise<string[]> {
  const withRows: string[] = []
  for (const table of await listTableNames(client)) {
    const { rowCount } = await client.query(`select from ${client.escapeIdentifier(table)} limit 1`)
    if (rowCount) withRows.push(table)
  }
  return withRows
}

async function listTableNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name
    from pg_class
    where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p')
      and not relispartition
    order by relname`)
  return rows.map(({ name }) => name)
}

/** Applies the missing ones, each by `run`, in a transaction. Returns their names. */
export async function migrateExtensions(
  client: pg.Client,
  history: Applied,
  run: (migration: Migration, check: () => Promise<void>) => Promise<void>,
): Promise<string[]> {
  const names: string[] = []
  for (const { name, missing, fault } of await scheduleExtensions(history)) {
    if (fault) continue
    for (const migration of missing) {
      try {
        const before = await listTableNames(client)
        await run(migration, () => requireDeclared(client, name, before))
        names.push(migration.name)
      } catch (error) {
        await client.query('rollback')
        extensionFaults.set(name, `its migration ${migration.name} failed: ${(error as Error).message}`)
        break
      }
    }
  }
  return names
}

/** Rows of a table that is not declared would neither move with their store nor be erased. */
async function requireDeclared(client: pg.Client, name: string, before: readonly string[]): Promise<void> {
  const { tables } = extensionMigrations.get(name)!
  const strangers = (await listTableNames(client)).filter((one) => !before.includes(one) && !tables.includes(one))
  if (strangers.length > 0) throw new Error(`it makes ${strangers.join(', ')}, which the extension does not declare`)
}
