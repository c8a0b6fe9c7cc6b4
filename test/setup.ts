// Runs once before all tests: one embedded PostgreSQL for every test file, each test with a store of its own.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres, type Postgres } from '../src/platform/postgres/postgres.ts'
import { keepAsTemplate } from './database.ts'

let postgres: Postgres | undefined
let dataDir = ''

export async function globalSetup(): Promise<void> {
  dataDir = await mkdtemp(join(tmpdir(), 'stoa-test-'))
  const settings = { fsync: 'off', synchronous_commit: 'off', max_connections: '300' }
  postgres = await startPostgres({ dataDir, settings })
  process.env.TEST_DATABASE_URL = postgres.url
  await migrate(postgres.url)
  await keepAsTemplate()
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
  await rm(dataDir, { recursive: true, force: true })
}
