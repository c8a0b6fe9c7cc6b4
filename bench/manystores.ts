// node bench/manystores.ts: the CPU of a request for one store among STORES (10,000), and alone in its database, with
// the same rows of that store and in turns. Results in RESULTS.md, "Many stores". BENCH_ROWS (100) is the number of
// products and orders of each store. BENCH_SECONDS (3) and BENCH_ROUNDS (9) change what it takes; WARM_SECONDS (60) is
// how long both servers are left alone after the start. BENCH_DATA names the directory of the databases, which stay.
import { mkdirSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { postmasterOf } from '../test/postmaster.ts'
import type { Request } from './generator.ts'
import type { Measurable, Measured } from './measure.ts'
import type { Ids, Scenario } from './scenarios.ts'

const stores = Number(process.env.STORES ?? 10_000)
Object.assign(process.env, { BENCH_ROWS: '100', BENCH_LARGE: '1000', ...process.env, BENCH_STORES: String(stores) })
// The modules below read the environment when they are loaded.
const { keyOf, keysOfStore, load, ordersPerStore } = await import('./load.ts')
const { measure } = await import('./measure.ts')
const { cpuOf, cpuOfPostgres, measuredServer, serve } = await import('./processes.ts')
const { table } = await import('./report.ts')
const { writeSection } = await import('./results.ts')
const { scenarios } = await import('./scenarios.ts')
const { folder } = await import('./world.ts')

const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const rounds = Number(process.env.BENCH_ROUNDS ?? 9)
const warmSeconds = Number(process.env.WARM_SECONDS ?? 60)
const data = process.env.BENCH_DATA ?? join(folder, `manystores-${stores}`)
const measured = 5
const names = ['list products', 'get product', 'list orders, filtered', 'create product', 'create order', 'home page']

type Side = Measurable & { postmaster: number; stop(): Promise<void> }

const alone = await openSide('alone', 4195, measured)
const among = await openSide('among', 4196)
try {
  // Autovacuum and jobs have seen what was loaded.
  await sleep(warmSeconds * 1000)
  const idle = await Promise.all([alone, among].map((side) => idleOf(side)))
  const lines: string[][] = []
  for (const name of names) lines.push(await lineOf(scenarios.find((scenario) => scenario.name === name)!))
  const text = `${stores.toLocaleString('en')} stores × ${ordersPerStore} products and orders, one of them asked; \
${os.availableParallelism()} cores (load ${os.loadavg()[0]!.toFixed(1)}), ${rounds} rounds of ${seconds} s in turns, \
medians. CPU of Node and PostgreSQL in µs a request. At rest: \
${idle.map((share) => share.toFixed(4)).join(' and ')} of a core.

${table(['', 'alone', 'among all', 'ratio', 'spread'], lines)}`
  console.log(text)
  writeSection('Many stores', text)
} finally {
  await alone.stop()
  await among.stop()
}

async function openSide(name: string, port: number, only?: number): Promise<Side> {
  const dataDir = join(data, name)
  mkdirSync(dataDir, { recursive: true })
  const postgres = await startPostgres({ dataDir })
  await migrate(postgres.url)
  const took = await load(postgres.url, only === undefined ? {} : { only })
  if (took > 0) console.log(`${name}: loaded in ${took.toFixed(0)} s`)
  const server = await serve('src/program/main.ts', port, '/readyz', {
    DATABASE_URL: postgres.url,
    DATA_DIR: dataDir,
    ...measuredServer,
    CACHE_MAX_MB: '0',
  })
  const stop = async () => {
    await server.stop()
    await postgres.stop()
  }
  return { url: server.url, pid: server.pid, postmaster: (await postmasterOf(dataDir))!, stop }
}

/** The part of a core that jobs take. */
async function idleOf({ pid, postmaster }: Side): Promise<number> {
  const cpu = () => cpuOf(pid) + cpuOfPostgres(postmaster!)
  const before = cpu()
  await sleep(20_000)
  return (cpu() - before) / 20e6
}

async function lineOf(scenario: Scenario): Promise<string[]> {
  const sides = { alone, among }
  const asked = { alone: await requestsFor(scenario, alone), among: await requestsFor(scenario, among) }
  const costs: Record<keyof typeof sides, number[]> = { alone: [], among: [] }
  for (let round = 0; round <= rounds; round++) {
    const turns = ['alone', 'among'] as const
    for (const name of round % 2 === 0 ? turns : turns.toReversed()) {
      const result = await measure(sides[name], asked[name], seconds)
      if (result.failed > 0) throw new Error(`${scenario.name}: ${result.failed} of ${result.count} failed`)
      // The first makes statements known.
      if (round > 0) costs[name].push(cpuOfRequest(result))
    }
  }
  const ratios = costs.among.map((cost, round) => cost / costs.alone[round]!).toSorted((a, b) => a - b)
  const [ofAlone, ofAmong, ratio] = [costs.alone, costs.among, ratios].map(middle)
  const spread = `${ratios[0]!.toFixed(2)} to ${ratios.at(-1)!.toFixed(2)}`
  console.log(`${scenario.name}: ${ratio!.toFixed(2)}`)
  return [scenario.name, ofAlone!.toFixed(0), ofAmong!.toFixed(0), `**${ratio!.toFixed(2)}**`, spread]
}

function cpuOfRequest({ nodeMicroseconds, postgresMicroseconds }: Measured): number {
  return nodeMicroseconds + postgresMicroseconds
}

function middle(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}

/** Each of the store's keys has a quota of its own, and each visitor an address. */
async function requestsFor(scenario: Scenario, { url }: Side): Promise<Request[]> {
  const headers = { 'x-api-key': keyOf(measured) }
  const { data: found } = (await (await fetch(`${url}/v1/products?limit=100`, { headers })).json()) as {
    data: { id: string; variants: unknown[] }[]
  }
  const plain = found.find(({ variants }) => variants.length === 0)!.id
  const ids: Ids = { plain: Array(measured).fill(plain), any: Array(measured).fill(found[0]!.id) }
  return keysOfStore(measured).map((key, index) => {
    const request = scenario.request(measured, ids, index % 250)
    return request.headers?.['x-api-key'] ? { ...request, headers: { ...request.headers, 'x-api-key': key } } : request
  })
}
