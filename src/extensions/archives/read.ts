// Reads an archive, and verifies all of it on the way: that it is intact, that it fits this database, and that it
// contains nothing of another store.
import { requireFileType } from '../../commerce/media/backup.ts'
import type { BackupPart } from '../../platform/postgres/backupfile.ts'
import { readBackupParts, readBackupSize } from '../../platform/postgres/backupreader.ts'
import type { TableColumns } from '../../platform/postgres/tables.ts'
import { version } from '../../platform/process/version.ts'
import { toArchiveSummary, createSummer, type ArchiveSummary, type Manifest, type Sum, type Sums } from './archive.ts'
import { linesIn, wholeLines } from './lines.ts'

/** Requirements for an archive to fit a database. */
export type Schema = { migrations: string[]; tables: TableColumns[] }

/** The target of the parts, in the order of the file. */
export type ArchiveTarget = {
  begin(manifest: Manifest): Promise<void>
  addRows(table: TableColumns, rows: AsyncIterable<Buffer>): Promise<void>
  addFile(name: string, bytes: Buffer): Promise<void>
}

/** Rejects with the reason. The caller discards what the target has received. */
export async function readArchive(
  file: string,
  schema: Schema,
  target: ArchiveTarget,
): Promise<ArchiveSummary & { manifest: Manifest }> {
  const bytes = await readBackupSize(file)
  const parts = readBackupParts(file)
  try {
    const manifest = await readManifest(parts, schema)
    await target.begin(manifest)
    const sums = await readContent(parts, manifest.store.id, schema, target)
    return { ...toArchiveSummary(sums, bytes), manifest }
  } finally {
    await parts.return(undefined)
  }
}

async function readManifest(parts: AsyncGenerator<BackupPart>, { migrations }: Schema): Promise<Manifest> {
  const first = await readNextPart(parts).catch(() => null)
  if (!first || !isManifest(first.line)) throw new Error('it is not a store that Stoa exported')
  const manifest = first.line
  if (manifest.migrations.join() === migrations.join()) return manifest
  const isNewer = findLast(manifest.migrations) > findLast(migrations)
  const remedy = isNewer ? 'Update this installation' : 'Update the other installation, and export the store again'
  throw new Error(
    `version ${manifest.version} exported it, whose tables differ from those of this version, ${version}. ${remedy}`,
  )
}

/** The last migration of the core, by its number. */
function findLast(migrations: readonly string[]): string {
  return (
    migrations
      .filter((name) => !name.includes('/'))
      .toSorted()
      .at(-1) ?? ''
  )
}

function isManifest(line: object): line is Manifest {
  const { stoa_store, migrations, store } = line as Partial<Manifest>
  const isStore = store && /^[A-Z]{2}-[0-9A-Z]{8}$/.test(store.id) && Array.isArray(store.former_slugs)
  return stoa_store === 1 && Array.isArray(migrations) && isStore === true
}

async function readContent(
  parts: AsyncGenerator<BackupPart>,
  storeId: string,
  { tables }: Schema,
  target: ArchiveTarget,
): Promise<Sums> {
  const sums: Record<string, Sum> = {}
  const ofFiles = createSummer()
  for (let index = 0; ;) {
    const part = await readNextPart(parts)
    if (!part) throw new Error('it is incomplete')
    const { line, rows, bytes } = part
    if (line.end) return requireEqual({ tables: sums, files: ofFiles.sum() }, line as Sums, tables)
    if (rows) {
      const table = tables[index++]
      if (table?.table !== line.table || table?.columns.join() !== String(line.columns))
        throw new Error(`it is damaged: the table ${line.table} is unexpected`)
      const sum = createSummer()
      await target.addRows(table, checkedRows(rows, storeId, table, sum))
      sums[table.table] = sum.sum()
    } else if (bytes) {
      const content = await checkedFile(line, bytes, storeId)
      ofFiles.add(content, 1)
      await target.addFile(line.file as string, content)
    } else throw new Error('it is damaged')
  }
}

async function readNextPart(parts: AsyncGenerator<BackupPart>): Promise<BackupPart | null> {
  const { value, done } = await parts.next()
  return done ? null : value
}

async function* checkedRows(
  rows: AsyncIterable<Buffer>,
  storeId: string,
  { table }: TableColumns,
  sum: ReturnType<typeof createSummer>,
): AsyncGenerator<Buffer> {
  const start = Buffer.from(`${storeId}\t`)
  for await (const chunk of wholeLines(rows)) {
    let count = 0
    for (const line of linesIn(chunk)) {
      if (!line.subarray(0, start.length).equals(start)) throw new Error(`a row of ${table} is not of the store`)
      count++
    }
    sum.add(chunk, count)
    yield chunk
  }
}

// No image file is larger: src/commerce/media/limits.ts.
const maxFileBytes = 64 * 1024 * 1024

async function checkedFile(
  { file, bytes: size }: Record<string, unknown>,
  bytes: AsyncIterable<Buffer>,
  storeId: string,
): Promise<Buffer> {
  if (typeof file !== 'string' || !file.startsWith(`${storeId}/`)) throw new Error('a file is not of the store')
  requireFileType(file)
  if (!Number.isSafeInteger(size) || (size as number) > maxFileBytes) throw new Error(`the file ${file} is too large`)
  return Buffer.concat(await Array.fromAsync(bytes))
}

function requireEqual(actual: Sums, sums: Sums, tables: TableColumns[]): Sums {
  const isSame = (one?: Sum, other?: Sum) => one && one.count === other?.count && one.sha256 === other.sha256
  const wrong = tables.find(({ table }) => !isSame(actual.tables[table], sums.tables?.[table]))
  if (wrong) throw new Error(`it is damaged: the rows of ${wrong.table} are not those that were exported`)
  if (!isSame(actual.files, sums.files)) throw new Error('it is damaged: the images are not those that were exported')
  return actual
}
