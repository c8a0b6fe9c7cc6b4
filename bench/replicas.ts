// node bench/replicas.ts: the CPU that exports and reports cost the primary, without and with a read replica. Prints
// what docs/guides/scale.md has under "Read replicas". RUNS (5) is how often each is asked.
import { readdirSync, readFileSync } from 'node:fs'
import { pino } from 'pino'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '../src/kit/database/open.ts'
import { sql } from '../src/kit/database/sql.ts'
import { systemClock } from '../src/kit/values/clock.ts'
import { addMember, createUser } from '../src/identity/accounts/operations.ts'
import { openSession, sessionCookie } from '../src/identity/accounts/session.ts'
import { dayRollupJob, quarterRollupJob } from '../src/money/reports/rollup.ts'
import { loadStore } from '../src/tenancy/stores/store.ts'
import { postmasterOf } from '../test/postmaster.ts'
import { startPrimary, startReplica } from '../test/replica.ts'

const log = pino({ level: 'error' })

Object.assign(process.env, { BENCH_LARGE: '50000', ...process.env })
// The modules below read the environment when they are loaded.
const { keyOf, load, storeId } = await import('./load.ts')
const { loadRest, sizes } = await import('./largestore.ts')
const { serve } = await import('./processes.ts')

const runs = Number(process.env.RUNS ?? 5)
const port = 4172
const msPerTick = 10
const sum = (texts: string[]) => texts.reduce((total, text) => total + Number(text), 0)
const hooks: (() => Promise<void>)[] = []
const t = { after: (hook: () => Promise<void>) => void hooks.push(hook) }
try {
  await measure()
} finally {
  for (const end of hooks.reverse()) await end()
}

async function measure(): Promise<void> {
  const primary = await startPrimary(t)
  const cookie = await fill(primary.url)
  const replica = await startReplica(t, primary)
  const [ofPrimary, ofReplica] = [(await postmasterOf(primary.dataDir))!, (await postmasterOf(replica.dataDir))!]
  const store = storeId(0)
  const paths = {
    'sales by product': '/v1/reports/sales?by=product&period=weeks_52',
    'sales by country': '/v1/reports/sales?by=country&period=weeks_52',
    taxes: '/v1/reports/taxes?period=weeks_52',
    'audit log, 20,000 entries': '/v1/audit.csv',
    'orders, 20,000': `/dashboard/${store}/orders.csv`,
  }
  for (const replicas of ['', replica.url]) {
    const server = await serve('src/program/main.ts', port, '/readyz', {
      DATABASE_URL: primary.url,
      DATABASE_REPLICA_URL: replicas,
      DATA_DIR: primary.dataDir,
      SECRET_KEY: 'a key of the benchmark, 32 characters',
      LOG_LEVEL: 'error',
      CACHE_MAX_MB: '0',
    })
    try {
      const headers = { 'x-api-key': keyOf(0), cookie: `${sessionCookie(server.url)}=${cookie}` }
      const read = async (path: string) => {
        const response = await fetch(server.url + path, { headers })
        const text = await response.text()
        if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`)
        return text.length
      }
      // Vacuum and replay of what was loaded end first.
      await sleep(20_000)
      const idle = await cpuDuring([ofPrimary, ofReplica], () => sleep(10_000))
      console.log(`idle: ${idle.cpu.map((ms) => (ms / idle.ms).toFixed(4)).join(' and ')} of a core`)
      for (const [name, path] of Object.entries(paths)) {
        const length = await read(path)
        const used = await cpuDuring([ofPrimary, ofReplica], async () => {
          for (let run = 0; run < runs; run++) await read(path)
        })
        const [own, other] = used.cpu.map((ms, index) => (ms - (idle.cpu[index]! * used.ms) / idle.ms) / runs)
        const figures = [own!, other!, used.ms / runs].map((ms) => ms.toFixed(1).padStart(9))
        console.log(`${(replicas ? 'replica' : 'primary').padEnd(8)} ${name.padEnd(28)} ${figures.join(' ')} ${length}`)
      }
    } finally {
      await server.stop()
    }
  }
}

/** The session of an owner of the large store. */
async function fill(url: string): Promise<string> {
  Object.assign(sizes, { customers: 30_000, orders: 60_000, drafts: 100, media: 100 })
  await load(url, { only: 0 })
  await loadRest(url)
  const db = openDatabase({
    url,
    clock: systemClock,
    connections: 1,
    patienceMs: 60_000,
    settings: ['statement_timeout=0'],
  })
  for (const { run } of [quarterRollupJob(log), dayRollupJob(log)]) while ((await db.transaction(run))?.more);
  const cookie = await db.transaction(async (tx) => {
    const id = await createUser(tx, { email: 'ana@example.com', password: 'correct horse battery', name: 'Ana' })
    await addMember(tx, (await loadStore(tx, storeId(0)))!, id, 'owner')
    await tx.rows(sql`
      insert into audit_log (store_id, id, actor_kind, actor_id, operation, records, changes, created_at)
      select ${storeId(0)}, uuidv7(- n * interval '1 minute'), 'key', 'filler', 'fill', '{}',
        '[{"table":"stores","id":"x","before":{},"after":{}}]', ${tx.now}::timestamptz - n * interval '1 minute'
      from generate_series(1, 20000) as n`)
    return openSession(tx, id, { ip: '10.0.0.1', userAgent: 'bench', how: 'password' })
  })
  await db.close()
  return cookie
}

/** Milliseconds of CPU of each server, with its processes that ended. */
async function cpuDuring(postmasters: number[], work: () => Promise<unknown>): Promise<{ cpu: number[]; ms: number }> {
  const before = postmasters.map(cpuOf)
  const startedAt = performance.now()
  await work()
  const ms = performance.now() - startedAt
  return { cpu: postmasters.map((pid, index) => cpuOf(pid) - before[index]!), ms }
}

function cpuOf(postmaster: number): number {
  let ticks = 0
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = statOf(name)
    if (Number(name) === postmaster) ticks += sum(fields.slice(11, 15))
    else if (Number(fields[1]) === postmaster) ticks += sum(fields.slice(11, 13))
  }
  return ticks * msPerTick
}

/** From the state on, which follows the name in parentheses. */
function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
