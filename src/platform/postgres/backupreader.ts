// Reads a backup from its file, into an empty database or only to verify it.
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { readParts, type BackupPart } from './backupfile.ts'
import { listExtensionMigrations } from './extensionmigrations.ts'
import { migrationsNamed, renameFormer, type Migration } from './migrations.ts'
import type { TableColumns } from './tables.ts'
import { readBuild } from '../process/version.ts'

export type BackupSummary = { tables: number; rows: number; files: number; bytes: number }

export type Header = {
  stoa_backup: 1
  version: string
  /** Older backups have none. */
  build?: string
  made_at: string
  migrations: string[]
  /** A text sealed with the key that the stored secrets need. */
  seal: string
}

/** `0.2.0 (build 1a2b3c4d5e6f)` */
export function describeOrigin({ version, build }: Header): string {
  return build ? `${version} (build ${build})` : version
}

/** Rows by table, and the number of files. */
export type Content = { counts: Record<string, number>; files: number }

/** Where the parts of a backup go, in the order of the file. */
export type BackupTarget = {
  begin(header: Header): Promise<void>
  /** Returns the number of rows. */
  addRows(table: TableColumns, rows: AsyncIterable<Buffer>): Promise<number>
  addFile(name: string, bytes: Buffer): Promise<void>
  /** Called once all of it was read. */
  end(): Promise<void>
}

/** Rejects with the reason if the file is damaged or incomplete. The caller discards what the target has taken. */
export async function readBackup(file: string, target: BackupTarget): Promise<BackupSummary & { header: Header }> {
  const size = await readBackupSize(file)
  try {
    const { header, content } = await readInto(file, target)
    return { ...summarizeBackup(content, size), header }
  } catch (cause) {
    throw new Error(`${file} cannot be restored: ${(cause as Error).message}`, { cause })
  }
}

/** Reads all of a backup as a restore does, but needs no database. */
export async function verifyBackup(file: string): Promise<BackupSummary & { header: Header }> {
  return readBackup(file, {
    begin: async (header) => void (await requireBackupMigrations(header)),
    addRows: (_table, rows) => countLines(rows),
    addFile: async () => {},
    end: async () => {},
  })
}

/** The migrations that made the backup's tables. Rejects if this version does not have them. */
export async function requireBackupMigrations(header: Header): Promise<Migration[]> {
  const checksums = new Map(header.migrations.map((text) => text.split(' ', 2) as [string, string]))
  const ownMigrations = await migrationsNamed(await renameFormer(checksums), await listExtensionMigrations())
  if (ownMigrations) return ownMigrations
  const origin = `it was made by version ${describeOrigin(header)}`
  // This very build made it, after a newer one had migrated the database.
  const orNewer = header.build === (await readBuild()) ? ' or a newer one' : ''
  throw new Error(`${origin}, whose tables this version does not know. Restore it with that version${orNewer}`)
}

export function summarizeBackup({ counts, files }: Content, bytes: number): BackupSummary {
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return { tables: Object.keys(counts).length, rows, files, bytes }
}

async function readInto(file: string, target: BackupTarget): Promise<{ header: Header; content: Content }> {
  let header: Header | undefined
  let expectedContent: Content | undefined
  const content: Content = { counts: {}, files: 0 }
  for await (const { line, rows, bytes } of readBackupParts(file)) {
    if (!header) {
      header = line as Header
      if (header.stoa_backup !== 1) throw new Error('it is not a Stoa backup')
      await target.begin(header)
    } else if (line.end) expectedContent = line as Content
    else if (rows) content.counts[line.table as string] = await target.addRows(line as TableColumns, rows)
    else if (bytes) {
      await target.addFile(line.file as string, Buffer.concat(await Array.fromAsync(bytes)))
      content.files++
    }
  }
  if (!header || !expectedContent || !isAll(content, expectedContent)) throw new Error('it is incomplete')
  await target.end()
  return { header, content }
}

/** Older backups have no files and do not mention them. */
function isAll(content: Content, { counts, files = 0 }: Content): boolean {
  return content.files === files && Object.entries(counts).every(([table, rows]) => content.counts[table] === rows)
}

export async function readBackupSize(file: string): Promise<number> {
  const { size } = await stat(file).catch((cause: NodeJS.ErrnoException) => {
    throw new Error(cause.code === 'ENOENT' ? `The file ${file} does not exist` : `${file} cannot be read`, { cause })
  })
  return size
}

/** Its end is reached only if the whole file is intact. */
export async function* readBackupParts(file: string): AsyncGenerator<BackupPart> {
  const text = await openDecompressor(file)
  const source = pipeline(createReadStream(file), text)
  source.catch(() => {}) // the reader of `text` gets the same error
  try {
    yield* readParts(decompress(text))
    await source
  } finally {
    text.destroy()
  }
}

/** Errors of the compression say little to the reader of a message. */
async function* decompress(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* text
  } catch (cause) {
    throw new Error('it is damaged or incomplete', { cause })
  }
}

/** Older backups are gzip, recognized by their first two bytes. */
async function openDecompressor(file: string) {
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    const chunkSize = 256 * 1024
    return buffer.toString('hex') === '1f8b' ? createGunzip({ chunkSize }) : createZstdDecompress({ chunkSize })
  } finally {
    await handle.close()
  }
}

/** Each row is one line, as the format escapes line breaks. */
async function countLines(rows: AsyncIterable<Buffer>): Promise<number> {
  let count = 0
  for await (const chunk of rows) {
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) count++
  }
  return count
}
