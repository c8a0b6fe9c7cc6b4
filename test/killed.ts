// What tests do to a server that they kill: end its PostgreSQL, wait for it, look into its database beside it.
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Database } from '../src/kit/database/database.ts'
import { compile, type Sql } from '../src/kit/database/sql.ts'
import { runningPostgres } from '../src/platform/postgres/postgres.ts'
import { postmasterOf } from './postmaster.ts'
import type { Server } from './server.ts'

export type Asked = Pick<Database, 'rows'>

/** What a test asks about everything may take longer than what a request asks. */
export async function asking(dataDir: string, look: (db: Asked) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: (await runningPostgres(dataDir))!, statement_timeout: 120_000 })
  await client.connect()
  // One after the other: they share a connection.
  let last: Promise<unknown> = Promise.resolve()
  const rows = <T>(query: Sql) => {
    const { text, values } = compile(query)
    const answer = last.then(async () => (await client.query({ text, values })).rows as T[])
    last = answer.catch(() => {})
    return answer
  }
  await look({ rows }).finally(() => client.end())
}

/** Its backends live a little longer and may answer: the next PostgreSQL is another postmaster. */
export async function killPostgres(dataDir: string, { awaitsNext }: { awaitsNext: boolean }): Promise<void> {
  const pid = (await postmasterOf(dataDir))!
  process.kill(pid, 'SIGKILL')
  while (awaitsNext && [pid, null].includes(await postmasterOf(dataDir))) await sleep(5)
}

export async function ready({ url }: Server): Promise<void> {
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(10)
}
