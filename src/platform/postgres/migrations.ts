// The SQL files of migrations/: a baseline with one file per wing, and then a file per change. A database of version
// 0.1 was made by files of its own, in migrations/0.1/, which lead to the same tables as the baseline.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export type Migration = { name: string; text: string; checksum: string }

/** The names and checksums of a database's migrations. */
export type Applied = ReadonlyMap<string, string>

/** The migrations that a database lacks, in order. */
export type Schedule = {
  early: Migration[]
  /** The baseline that replaces the early migrations once all of them are applied; empty for other databases. */
  baseline: Migration[]
  current: Migration[]
}

const folder = new URL('../../../migrations/', import.meta.url)
const earlyFolder = new URL('0.1/', folder)
const lastOfBaseline = '0008_dashboard'

export async function scheduleFor(applied: Applied): Promise<Schedule> {
  // Only a database of version 0.1 needs the texts of its migrations.
  const isEarly = (await namesIn(earlyFolder)).some((name) => applied.has(name))
  const [early, current] = await Promise.all([isEarly ? readMigrations(earlyFolder) : [], readMigrations(folder)])
  const existing = [...early, ...current]
  const changed = existing.find(({ name, checksum }) => applied.has(name) && applied.get(name) !== checksum)
  if (changed) throw new Error(`migration ${changed.name} was changed after it was applied to this database`)
  const names = new Set(existing.map(({ name }) => name))
  const newer = [...applied.keys()].find((name) => !names.has(name) && !isOfExtension(name))
  if (newer) throw new Error(`this database has migration ${newer} of a newer version of Stoa`)
  const isMissing = ({ name }: Migration) => !applied.has(name)
  if (!isEarly) return { early: [], baseline: [], current: current.filter(isMissing) }
  return {
    early: early.filter(isMissing),
    baseline: current.filter(({ name }) => name <= lastOfBaseline),
    current: current.filter(({ name }) => name > lastOfBaseline),
  }
}

/**
 * The migrations with these names and checksums, in the order in which they were applied; null if one is unknown.
 * `ofExtensions` are those of the extensions that are loaded.
 */
export async function migrationsNamed(
  applied: Applied,
  ofExtensions: readonly Migration[] = [],
): Promise<Migration[] | null> {
  const existing = [...(await readMigrations(earlyFolder)), ...(await readMigrations(folder)), ...ofExtensions]
  const matching = existing.filter(({ name, checksum }) => applied.get(name) === checksum)
  return matching.length === applied.size ? matching : null
}

export function listMigrationNames({ early, baseline, current }: Schedule): string[] {
  return [...early, ...baseline, ...current].map(({ name }) => name)
}

/** Extensions have the names of their own migrations (extensionmigrations.ts). */
function isOfExtension(name: string): boolean {
  return name.includes('/')
}

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
