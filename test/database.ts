// Databases on the tests' PostgreSQL: the one that most tests share, and one of a test's own for what concerns a whole
// database. Each copies a template that setup.ts has migrated once.
import pg from 'pg'
import { newUuid } from '../src/kit/values/ids.ts'

export type TestDatabase = { url: string; drop(): Promise<void> }
type Hooks = { after(hook: () => Promise<void>): void }

const template = 'stoa_template'

export function databaseUrl(): string {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('run tests with npm test: test/setup.ts starts their PostgreSQL')
  return url
}

/** Copies the shared database, which must have no connection at this time. */
export const keepAsTemplate = (): Promise<void> => onServer(`create database ${template} template stoa`, 'postgres')

/** Its url; it is dropped at the end of the test. */
export async function newDatabase(t: Hooks, { migrated = true } = {}): Promise<string> {
  const { url, drop } = await ownDatabase({ migrated })
  t.after(drop)
  return url
}

/** Empty but for the migrations. */
export async function ownDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const name = `test_${newUuid().replaceAll('-', '')}`
  await onServer(`create database ${name} ${migrated ? `template ${template}` : ''}`)
  return { url: urlOf(name), drop: () => onServer(`drop database ${name} with (force)`) }
}

const urlOf = (name: string): string => databaseUrl().replace(/\/[^/?]+(\?|$)/, `/${name}$1`)

async function onServer(statement: string, database = 'stoa'): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(database) })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
