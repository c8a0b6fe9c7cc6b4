// The SQL files of migrations/: a baseline with one file per wing, and then a file per change. The migrations of
// version 0.1, listed in migrations/0.1.json, made the same tables as the baseline: a database that has all of them
// only gets the names of the baseline.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import former from '../../../migrations/0.1.json' with { type: 'json' }
import { ConfigurationError } from '../../kit/values/configuration.ts'

export type Migration = { name: string; text: string; checksum: string }

/** The names and checksums of a database's migrations. */
export type Applied = ReadonlyMap<string, string>

/** What a database lacks, in order. */
export type Schedule = {
  /** The baseline, for a database that has its tables by the migrations of version 0.1. */
  adopted: Migration[]
  current: Migration[]
}

const folder = new URL('../../../migrations/', import.meta.url)
const [firstOfBaseline, lastOfBaseline] = ['0001_platform', '0008_dashboard'] as const
const formerMigrations = Object.entries(former)

/** The names that the baseline's replace. */
export const formerNames: readonly string[] = Object.keys(former)

export async function scheduleFor(history: Applied): Promise<Schedule> {
  const existing = await readMigrations(folder)
  if (isFormer(history)) requireAllFormer(history)
  const baseline = isFormer(history) ? listBaseline(existing) : []
  const newHistory = baseline.length > 0 ? recordBaseline(history, baseline) : history
  const mismatch = existing.find(({ name, checksum }) => newHistory.has(name) && newHistory.get(name) !== checksum)
  if (mismatch) throw new Error(`migration ${mismatch.name} was changed after it was applied to this database`)
  const newer = findNewer(
    newHistory.keys(),
    existing.map(({ name }) => name),
  )
  if (newer) throw new Error(`this database has migration ${newer} of a newer version of Stoa. Run that version`)
  return { adopted: baseline, current: existing.filter(({ name }) => !newHistory.has(name)) }
}

/** The first migration that a newer build has made, if any. */
export function findNewer(names: Iterable<string>, ownNames: readonly string[]): string | undefined {
  const own = new Set(ownNames)
  return [...names].find((name) => isOfCore(name) && !own.has(name))
}

function requireAllFormer(history: Applied): void {
  const missing = formerMigrations.filter(([name, checksum]) => history.get(name) !== checksum)
  if (missing.length === 0) return
  throw new ConfigurationError(
    `This database is of an older version: it lacks ${missing.length} migrations of version 0.1, up to ` +
      `${missing.at(-1)![0]}. Run migrate of the last version 0.1 first, then of this one`,
  )
}

/** The baseline in place of the migrations of version 0.1. */
function recordBaseline(history: Applied, baseline: readonly Migration[]): Applied {
  const others = [...history].filter(([name]) => !formerNames.includes(name))
  return new Map([...baseline.map(({ name, checksum }) => [name, checksum] as const), ...others])
}

/** True for the migrations of version 0.1 or earlier ones: every later database has the baseline's first. */
function isFormer(history: Applied): boolean {
  const own = history.get(firstOfBaseline) ?? former[firstOfBaseline]
  return [...history.keys()].some(isOfCore) && own === former[firstOfBaseline]
}

const listBaseline = (existing: readonly Migration[]) => existing.filter(({ name }) => name <= lastOfBaseline)

/** What a database with the same tables lists in this version. */
export async function renameFormer(history: Applied): Promise<Applied> {
  const isAll = formerMigrations.every(([name, checksum]) => history.get(name) === checksum)
  return isAll ? recordBaseline(history, listBaseline(await readMigrations(folder))) : history
}

/**
 * The migrations with these names and checksums, in the order in which they were applied; null if one is unknown.
 * `ofExtensions` are those of the extensions that are loaded.
 */
export async function migrationsNamed(
  history: Applied,
  ofExtensions: readonly Migration[] = [],
): Promise<Migration[] | null> {
  const existing = [...(await readMigrations(folder)), ...ofExtensions]
  const matching = existing.filter(({ name, checksum }) => history.get(name) === checksum)
  return matching.length === history.size ? matching : null
}

export function listMigrationNames({ adopted, current }: Schedule): string[] {
  return [...adopted, ...current].map(({ name }) => name)
}

/** Extensions have the names of their own migrations (extensionmigrations.ts). */
const isOfCore = (name: string) => !name.includes('/')

export const listOwnMigrations = (): Promise<string[]> => namesIn(folder)

/** The files of a folder, in the order of their numbers. */
export async function readMigrations(place: URL | string): Promise<Migration[]> {
  const folder = place instanceof URL ? fileURLToPath(place) : place
  return Promise.all(
    (await namesIn(folder)).map(async (name) => {
      const text = await readFile(path.join(folder, `${name}.sql`), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

async function namesIn(place: URL | string): Promise<string[]> {
  const files = (await readdir(place)).filter((file) => /^\d{4}_\w+\.sql$/.test(file))
  return files.map((file) => file.replace('.sql', '')).sort()
}
