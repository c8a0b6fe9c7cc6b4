// Loads the store of an archive into this installation, entirely or not at all.
import type pg from 'pg'
import { openPictureBackup } from '../../commerce/media/backup.ts'
import { ApiError, conflict } from '../../kit/values/errors.ts'
import { getProvider, providerNames } from '../../commerce/payments/providers.ts'
import { readBackupSize } from '../../platform/postgres/backupreader.ts'
import { withClient } from '../../platform/postgres/client.ts'
import { migrationsIn } from '../../platform/postgres/migrate.ts'
import { brokenReference, fixFormats, withoutTriggers, writeRows } from '../../platform/postgres/storerows.ts'
import { movedTables } from '../../developer/tables.ts'
import { archivedTables, type ArchiveSummary, type Manifest } from './archive.ts'
import { refusedValue } from './declared.ts'
import { members, readArchivedMembers, type ArchivedMember } from './members.ts'
import { choosePlan, type PlanPolicy } from './plans.ts'
import { readArchive, type ArchiveTarget } from './read.ts'
import { brokenRule, forgetProof } from './rules.ts'
import { canOpen, passphraseVault, reseal, type Keys } from './secrets.ts'
import { connectionName, type ArchiveDeps } from './write.ts'

type StoreFacts = Manifest['store']

export type LoadedStore = ArchiveSummary & {
  store: StoreFacts
  /** Former members of the store. None is added. */
  members: ArchivedMember[]
  /** Disabled until they get their secrets again. */
  webhooks_without_secret: { id: string; url: string }[]
  payment_methods_without_secret: { id: string; name: string }[]
}

export type LoadDeps = ArchiveDeps & { now: Date; plan: PlanPolicy }

/** Reads all of the file before it writes anything. */
export async function loadArchive(deps: LoadDeps, file: string): Promise<LoadedStore> {
  await readBackupSize(file)
  return withClient(deps.url, connectionName, async (client) => {
    try {
      const schema = { migrations: await migrationsIn(client), tables: await archivedTables(client) }
      const verification = {
        async begin(manifest: Manifest) {
          await openArchiveKeys(manifest, deps)
          const plan = await choosePlan(client, manifest.store.plan, deps.plan)
          await requireFree(client, { ...manifest.store, plan }, deps.now)
        },
        addRows: (_table: unknown, rows: AsyncIterable<Buffer>) => drain(rows),
        addFile: async () => {},
      }
      await readArchive(file, schema, verification)
      return await inTransaction(client, deps, async (target) => {
        const { manifest, ...summary } = await readArchive(file, schema, target)
        const plan = await choosePlan(client, manifest.store.plan, deps.plan)
        await requireWhole(client, manifest.store, plan)
        const missing = await missingSecrets(client, manifest.store.id)
        return { store: { ...manifest.store, plan }, ...summary, members: target.people(), ...missing }
      })
    } catch (cause) {
      if (cause instanceof ApiError) throw cause
      throw new Error(`${file} cannot be imported: ${(cause as Error).message}`, { cause })
    }
  })
}

async function drain(rows: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of rows);
}

/** Null if the archive has no secrets. */
async function openArchiveKeys({ seal, store }: Manifest, { vault, passphrase }: ArchiveDeps): Promise<Keys | null> {
  if (seal === null) return null
  if (passphrase === null) throw new Error('it contains secrets, so its passphrase is required')
  const from = await passphraseVault(passphrase, store.id)
  if (!canOpen(from, seal)) throw new Error('the passphrase is not that of the export')
  return { from, to: vault }
}

/** Lists everything that prevents the load. */
async function requireFree(
  client: pg.Client,
  { id, slug, former_slugs: former, domain, plan }: StoreFacts,
  now: Date,
): Promise<void> {
  const { rows } = await client.query<{ has_id: boolean; has_domain: boolean; has_plan: boolean; slugs: string[] }>(
    `select exists (select from stores where id = $1) as has_id,
      exists (select from stores where domain_verified and custom_domain = $2) as has_domain,
      exists (select from plans where id = $3) as has_plan,
      array(
        select slug from stores where slug = any($4::text[])
        union
        select slug from store_slugs where slug = any($4::text[]) and until > $5
        order by slug) as slugs`,
    [id, domain, plan, [slug, ...former], now],
  )
  const { has_id, has_domain, has_plan, slugs } = rows[0]!
  const faults = [
    ...(has_id ? [`the store ${id} already exists`] : []),
    ...slugs.map((slug) => `the slug ${slug} belongs to another store`),
    ...(has_domain ? [`the domain ${domain} belongs to another store`] : []),
    ...(has_plan ? [] : [`there is no plan ${plan}`]),
  ]
  if (faults.length > 0) throw conflict(`The store cannot be imported: ${faults.join('; ')}`)
}

/** They are free again, but exist until they are swept. */
async function dropExpiredSlugs(client: pg.Client, { slug, former_slugs }: StoreFacts, now: Date): Promise<void> {
  await client.query('delete from store_slugs where slug = any($1::text[]) and until <= $2', [
    [slug, ...former_slugs],
    now,
  ])
}

type StoreTarget = ArchiveTarget & { people(): ArchivedMember[] }

async function inTransaction<T>(
  client: pg.Client,
  deps: LoadDeps,
  run: (target: StoreTarget) => Promise<T>,
): Promise<T> {
  const files: string[] = []
  try {
    await client.query('begin')
    await fixFormats(client)
    const enableTriggers = await withoutTriggers(client, await archivedTables(client))
    const result = await run(openStoreTarget(client, deps, files))
    await enableTriggers()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {})
    for (const name of files) await deps.storage.remove([name]).catch(() => {})
    throw error
  }
}

function openStoreTarget(client: pg.Client, deps: LoadDeps, files: string[]): StoreTarget {
  const pictures = openPictureBackup(deps.storage)
  let keys: Keys | null = null
  let people: ArchivedMember[] = []
  return {
    async begin(manifest) {
      keys = await openArchiveKeys(manifest, deps)
      await dropExpiredSlugs(client, manifest.store, deps.now)
    },
    async addRows(table, rows) {
      if (table === members) people = await readArchivedMembers(client, rows)
      else await writeRows(client, table, keys ? reseal(rows, table, keys) : rows)
    },
    async addFile(name, bytes) {
      files.push(name)
      await pictures.put(name, bytes)
    },
    people: () => people,
  }
}

/** Without triggers no reference was checked, and the first line of the file is not proof of the rows. */
async function requireWhole(client: pg.Client, facts: StoreFacts, plan: string): Promise<void> {
  const { id, slug, domain } = facts
  const { rowCount } = await client.query(
    `select from stores
    where id = $1
      and slug = $2
      and case when domain_verified then custom_domain end is not distinct from $3
      and plan_id = $4`,
    [id, slug, domain, facts.plan],
  )
  if (!rowCount) throw new Error('it is damaged: its first line is of another store')
  await client.query('update stores set plan_id = $2 where id = $1', [id, plan])
  const reference = await brokenReference(client, id, movedTables)
  if (reference) throw new Error(`it is damaged: rows violate ${reference}`)
  const rule = (await brokenRule(client, id)) ?? (await refusedValue(client, id))
  if (rule) throw new Error(`it is damaged: a value of ${rule} is not allowed`)
  await forgetProof(client, id)
}

type MissingSecrets = Pick<LoadedStore, 'webhooks_without_secret' | 'payment_methods_without_secret'>

async function missingSecrets(client: pg.Client, storeId: string): Promise<MissingSecrets> {
  const withSecrets = providerNames.filter((provider) =>
    Object.values(getProvider(provider).settings).some(({ spec }) => spec.isSecret),
  )
  const webhooks = await client.query<{ id: string; url: string }>(
    `select id, url from webhooks where store_id = $1 and secret = '' order by id`,
    [storeId],
  )
  const methods = await client.query<{ id: string; name: string }>(
    `select id, name
    from payment_methods
    where store_id = $1
      and provider = any($2)
      and secrets is null
    order by id`,
    [storeId, withSecrets],
  )
  return { webhooks_without_secret: webhooks.rows, payment_methods_without_secret: methods.rows }
}
