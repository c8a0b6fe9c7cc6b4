// A database that answers as a coordinator of Citus does, as far as Stoa asks.
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { newDatabase } from '../database.ts'

type Hooks = { after(hook: () => Promise<void>): void }

export type Cluster = {
  url: string
  /** As a person with psql. */
  run(statement: string, values?: unknown[]): Promise<Record<string, any>[]>
  /** What Citus was asked since the last time. */
  calls(): Promise<string[]>
  /** Makes a call wait until `resume`. */
  pause(call: string): Promise<{ reached(): Promise<void>; resume(): Promise<void> }>
}

export async function newCluster(t: Hooks, { migrated = true } = {}): Promise<Cluster> {
  const url = await newDatabase(t, { migrated })
  const setup = await connected(url)
  await setup.query(await readFile(new URL('standin.sql', import.meta.url), 'utf8'))
  await setup.end()
  const client = await connected(url)
  t.after(() => client.end().catch(() => {}))
  const run: Cluster['run'] = async (statement, values = []) => (await client.query(statement, values)).rows
  return {
    url,
    run,
    async calls() {
      const calls = await run('with gone as (delete from citus.calls returning *) select * from gone order by position')
      return calls.map(({ call }) => call)
    },
    async pause(call) {
      await run('insert into citus.pause values ($1)', [call])
      await run(`select pg_advisory_lock(${pauseLock})`)
      return {
        async reached() {
          const waits = `select from pg_locks where locktype = 'advisory' and objid = ${pauseLock} and not granted`
          while ((await run(waits)).length === 0) await new Promise((next) => setTimeout(next, 20))
        },
        async resume() {
          await run('delete from citus.pause')
          await run(`select pg_advisory_unlock(${pauseLock})`)
        },
      }
    },
  }
}

// As in standin.sql.
const pauseLock = 20_260_101

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  // It is cut when the database is dropped.
  client.on('error', () => {})
  await client.connect()
  return client
}
