// Backs up a whole database to one compressed file: a snapshot of one instant, restored entirely or not at all. The
// files that its rows name come after the rows.
import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createGunzip, createZstdCompress, createZstdDecompress } from 'node:zlib'
import pg from 'pg'
import { from as copyFrom, to as copyTo } from 'pg-copy-streams'
import { endOfRows, readParts } from './backupfile.ts'
import { appliedTo, applyMigration, makeRegister, migrateWithin } from './migrate.ts'
import { migrationsNamed } from './migrations.ts'
import { dropTables, resumeSequences, list, name, switchTriggers, tablesOf, type TableColumns } from './tables.ts'
import { removeStaleDrafts } from '../process/drafts.ts'
import { version } from '../process/version.ts'

export type BackupSummary = { tables: number; rows: number; files: number; bytes: number }

/** Files that are stored beside the database. */
export type BackupFiles = {
  /** The names of all files that rows of this snapshot may have, in the order in which they are to be read. */
  namesOf(client: pg.Client): Promise<Iterable<string>>
  /** Null if there is none, or none any more. */
  get(name: string): Promise<Buffer | null>
  /** Rejects names that it would not have given. */
  put(name: string, bytes: Buffer): Promise<void>
}

type RowCounts = Record<string, number>
type Content = { counts: RowCounts; files: number }
/** `seal` is a text sealed with the key that the stored secrets need. */
type Header = { stoa_backup: 1; version: string; made_at: string; migrations: string[]; seal: string }

/** Servers keep running. The file appears whole, readable only by its owner. */
export async function backup(
  url: string,
  file: string,
  seal: string,
  files: BackupFiles | null = null,
): Promise<BackupSummary> {
  const drafts = `${path.resolve(file)}.draft-`
  await removeStaleDrafts(drafts).catch((cause: Error) => {
    throw new Error(`The folder ${path.dirname(drafts)} does not exist`, { cause })
  })
  const draft = `${drafts}${process.pid}`
  const clear = () => rmSync(draft, { force: true })
  process.once('exit', clear)
  try {
    const content: Content = { counts: {}, files: 0 }
    await pipeline(
      write(url, seal, files, content),
      createZstdCompress(fast),
      createWriteStream(draft, { mode: 0o600, flush: true }),
    )
    await rename(draft, file)
    return summary(content, (await stat(file)).size)
  } finally {
    clear()
    process.off('exit', clear)
  }
}

// Takes a fifth of the CPU time of gzip level 6, and is smaller: the running server needs its cores.
const fast = { params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 } }

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

async function* copyOut(client: pg.Client, seal: string, counts: RowCounts): AsyncGenerator<string | Buffer> {
  const header: Header = {
    stoa_backup: 1,
    version,
    made_at: new Date().toISOString(),
    migrations: await migrationsOf(client),
    seal,
  }
  yield `${JSON.stringify(header)}\n`
  for (const { table, columns } of await tablesOf(client)) {
    yield `${JSON.stringify({ table, columns })}\n`
    const rows = client.query(copyTo(`copy (select ${list(columns)} from ${name(table)}) to stdout`))
    yield* rows
    yield endOfRows
    counts[table] = rows.rowCount
  }
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
  const { size } = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    throw new Error(cause.code === 'ENOENT' ? `The file ${file} does not exist` : `${file} cannot be read`, { cause })
  })
  return inTransaction(url, async (client) => {
    await requireEmpty(client)
    try {
      return { ...(await copyIn(client, file, files)), bytes: size }
    } catch (cause) {
      throw new Error(`${file} cannot be restored: ${(cause as Error).message}`, { cause })
    }
  })
}

async function copyIn(
  client: pg.Client,
  file: string,
  files: BackupFiles | null,
): Promise<BackupSummary & { seal: string }> {
  const text = await decompressorOf(file)
  const source = pipeline(createReadStream(file), text)
  source.catch(() => {}) // the reader of `text` gets the same error
  let header: Header | undefined
  let tables: TableColumns[] = []
  let expected: Content | undefined
  const content: Content = { counts: {}, files: 0 }
  for await (const { line, rows, bytes } of readParts(text)) {
    if (!header) {
      header = line as Header
      tables = await openTables(client, header)
    } else if (line.end) expected = line as Content
    else if (rows) content.counts[line.table as string] = await fill(client, tables, line as TableColumns, rows)
    else if (bytes) {
      if (!files) throw new Error('it contains files, and there is nowhere to restore them to')
      await files.put(line.file as string, Buffer.concat(await Array.fromAsync(bytes)))
      content.files++
    }
  }
  await source
  if (!header || !expected || !isAll(content, expected)) throw new Error('it is incomplete')
  await resumeSequences(client)
  await switchTriggers(client, tables, 'enable')
  await migrateWithin(client)
  return { ...summary(content, 0), seal: header.seal }
}

/** Older backups have no files and do not mention them. */
function isAll(content: Content, { counts, files = 0 }: Content): boolean {
  return content.files === files && Object.entries(counts).every(([table, rows]) => content.counts[table] === rows)
}

/** Older backups are gzip, recognized by their first two bytes. */
async function decompressorOf(file: string) {
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    const chunkSize = 256 * 1024
    return buffer.toString('hex') === '1f8b' ? createGunzip({ chunkSize }) : createZstdDecompress({ chunkSize })
  } finally {
    await handle.close()
  }
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
  if (header.stoa_backup !== 1) throw new Error('it is not a Stoa backup')
  if (header.migrations.join() !== (await migrationsOf(client)).join()) await rebuild(client, header)
  const tables = await tablesOf(client)
  // Rows that migrations insert, such as the plans, come from the backup instead.
  await client.query(`truncate ${tables.map(({ table }) => name(table)).join(', ')}`)
  // Restored rows are no changes: triggers would collect every table in memory.
  await switchTriggers(client, tables, 'disable')
  return tables
}

async function rebuild(client: pg.Client, { migrations, version: origin }: Header): Promise<void> {
  const applied = new Map(migrations.map((text) => text.split(' ', 2) as [string, string]))
  const earlier = await migrationsNamed(applied)
  if (!earlier)
    throw new Error(
      `it was made by version ${origin}, whose tables this version does not know. Restore it with that version`,
    )
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

async function migrationsOf(client: pg.Client): Promise<string[]> {
  return [...(await appliedTo(client))].map(([migration, checksum]) => `${migration} ${checksum}`)
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

function summary({ counts, files }: Content, bytes: number): BackupSummary {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return { tables: Object.keys(counts).length, rows, files, bytes }
}
