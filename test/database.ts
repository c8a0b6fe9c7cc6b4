// A database of a test's own on the tests' PostgreSQL, for what concerns a whole database.
import pg from 'pg'
import { newUuid } from '../src/kit/values/ids.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { databaseUrl } from './world.ts'

type Hooks = { after(hook: () => Promise<void>): void }

/** Its url; it is dropped at the end of the test. */
export async function newDatabase(t: Hooks, { migrated = true } = {}): Promise<string> {
  const name = `test_${newUuid().replaceAll('-', '')}`
  await onServer(`create database ${name}`)
  t.after(() => onServer(`drop database ${name} with (force)`))
  const url = databaseUrl().replace('/stoa?', `/${name}?`)
  if (migrated) await migrate(url)
  return url
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl() })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
