// npm run bench [-- name …]: every scenario beside its ceilings, in turns, in one run. Results in bench/RESULTS.md.
// BENCH_SECONDS (3) and BENCH_ROUNDS (3) change how long it takes.
import { rmSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/kit/values/clock.ts'
import { openDatabase } from '../src/kit/database/open.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { postmasterOf } from '../test/postmaster.ts'
import { keyOf, keysOfStore, load, smallStores } from './load.ts'
import { measure, median, type Measured } from './measure.ts'
import { hasPgbench, pgbench, type PgbenchResult } from './pgbench.ts'
import { memoryMiBOf, serve } from './processes.ts'
import { replay, type Replay } from './replay.ts'
import { writeSection } from './results.ts'
import { scenarios, type Ids, type Scenario } from './scenarios.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const folder = new URL('.data/', import.meta.url).pathname
/** The store that is measured alone in its database, and among all others. */
const aloneStore = 5

type Target = { url: string; pid: number; postmaster: number; database: string }
type Row = {
  scenario: Scenario
  ours: Measured
  bare?: Measured | undefined
  /** pgbench as fast as it can. */
  sql?: PgbenchResult | undefined
  /** pgbench at our rate. */
  paced?: PgbenchResult | undefined
}

const full = await open('full', 4101)
const alone = await open('alone', 4102, aloneStore)
const ids = await idsOf(full.target.url)
const recorded = openDatabase({ url: full.target.database, clock: systemClock })
const chosen = process.argv.slice(2)

const rows: Row[] = []
for (const scenario of scenarios) {
  if (chosen.length === 0 || chosen.includes(scenario.name)) rows.push(await compare(scenario, full.target))
}
const neighbours = await compareNeighbours()
const memory = memoryMiBOf(full.target.pid)
const report = reportOf()
console.log(report)
if (chosen.length === 0) writeSection('REST API', report)
await recorded.close()
await full.stop()
await alone.stop()

async function open(name: string, port: number, only?: number) {
  const postgres = await upToDate(join(folder, name))
  const took = await load(postgres.url, only === undefined ? {} : { only })
  if (took > 0) console.log(`${name}: loaded in ${took.toFixed(0)} s`)
  const environment = { DATABASE_URL: postgres.url, LOG_LEVEL: 'error', DEMO: 'off' }
  const server = await serve('src/main.ts', port, '/readyz', environment)
  const postmaster = (await postmasterOf(join(folder, name)))!
  return {
    target: { url: server.url, pid: server.pid, postmaster, database: postgres.url } satisfies Target,
    async stop() {
      await server.stop()
      await postgres.stop()
    },
  }
}

/** Data that was loaded before a migration changed is made again. */
async function upToDate(dataDir: string) {
  const postgres = await startPostgres({ dataDir })
  try {
    await migrate(postgres.url)
    return postgres
  } catch (error) {
    await postgres.stop()
    if (!/was changed after/.test((error as Error).message)) throw error
    rmSync(dataDir, { recursive: true })
    return upToDate(dataDir)
  }
}

async function idsOf(url: string): Promise<Ids> {
  const first = async (key: string): Promise<string> => {
    const answer = await fetch(`${url}/v1/products?per_page=1`, { headers: { 'x-api-key': key } })
    return ((await answer.json()) as { data: { id: string }[] }).data[0]!.id
  }
  const products: string[] = []
  for (let n = 1; n <= smallStores; n++) products.push(await first(keyOf(n)))
  return { products, large: await first(keyOf(0)) }
}

async function compare(scenario: Scenario, target: Target): Promise<Row> {
  const requests = scenario.requests(ids)
  const bare = scenario.bare ? await bareServer(target.url, requests[0]!) : undefined
  const same = await replayOf(scenario)
  const ours: Measured[] = [],
    ceilings: Measured[] = [],
    databases: PgbenchResult[] = [],
    paced: PgbenchResult[] = []
  await measure(target, requests, 1) // prepared statements, caches, compiled code
  for (let round = 0; round < rounds; round++) {
    if (bare) ceilings.push(await measure(bare, [{ method: 'GET', path: '/' }], seconds))
    const measured = await measure(target, requests, seconds)
    ours.push(measured)
    if (!same) continue
    const options = { variables: same.variables, likeServer: true }
    const database = { ...target, url: target.database }
    databases.push(await pgbench(database, same.scripts, seconds, options))
    paced.push(await pgbench(database, same.scripts, seconds, { ...options, rate: measured.perSecond }))
  }
  await bare?.stop()
  console.log(`${scenario.name}: ${median(ours).perSecond.toFixed(0)}/s`)
  return {
    scenario,
    ours: median(ours),
    bare: bare && median(ceilings),
    sql: same && median(databases),
    paced: same && median(paced),
  }
}

async function bareServer(url: string, { path, headers }: { path: string; headers?: Record<string, string> }) {
  const file = join(folder, 'body.json')
  const answer = await fetch(url + path, { headers: headers ?? {} })
  writeFileSync(file, await answer.text())
  return serve('bench/bare.ts', 4103, '/', { BODY_FILE: file })
}

/** Every store in turn, as the requests go, so that pgbench meets the same cold and warm pages. */
async function replayOf({ read, sql }: Scenario): Promise<Replay | undefined> {
  if (!hasPgbench()) return undefined
  if (read) return replay(recorded, (db, n) => read(db, n, ids))
  return sql && { scripts: Array.from({ length: 50 }, (_, index) => sql(index * 20 + 1, ids)), variables: {} }
}

/** The same store's list: alone in its database, and among 1,000 others. */
async function compareNeighbours(): Promise<{ alone: Measured; full: Measured }> {
  const requests = keysOfStore(aloneStore).map((key) => ({
    method: 'GET' as const,
    path: '/v1/products',
    headers: { 'x-api-key': key },
  }))
  const results: { alone: Measured[]; full: Measured[] } = { alone: [], full: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { target }] of Object.entries({ alone, full })) {
      const measured = await measure(target, requests, seconds)
      if (round > 0) results[name as 'alone' | 'full'].push(measured)
    }
  }
  return { alone: median(results.alone), full: median(results.full) }
}

function reportOf(): string {
  const ratio = (a: number | undefined, b: number | undefined) => (a && b ? (a / b).toFixed(a / b < 0.1 ? 3 : 2) : '–')
  const line = ({ scenario, ours, bare, sql, paced }: Row) => [
    scenario.name,
    ours.perSecond.toFixed(0),
    ours.p50,
    ours.p99,
    ours.nodeMicroseconds.toFixed(0),
    ours.postgresMicroseconds.toFixed(0),
    ratio(ours.perSecond, bare?.perSecond),
    ratio(ours.perSecond, sql?.perSecond),
    ratio(ours.postgresMicroseconds, sql?.cpuMicroseconds),
    ratio(ours.postgresMicroseconds, paced?.cpuMicroseconds),
    ours.failed,
  ]
  const header = [
    'scenario',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'Node µs',
    'PostgreSQL µs',
    '÷ bare node:http',
    '÷ pgbench',
    'database CPU ÷ pgbench',
    'the same at our rate',
    'failed',
  ]
  const lines = [header, header.map(() => '---'), ...rows.map(line)]
  const table = lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  const besideOthers = ratio(neighbours.alone.perSecond, neighbours.full.perSecond)
  return `${cpus().length} cores shared by the server, PostgreSQL and the load; Node ${process.version}, \
16 connections, ${rounds} rounds of
${seconds} s, medians. 1,000 stores × 1,000 products, one of 200,000; 1,000,000 orders. \
The ratios are of requests a second
(more is better), but for the database's CPU time a request beside pgbench with the same SQL (less is better): pgbench
as fast as it can, where a connection never waits, and at the rate of our requests, where it wakes for each as ours do.

${table}

- The list of one store among 1,001 takes ${besideOthers} times what it takes alone in the database.
- Page 4,000 takes ${pageRatio()} times page 1.
- Memory of the server afterwards: ${memory} MiB.`
}

function pageRatio(): string {
  const of = (name: string) => rows.find(({ scenario }) => scenario.name === name)?.ours.perSecond
  const [first, deep] = [of('page 1 of 200,000'), of('page 4,000 of 200,000')]
  return first && deep ? (first / deep).toFixed(1) : '–'
}
