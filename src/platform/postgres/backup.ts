// Backs up a whole database to one compressed file: a snapshot of one instant, restored entirely or not at all. The
// files that its rows name come after the rows.
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { endOfRows } from './backupfile.ts'
import { writeParts } from './backupwriter.ts'
import {
  requireBackupMigrations,
  readBackup,
  summarizeBackup,
  type BackupSummary,
  type Content,
  type Header,
} from './backupreader.ts'
import { applyMigration, makeRegister, migrateWithin, migrationsIn } from './migrate.ts'
import {
  dropIndexes,
  dropTables,
  resumeSequences,
  list,
  name,
  switchTriggers,
  listTables,
  type TableColumns,
} from './tables.ts'
import { readBuild, version } from '../process/version.ts'

/** Files that are stored beside the database. */
export type BackupFiles = {
  /** The names of all files that rows of this snapshot may have, in the order in which they are to be read. */
  namesOf(client: pg.Client): Promise<Iterable<string>>
  /** Null if there is none, or none any more. */
  get(name: string): Promise<Buffer | null>
  /** Rejects names that it would not have given. */
  put(name: string, bytes: Buffer): Promise<void>
}

/** Servers keep running. */
export async function backup(
  url: string,
  file: string,
  seal: string,
  files: BackupFiles | null = null,
): Promise<BackupSummary> {
  const content: Content = { counts: {}, files: 0 }
  const bytes = await writeParts(file, write(url, seal, files, content))
  return summarizeBackup(content, bytes)
}

async function* write(
  url: string,
  seal: string,
  files: BackupFiles | null,
  content: Content,
): AsyncGenerator<string | Buffer> {
  const client = await begin(url, 'isolation level repeatable read read only')
  let names: Iterable<string> = []
  try {
    yield* copyOut(client, seal, content.counts)
    if (files) names = await files.namesOf(client)
  } finally {
    // The transaction ends first, as files take long and it would hold up the vacuum of all tables.
    await client.end()
  }
  for (const name of names) {
    const bytes = await files!.get(name)
    if (!bytes) continue
    yield `${JSON.stringify({ file: name, bytes: bytes.length })}\n`
    yield bytes
    content.files++
  }
  yield `${JSON.stringify({ end: true, ...content })}\n`
}

async function* copyOut(client: pg.Client, seal: string, counts: Content['counts']): AsyncGenerator<string | Buffer> {
  const header: Header = {
    stoa_backup: 1,
    version,
    build: await readBuild(),
    made_at: new Date().toISOString(),
    migrations: await migrationsIn(client),
    seal,
  }
  yield `${JSON.stringify(header)}\n`
  const copies: [table: string, rows: { rowCount: number }][] = []
  for (const { table, columns } of await listTables(client)) {
    yield `${JSON.stringify({ table, columns })}\n`
    const rows = client.query(copyTo(`copy (select ${list(columns)} from ${name(table)}) to stdout`))
    yield* rows
    yield endOfRows
    copies.push([table, rows])
  }
  // The count of rows may arrive after the last row. Once another statement has been answered, all counts are there.
  await client.query('select')
  for (const [table, { rowCount }] of copies) counts[table] = rowCount
}

/**
 * Restores into a migrated database without stores and users. A backup of an earlier version fills tables of that
 * version first, which are then migrated. Returns the header's seal, so that the caller can try its key.
 */
export async function restore(
  url: string,
  file: string,
  files: BackupFiles | null = null,
): Promise<BackupSummary & { seal: string }> {
  return inTransaction(url, async (client) => {
    await requireEmpty(client)
    let tables: TableColumns[] = []
    let indexes: string[] = []
    const { header, ...summary } = await readBackup(file, {
      async begin(header) {
        tables = await openTables(client, header)
        indexes = await dropIndexes(client)
      },
      addRows: (table, rows) => fill(client, tables, table, rows),
      async addFile(name, bytes) {
        if (!files) throw new Error('it contains files, and there is nowhere to restore them to')
        await files.put(name, bytes)
      },
      async end() {
        await client.query(`set local maintenance_work_mem = '256MB'`)
        for (const statement of indexes) await client.query(statement)
        await resumeSequences(client)
        await switchTriggers(client, tables, 'enable')
        await migrateWithin(client)
      },
    })
    return { ...summary, seal: header.seal }
  })
}

async function fill(
  client: pg.Client,
  tables: TableColumns[],
  { table, columns }: TableColumns,
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  // Names come from the file: only those that exist in the database go into a statement.
  const existing = tables.find((one) => one.table === table)
  if (!existing || columns.some((column) => !existing.columns.includes(column))) {
    throw new Error(`it contains the unknown table ${table}`)
  }
  const sink = client.query(copyFrom(`copy ${name(table)} (${list(columns)}) from stdin`))
  await pipeline(rows, sink)
  return sink.rowCount
}

/** Makes empty tables of the backup's version. */
async function openTables(client: pg.Client, header: Header): Promise<TableColumns[]> {
  if (header.migrations.join() !== (await migrationsIn(client)).join()) await rebuild(client, header)
  const tables = await listTables(client)
  // Rows that migrations insert, such as the plans, come from the backup instead.
  await client.query(`truncate ${tables.map(({ table }) => name(table)).join(', ')}`)
  // Restored rows are no changes: triggers would collect every table in memory.
  await switchTriggers(client, tables, 'disable')
  return tables
}

async function rebuild(client: pg.Client, header: Header): Promise<void> {
  const earlier = await requireBackupMigrations(header)
  await dropTables(client)
  await makeRegister(client)
  for (const migration of earlier) await applyMigration(client, migration)
}

async function requireEmpty(client: pg.Client): Promise<void> {
  const {
    rows: [state],
  } = await client.query(`
    select exists (select from stores) or exists (select from users) as used`)
  if (state.used)
    throw new Error('The database is not empty. Restore into a new one, for example with another DATA_DIR')
}

async function begin(url: string, mode: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'stoa backup' })
  client.on('error', () => {})
  await client.connect()
  await client.query(`begin ${mode}`)
  return client
}

async function inTransaction<T>(url: string, run: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await begin(url, '')
  try {
    const result = await run(client)
    await client.query('commit')
    return result
  } finally {
    // Without a commit PostgreSQL rolls back.
    await client.end()
  }
}
