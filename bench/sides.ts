// Two commits to compare: this tree, and another that is checked out beside it. Each has its own packages, server and
// PostgreSQL; both begin each run with the same rows.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { runningPostgres } from '../src/platform/postgres/postgres.ts'
import { postmasterOf } from '../test/postmaster.ts'
import { load, scale, smallStores } from './load.ts'
import { cpuOf, cpuOfPostgres, measuredServer, startTree } from './processes.ts'
import { copyRows } from './samerows.ts'
import { folder, startReceiver, subscribe } from './world.ts'

export type Side = { url: string; pid: number; postmaster: number; database: string; stop(): Promise<void> }
type Pair<T> = { ours: T; theirs: T }

const here = new URL('..', import.meta.url).pathname
const run = promisify(execFile)

export async function openSides(commit: string): Promise<Pair<Side> & { stop(): Promise<void> }> {
  mkdirSync(folder, { recursive: true })
  const receiver = await startReceiver()
  const environment = {
    ...measuredServer,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    NODE_EXTRA_CA_CERTS: receiver.ca,
    // The other commit may keep no answers: what is compared is what making them costs.
    CACHE_MAX_MB: '0',
  }
  const id = (await run('git', ['rev-parse', '--short=8', commit], { cwd: here })).stdout.trim()
  const trees = { ours: here, theirs: await checkOut(id) }
  const kept = await prepareRows(trees, id, environment)
  const running = join(folder, 'running')
  await rm(running, { recursive: true, force: true })
  await run('cp', ['-a', '--reflink=auto', kept, running]) // PostgreSQL's files keep their owner
  const sides = await openBoth(trees, running, environment)
  const stop = async () => {
    await sides.stop()
    receiver.child.disconnect()
  }
  try {
    for (const side of [sides.ours, sides.theirs]) {
      await subscribe(side.url, receiver.url, smallStores)
      await untilIdle(side)
    }
    return { ...sides, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A work tree of the commit, with its packages. */
async function checkOut(id: string): Promise<string> {
  const tree = join(here, '.tmp/commits', id)
  if (existsSync(join(tree, 'node_modules/.bin/node'))) return tree
  if (!existsSync(tree)) await run('git', ['worktree', 'add', '--detach', tree, id], { cwd: here })
  console.log(`${id}: installs its packages`)
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: tree })
  return tree
}

/** Loads the rows once and copies them to the other side; each run begins with copies of both data directories. */
async function prepareRows(trees: Pair<string>, id: string, environment: Record<string, string>): Promise<string> {
  const kept = join(folder, `rows-${await schemaOf(here)}-${id}-${scale}`)
  const mark = join(kept, 'complete')
  if (existsSync(mark)) return kept
  await rm(kept, { recursive: true, force: true })
  const { ours, theirs, stop } = await openBoth(trees, kept, environment)
  try {
    const took = await load(ours.database)
    console.log(`loaded in ${took.toFixed(0)} s; now copies the rows to ${id}`)
    await copyRows(ours.database, theirs.database)
    for (const side of [ours, theirs]) await untilIdle(side)
  } finally {
    await stop()
  }
  await writeFile(mark, '')
  return kept
}

/** Rows that were loaded before a migration changed are loaded again. */
async function schemaOf(tree: string): Promise<string> {
  const migrations = join(tree, 'migrations')
  const hash = createHash('sha256')
  for (const name of (await readdir(migrations)).filter((name) => name.endsWith('.sql')).toSorted()) {
    hash.update(await readFile(join(migrations, name)))
  }
  return hash.digest('hex').slice(0, 8)
}

async function openBoth(trees: Pair<string>, data: string, environment: Record<string, string>) {
  const ours = await openSide(trees.ours, 4141, { ...environment, DATA_DIR: join(data, 'ours') })
  try {
    const theirs = await openSide(trees.theirs, 4142, { ...environment, DATA_DIR: join(data, 'theirs') })
    return { ours, theirs, stop: async () => void (await Promise.all([ours.stop(), theirs.stop()])) }
  } catch (error) {
    await ours.stop()
    throw error
  }
}

async function openSide(tree: string, port: number, environment: { DATA_DIR: string }): Promise<Side> {
  const server = await startTree(tree, port, environment)
  const [postmaster, database] = [await postmasterOf(environment.DATA_DIR), await runningPostgres(environment.DATA_DIR)]
  return { ...server, postmaster: postmaster!, database: database! }
}

export function cpuOfSide({ pid, postmaster }: Side): { node: number; postgres: number } {
  return { node: cpuOf(pid), postgres: cpuOfPostgres(postmaster) }
}

/** Waits for three samples in a row below 3% of a core: no job, delivery or autovacuum has work. */
export async function untilIdle(side: Side): Promise<void> {
  const sampleMs = 500
  let idle = 0
  for (let samples = 0; idle < 3; samples++) {
    if (samples * sampleMs > idleWithinMs) throw new Error(`${side.url} is still busy after ${idleWithinMs / 1000} s`)
    const before = cpuOfSide(side)
    await sleep(sampleMs)
    const after = cpuOfSide(side)
    const busy = (after.node - before.node + after.postgres - before.postgres) / (sampleMs * 1000)
    idle = busy < 0.03 ? idle + 1 : 0
  }
}
const idleWithinMs = 600_000
