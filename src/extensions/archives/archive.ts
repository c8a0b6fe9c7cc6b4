// A store as one file: a line about the store, the rows of each table, the image files, and the totals of all of it.
// The format of the parts is that of a backup. Nothing in it depends on the time or the installation, so the same store
// is the same file.
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { storeTables, type StoreTable } from '../../platform/postgres/storerows.ts'
import { movedTables } from '../../developer/tables.ts'
import { members } from './members.ts'

export type Manifest = {
  stoa_store: 1
  version: string
  migrations: string[]
  store: {
    id: string
    name: string
    slug: string
    former_slugs: string[]
    /** Null unless it is verified. */
    domain: string | null
    plan: string
  }
  /** A text sealed with the passphrase. Null if the archive has no secrets. */
  seal: string | null
}

export type Sum = { count: number; sha256: string }
/** The last line: rows by table, and files. */
export type Sums = { tables: Record<string, Sum>; files: Sum }

export type ArchiveSummary = { rows: number; files: number; bytes: number }

/** In the order of the archive. The order of columns differs between databases that were migrated differently. */
export async function archivedTables(client: pg.Client): Promise<StoreTable[]> {
  const tables = await storeTables(client, movedTables)
  return [
    ...tables.map((table) => ({ ...table, columns: [table.owner, ...table.columns.slice(1).toSorted()] })),
    members,
  ]
}

/** Sums the parts that pass through. */
export function createSummer() {
  const hash = createHash('sha256')
  let count = 0
  return {
    add(bytes: Buffer, byteCount: number) {
      hash.update(bytes)
      count += byteCount
    },
    sum: (): Sum => ({ count, sha256: hash.digest('hex') }),
  }
}

export function toArchiveSummary({ tables, files }: Sums, bytes: number): ArchiveSummary {
  return { rows: Object.values(tables).reduce((rows, { count }) => rows + count, 0), files: files.count, bytes }
}
