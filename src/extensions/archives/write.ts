// Writes a store to a file, as it is at one moment. Servers keep running.
import type pg from 'pg'
import { openPictureBackup } from '../../commerce/media/backup.ts'
import type { Storage } from '../../commerce/media/storage.ts'
import { notFound } from '../../kit/values/errors.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { endOfRows } from '../../platform/postgres/backupfile.ts'
import { writeParts } from '../../platform/postgres/backupwriter.ts'
import { connect } from '../../platform/postgres/client.ts'
import { migrationsIn } from '../../platform/postgres/migrate.ts'
import { fixFormats, readRows, type StoreTable } from '../../platform/postgres/storerows.ts'
import { version } from '../../platform/process/version.ts'
import {
  archivedTables,
  toArchiveSummary,
  createSummer,
  type ArchiveSummary,
  type Manifest,
  type Sums,
} from './archive.ts'
import { linesIn, wholeLines } from './lines.ts'
import { members, readMembers } from './members.ts'
import { passphraseVault, reseal, sealCheckText, withoutSecrets, type Keys } from './secrets.ts'

export const connectionName = 'stoa archive'

export type ArchiveDeps = {
  url: string
  storage: Storage
  vault: Vault
  /** Null to leave secrets out. */
  passphrase: string | null
}

export async function writeArchive(deps: ArchiveDeps, storeId: string, file: string): Promise<ArchiveSummary> {
  const sums: Sums = { tables: {}, files: { count: 0, sha256: '' } }
  const bytes = await writeParts(file, writeArchiveParts(deps, storeId, sums))
  return toArchiveSummary(sums, bytes)
}

async function* writeArchiveParts(
  { url, storage, vault, passphrase }: ArchiveDeps,
  storeId: string,
  sums: Sums,
): AsyncGenerator<string | Buffer> {
  const keys = passphrase === null ? null : { from: vault, to: await passphraseVault(passphrase, storeId) }
  const pictures = openPictureBackup(storage, storeId)
  const client = await connect(url, connectionName)
  let names: Iterable<string>
  try {
    await client.query('begin isolation level repeatable read read only')
    await fixFormats(client)
    yield toJsonLine(await buildManifest(client, storeId, keys))
    for (const table of await archivedTables(client)) {
      const sum = createSummer()
      yield toJsonLine({ table: table.table, columns: table.columns })
      for await (const rows of wholeLines(readTableRows(client, table, storeId, keys))) {
        sum.add(rows, [...linesIn(rows)].length)
        yield rows
      }
      yield endOfRows
      sums.tables[table.table] = sum.sum()
    }
    names = await pictures.namesOf(client)
  } finally {
    // The transaction ends first, as files take long and it would hold up the vacuum of all tables.
    await client.end()
  }
  const sum = createSummer()
  for (const name of names) {
    const bytes = await pictures.get(name)
    if (!bytes) continue
    yield toJsonLine({ file: name, bytes: bytes.length })
    yield bytes
    sum.add(bytes, 1)
  }
  sums.files = sum.sum()
  yield toJsonLine({ end: true, ...sums })
}

function readTableRows(
  client: pg.Client,
  table: StoreTable,
  storeId: string,
  keys: Keys | null,
): AsyncIterable<Buffer> {
  if (table === members) return readMembers(client, storeId)
  // Members are counted where they have accounts.
  const replacements = table.table === 'store_counters' ? { staff: '0' } : keys ? {} : withoutSecrets[table.table]
  const rows = readRows(client, table, storeId, replacements)
  return keys ? reseal(rows, table, keys) : rows
}

async function buildManifest(client: pg.Client, storeId: string, keys: Keys | null): Promise<Manifest> {
  const { rows } = await client.query<Manifest['store']>(
    `select id, name, slug, plan_id as plan, case when domain_verified then custom_domain end as domain,
      array(select slug from store_slugs where store_id = $1 order by slug collate "C") as former_slugs
    from stores
    where id = $1`,
    [storeId],
  )
  if (!rows[0]) throw notFound(`Store ${storeId}`)
  const { id, name, slug, former_slugs, domain, plan } = rows[0]
  return {
    stoa_store: 1,
    version,
    migrations: await migrationsIn(client),
    store: { id, name, slug, former_slugs, domain, plan },
    seal: keys && sealCheckText(keys.to),
  }
}

function toJsonLine(line: object): string {
  return `${JSON.stringify(line)}\n`
}
