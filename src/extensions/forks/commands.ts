// Forks of a store: copies for experiments.
import type { Command } from 'commander'
import { notFound } from '../../kit/values/errors.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { sql } from '../../kit/database/sql.ts'
import { scopes } from '../../identity/apikeys/scopes.ts'
import { secretKeyFor } from '../../platform/postgres/canary.ts'
import type { ExtensionActions, ExtensionSession } from '../../tenancy/extensions/extension.ts'
import { requireStore } from '../../tenancy/stores/store.ts'
import { fork as resource, newFork } from './fork.ts'
import { deleteFork, insertFork } from './operations.ts'

/** The configuration that the commands read. */
export type ForkConfig = { SECRET_KEY: string | null; DATA_DIR: string }

const forks = { clock: null }

/** Commands of `store`, which is there already. */
export function forkCommands(program: Command, { read, irreversible }: ExtensionActions<ForkConfig>): void {
  const store = program.commands.find((command) => command.name() === 'store')!

  store
    .command('fork <id>')
    .description('Copy a store for experiments: test data without people, and a clock that can be moved')
    .option('--name <name>', 'name of the fork')
    .action(
      irreversible('creates a database', async (session, { name }, id) => {
        const fork = await makeFork(session, id!, name)
        const text = [
          `Forked ${id}: ${fork.id}, until ${fork.expires_at.toISOString()}`,
          `export STOA_URL=${fork.url}`,
          `export STOA_KEY=${fork.key}`,
        ]
        return { json: { fork: fork }, text: text.join('\n') }
      }),
    )

  store
    .command('forks <id>')
    .description("List a store's forks")
    .action(
      read(async (session, _options, id) => {
        const own = await requireStore(session, id!)
        const rows = await session.db.texts(sql`
        select ${resource.columns}
        from forks
        where store_id = ${own.id}
        order by created_at, id`)
        const list = rows.map((row) => resource.read(row))
        const lines = list.map(({ id, name, status, url }) => `${id}  ${status}  ${url}${name ? `  (${name})` : ''}`)
        return { json: { forks: list }, text: lines.join('\n') || 'No forks yet' }
      }),
    )

  store
    .command('delete-fork <fork>')
    .description('Delete a fork with its data')
    .action(
      irreversible('drops a database', async ({ db, url, config }, _options, id) => {
        const uuid = toUuid('fork', id!)
        const row = uuid && (await db.one<{ store_id: string }>(sql`select store_id from forks where id = ${uuid}`))
        if (!row) throw notFound(`Fork ${id}`)
        const own = await requireStore({ db }, row.store_id)
        await db.transaction((tx) => deleteFork(tx, own, uuid, { forks }))
        const { sweepForks } = await import('./job.ts')
        await sweepForks(db, { databaseUrl: url, secretKey: await secretKeyFor(url, config) })
        return { json: { id, deleted: true }, text: `Deleted ${id}` }
      }),
    )
}

async function makeFork({ db, url, config }: ExtensionSession<ForkConfig>, storeId: string, name?: string) {
  const store = await requireStore({ db }, storeId)
  const body = newFork.read({ name }, store)
  const caller = { store, scopes: new Set(scopes), forks }
  const { id, key } = await db.transaction((tx) => insertFork(tx, caller, body))
  const { buildNow } = await import('./job.ts')
  await buildNow(db, id, { databaseUrl: url, secretKey: await secretKeyFor(url, config) })
  const { entity } = await findRecord(db, resource, store.id, id)
  return { ...entity, key }
}
