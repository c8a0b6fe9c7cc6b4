// node bench/overload.ts [phase …]: what clients get while there is too much to do, or the database is slow, paused,
// cut off or full, or sockets are slow: who is turned away and how, how long accepted requests take beside a usual
// load, and when all is well again. Nothing that was acknowledged may be missing. Results in bench/RESULTS.md,
// "Overload". BENCH_SECONDS (8) is the length of each phase. DELAY_MS (0): the database is always so far away, which
// makes it the bottleneck: on a machine that is busy with other things, times then follow from it.
import http from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { toUuid } from '../src/kit/values/ids.ts'
import { postmasterOf } from '../test/postmaster.ts'
import { openDetour, type Detour } from '../test/detour.ts'
import { mountSmallDisk, type SmallDisk } from '../test/smalldisk.ts'
import { openSlowSockets, whilePaused } from './mix/faults.ts'
import { isForNow, percentile, request, startLoad, statusesOf, type Counted, type Outcome } from './mix/load.ts'
import { metricOf } from './mix/memory.ts'
import { openShops, type Shop } from './mix/shops.ts'
import { memoryMiBOf, serve, type Served } from './processes.ts'
import { table } from './report.ts'
import { writeSection } from './results.ts'
import { startReceiver } from './world.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 8)
const distance = Number(process.env.DELAY_MS ?? 0)
const port = Number(process.env.BENCH_PORT ?? 4191)
const chosen = process.argv.slice(2)
const connections = 1000

type World = {
  server: Served
  database: string
  postmaster: number
  detour: Detour
  disk: SmallDisk
  shops: Shop[]
  /** Acts a second of the usual load, and of the greatest. */
  usual: number
  capacity: number
  close(): Promise<void>
}

type Phase = {
  name: string
  /** Acts a second, while `during` runs. */
  rate: (world: World) => number
  during: (world: World) => Promise<void>
}

const pause = () => sleep(seconds * 1000)
const phases: Phase[] = [
  { name: 'three times the capacity', rate: ({ capacity }) => 3 * capacity, during: pause },
  {
    name: 'database 100 ms away',
    rate: ({ usual }) => usual,
    async during({ detour }) {
      detour.delayMs = distance + 100
      await pause()
      detour.delayMs = distance
    },
  },
  { name: 'database paused', rate: ({ usual }) => usual, during: ({ postmaster }) => whilePaused(postmaster, pause) },
  {
    name: 'database cut off',
    rate: ({ usual }) => usual,
    async during({ detour }) {
      detour.cut()
      await pause()
      detour.isCut = false
    },
  },
  {
    name: 'disk full',
    rate: ({ usual }) => usual,
    async during({ disk }) {
      await disk.fill()
      await pause()
      disk.empty()
    },
  },
  {
    name: '500 slow sockets',
    rate: ({ usual }) => usual,
    async during({ server, shops }) {
      const sockets = openSlowSockets(server.url, 500, shops[0]!.keys.at(-1)!, '/v1/products?per_page=100')
      await pause()
      sockets.end()
    },
  },
]

const head = [
  'phase',
  'acts/s',
  'requests by status',
  'accepted p50 ms',
  'p99 ms',
  '÷ usual p99',
  '÷ p99 at capacity',
  'refused p50 ms',
  'p99 ms',
  'longest ms',
  'recovered s',
  '/healthz, longest ms',
  '/readyz',
  'long polls',
  'jobs again',
  'RSS MiB',
]

const world = await openWorld()
try {
  const { perSecond, outcomes } = await atCapacity(world)
  world.capacity = perSecond
  world.usual = world.capacity / 4
  const usual = await run(world, { name: 'usual load', rate: ({ usual }) => usual, during: pause })
  const normal = { usual: usual.outcomes, full: outcomes }
  const rows = [rowOf(usual, normal)]
  for (const phase of phases) {
    if (chosen.length > 0 && !chosen.some((word) => phase.name.includes(word))) continue
    rows.push(rowOf(await run(world, phase), normal))
    console.log(table(head, [rows.at(-1)!]))
  }
  report(rows, percentile(accepted(outcomes), 0.99), await missing(world))
} finally {
  await world.close()
}

async function openWorld(): Promise<World> {
  const hooks: (() => unknown)[] = []
  const close = async () => {
    for (const end of hooks.toReversed()) await end()
  }
  try {
    const disk = mountSmallDisk(700)
    hooks.push(disk.remove)
    const postgres = await startPostgres({ dataDir: disk.folder, settings: { max_wal_size: '128MB' } })
    hooks.push(() => postgres.stop())
    await migrate(postgres.url)
    const detour = await openDetour(postgres.url)
    hooks.push(detour.close)
    detour.delayMs = distance
    const receiver = await startReceiver()
    hooks.push(() => receiver.child.disconnect())
    const dataDir = await mkdtemp(join(tmpdir(), 'stoa-overload-'))
    hooks.push(() => rm(dataDir, { recursive: true, force: true }))
    const server = await serve('src/program/main.ts', port, '/readyz', {
      DATABASE_URL: detour.url,
      DATA_DIR: dataDir,
      SECRET_KEY: 'a key of the benchmark, 32 characters',
      LOG_LEVEL: 'fatal',
      DEMO: 'off',
      TRUSTED_PROXIES: '127.0.0.1',
      BASE_URL: `http://127.0.0.1:${port}`,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      NODE_EXTRA_CA_CERTS: receiver.ca,
    })
    hooks.push(() => server.stop())
    const shops = await openShops({ database: postgres.url, server: server.url, receiver: receiver.url }, 4, 30)
    const postmaster = (await postmasterOf(disk.folder))!
    return { server, database: postgres.url, postmaster, detour, disk, shops, usual: 0, capacity: 0, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** What 16 clients that each wait for their answers reach. */
async function atCapacity({ server, shops }: World): Promise<{ perSecond: number; outcomes: Outcome[] }> {
  const load = (actsPerSecond: number, maxOpen: number) =>
    startLoad({ url: server.url, shops, actsPerSecond, connections, maxOpen })
  const warm = load(50, 16)
  await sleep(4000)
  await warm.end()
  const full = load(2000, 16)
  const began = performance.now()
  await sleep(seconds * 1000)
  const counted = await full.end()
  const perSecond = full.acts / ((performance.now() - began) / 1000)
  console.log(`capacity: ${perSecond.toFixed(0)} acts a second (${statusesOf(counted.outcomes)})`)
  return { perSecond, outcomes: counted.outcomes }
}

type Ran = {
  name: string
  outcomes: Outcome[]
  acts: number
  faults: Map<string, number>
  probes: Record<'healthz' | 'readyz' | 'poll', Outcome[]>
  /** Seconds from the end of the phase until a second of nothing but successes begins. */
  recovered: number
  jobs: string
  memory: number
}

/** The usual load comes before and after. */
async function run(world: World, { name, rate, during }: Phase): Promise<Ran> {
  const { server, shops, usual } = world
  const probes = { healthz: watch(world, '/healthz'), readyz: watch(world, '/readyz'), poll: watchPolls(world) }
  const begin = (actsPerSecond: number) => startLoad({ url: server.url, shops, actsPerSecond, connections })
  const load = begin(rate(world))
  await during(world)
  const over = performance.now()
  const ended = load.end()
  const after = begin(usual)
  await sleep(8000)
  const { outcomes, faults } = await ended
  const later = await after.end()
  const jobs = await jobsAgain(server.url)
  return {
    name,
    outcomes,
    acts: load.acts,
    faults: new Map([...faults, ...later.faults]),
    probes: { healthz: await probes.healthz(), readyz: await probes.readyz(), poll: await probes.poll() },
    recovered: recoveredAfter(later, over),
    jobs,
    memory: memoryMiBOf(server.pid),
  }
}

function recoveredAfter({ outcomes }: Counted, over: number): number {
  const bad = outcomes.filter(({ status }) => status === 0 || status >= 400).map(({ at }) => at)
  const stops = [over, ...bad.toSorted((a, b) => a - b)]
  const calm = stops.find((at, index) => (stops[index + 1] ?? Infinity) - at > 1000)!
  return (calm - over) / 1000
}

/** Asks every 100 ms, over a connection of its own, until called. */
function watch({ server }: World, path: string): () => Promise<Outcome[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const outcomes: Outcome[] = []
  let isOver = false
  const asking = (async () => {
    for (; !isOver; await sleep(100))
      await request(agent, server.url, { method: 'GET', path, headers: {} }, (outcome) => outcomes.push(outcome))
    agent.destroy()
  })()
  return async () => {
    isOver = true
    await asking
    return outcomes
  }
}

/** An integration that waits for events, from the newest on. */
function watchPolls({ server, shops }: World): () => Promise<Outcome[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const outcomes: Outcome[] = []
  let isOver = false
  const asking = (async () => {
    for (let after = 0, turn = 0; !isOver; await sleep(50)) {
      const headers = { 'x-api-key': shops[1]!.keys[turn++ % 30]! }
      const asked = { method: 'GET', path: `/v1/events?after=${after}&wait=2`, headers }
      const { status, text } = await request(agent, server.url, asked, (outcome) => outcomes.push(outcome))
      if (status === 200) after = JSON.parse(text).log.next_after
    }
    agent.destroy()
  })()
  return async () => {
    isOver = true
    await asking
    return outcomes
  }
}

/** Whether the job with the shortest period ends again, by its counter. */
async function jobsAgain(url: string): Promise<string> {
  const done = async () => metricOf(await (await fetch(`${url}/metrics`)).text(), 'job_last_done_seconds')
  const before = await done()
  for (let waited = 0; waited < 15; waited++) {
    await sleep(1000)
    if ((await done()) > before) return 'yes'
  }
  return 'NO'
}

/** Acknowledged orders that are not there. */
async function missing({ database, shops }: World): Promise<{ acknowledged: number; missing: number }> {
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  let [acknowledged, found] = [0, 0]
  for (const { id, orders } of shops) {
    const ids = orders.map((order) => toUuid('ord', order))
    const { rows } = await client.query('select count(*)::int from orders where store_id = $1 and id = any($2)', [
      id,
      ids,
    ])
    acknowledged += orders.length
    found += rows[0].count
  }
  await client.end()
  return { acknowledged, missing: acknowledged - found }
}

function accepted(outcomes: Outcome[]): number[] {
  return outcomes.filter(({ status }) => status >= 200 && status < 400).map(({ ms }) => ms)
}

function rowOf(ran: Ran, normal: Record<'usual' | 'full', Outcome[]>): (string | number)[] {
  const { name, outcomes, acts, probes, recovered, jobs, memory } = ran
  const refused = outcomes.filter(({ status }) => isForNow(status)).map(({ ms }) => ms)
  const own = accepted(outcomes)
  const times = (other: Outcome[]) => (percentile(own, 0.99) / percentile(accepted(other), 0.99)).toFixed(1)
  for (const [text, count] of ran.faults) console.log(`  ${name}: ${count} × ${text}`)
  const silent = outcomes.filter(({ status, retryAfter }) => isForNow(status) && !retryAfter).length
  if (silent > 0) console.log(`  ${name}: ${silent} refusals without Retry-After`)
  return [
    name,
    (acts / seconds).toFixed(0),
    statusesOf(outcomes),
    percentile(own, 0.5).toFixed(0),
    percentile(own, 0.99).toFixed(0),
    times(normal.usual),
    times(normal.full),
    percentile(refused, 0.5).toFixed(0),
    percentile(refused, 0.99).toFixed(0),
    Math.max(...outcomes.map(({ ms }) => ms)).toFixed(0),
    recovered.toFixed(1),
    `${statusesOf(probes.healthz)}, ${Math.max(...probes.healthz.map(({ ms }) => ms)).toFixed(0)}`,
    statusesOf(probes.readyz),
    statusesOf(probes.poll),
    jobs,
    memory,
  ]
}

function report(
  rows: (string | number)[][],
  p99: number,
  { acknowledged, missing }: { acknowledged: number; missing: number },
): void {
  const cores = `${cpus().length} cores shared by the server, PostgreSQL, the load and others`
  const text = `${cores}; ${seconds} s a phase. The usual load is a quarter of what 16 clients that wait for their \
answers reach, whose p99 is ${p99.toFixed(0)} ms.

${table(head, rows)}

Of ${acknowledged} orders that were acknowledged ${missing} are missing.`
  console.log(text)
  if (chosen.length === 0) writeSection('Overload', text)
}
