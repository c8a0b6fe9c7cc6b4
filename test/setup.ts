// Runs once before all tests: one embedded PostgreSQL for every test file, each test with a store of its own. A
// migrated cluster is kept in node_modules/.cache/stoa for the next run.
import { execFile } from 'node:child_process'
import { hash, randomUUID } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { runningPostgres, startPostgres, type Postgres } from '../src/platform/postgres/postgres.ts'
import { keepAsTemplate } from './database.ts'

const root = path.join(import.meta.dirname, '..')
const cache = path.join(root, 'node_modules/.cache/stoa/clusters')
const prefix = 'stoa-test-'
const longestRunMs = 6 * 3600 * 1000
const settings = { fsync: 'off', synchronous_commit: 'off', max_connections: '600' }

let postgres: Postgres | undefined
let dataDir = ''

export async function globalSetup(): Promise<void> {
  await removeLeftovers()
  try {
    dataDir = await newFolder()
    const migrated = await provideCluster()
    await copy(path.join(migrated, 'postgres'), dataDir)
    postgres = await startPostgres({ dataDir, settings })
  } catch (error) {
    await globalTeardown()
    const { message } = error as Error
    const reason = message.split('\n').slice(0, 2).join(' ')
    throw new Error(`PostgreSQL did not start in ${tmpdir()}. Set TMPDIR to another folder. ${reason}`)
  }
  process.env.TEST_DATABASE_URL = postgres.url
  // Functions and triggers that follow from code may have changed since.
  await migrate(postgres.url)
  await keepAsTemplate()
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop()
  await rm(dataDir, { recursive: true, force: true })
}

/** Named after its process, so that a later run knows whether it is still in use. */
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix))
  await writeFile(path.join(folder, 'pid'), String(process.pid))
  return folder
}

/** A run that was killed leaves its PostgreSQL behind. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const folder = path.join(tmpdir(), name)
    const pid = Number(await readFile(path.join(folder, 'pid'), 'utf8').catch(() => NaN))
    if (
      Number.isNaN(pid)
        ? ((await stat(folder).catch(() => null))?.mtimeMs ?? Infinity) > Date.now() - longestRunMs
        : isRunning(pid)
    )
      continue
    // Another run may remove it at the same time.
    await removeCluster(folder).catch(() => {})
  }
}

async function removeCluster(folder: string): Promise<void> {
  if (await runningPostgres(folder)) await (await startPostgres({ dataDir: folder })).stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 3, retryDelay: 200 })
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** The folder of a cluster with all migrations, stopped. It appears by a rename: whole, or not at all. */
async function provideCluster(): Promise<string> {
  const migrations = globSync('migrations/*.sql', { cwd: root }).sort()
  const texts = ['package-lock.json', ...migrations].map((file) => readFileSync(path.join(root, file), 'utf8'))
  const folder = path.join(cache, hash('sha256', texts.join('\n')).slice(0, 16))
  if (existsSync(folder)) return folder
  const draft = await newFolder()
  try {
    const server = await startPostgres({ dataDir: draft, settings })
    await migrate(server.url)
    await server.stop()
    await rm(cache, { recursive: true, force: true })
    await mkdir(cache, { recursive: true })
    const copied = path.join(cache, randomUUID())
    await copy(draft, copied)
    // Another run may have been faster.
    await rename(copied, folder).catch(() => rm(copied, { recursive: true, force: true }))
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return folder
}

/** Keeps owners and modes, as PostgreSQL demands. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to])
}
