// Each scenario in turns with its ceilings: node:http with the same bytes, pgbench with the same exchanges.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Request } from './generator.ts'
import { keyOf, keysOfStore, smallStores } from './load.ts'
import { measure, median, type Measured } from './measure.ts'
import { hasPgbench, pgbench, type PgbenchResult } from './pgbench.ts'
import { memoryMiBOf, serve } from './processes.ts'
import { replayRead, replayWrite, type Replay } from './replay.ts'
import { chosen, requestsOf, scenarios, type Ids, type Scenario } from './scenarios.ts'
import { folder, openWorld, type World } from './world.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
/** The store that is measured alone in its database, and among all others. */
const aloneStore = 5

export type Row = {
  scenario: Scenario
  ours: Measured
  bare?: Measured | undefined
  /** What one request sends to the database. */
  replay?: Replay | undefined
  /** pgbench as fast as it can. */
  sql?: PgbenchResult | undefined
  /** pgbench at our rate. */
  paced?: PgbenchResult | undefined
}
export type Compared = {
  rows: Row[]
  neighbours: { alone: Measured; full: Measured }
  memoryMiB: number
  seconds: number
  rounds: number
}

/** Without names, all of them. */
export async function compareScenarios(names: string[], data: 'full' | 'quick'): Promise<Compared> {
  const full = await openWorld(data, 4101)
  const alone = await openWorld(`${data}-alone`, 4102, aloneStore)
  try {
    const ids = await idsOf(full.url)
    // Before anything is created: afterwards the rows of page 1 are others than in the database that has one store.
    const neighbours = await compareNeighbours(alone, full)
    const wanted = chosen(scenarios, names, data === 'quick')
    const rows: Row[] = []
    for (const scenario of wanted) rows.push(await compare(scenario, full, ids))
    return { rows, neighbours, memoryMiB: memoryMiBOf(full.pid), seconds, rounds }
  } finally {
    await full.stop()
    await alone.stop()
  }
}

/** Of each store the first product without variants, and of every second store the first with variants. */
export async function idsOf(url: string): Promise<Ids> {
  const firstTwo = async (key: string): Promise<string[]> => {
    const answer = await fetch(`${url}/v1/products?search=sku-00000&sort=created_at&order=desc`, {
      headers: { 'x-api-key': key },
    })
    const { data } = (await answer.json()) as { data: { id: string; sku: string }[] }
    return ['SKU-000001', 'SKU-000002'].map((sku) => data.find((product) => product.sku === sku)!.id)
  }
  const ids: Ids = { plain: [], any: [] }
  for (let store = 1; store <= smallStores; store++) {
    const [plain, varied] = (await firstTwo(keyOf(store))) as [string, string]
    ids.plain.push(plain)
    ids.any.push(store % 2 === 0 ? varied : plain)
  }
  return ids
}

async function compare(scenario: Scenario, world: World, ids: Ids): Promise<Row> {
  const requests = requestsOf(scenario, ids)
  const bare = scenario.bare ? await bareServer(world.url, requests[0]!) : undefined
  const replay = hasPgbench() && scenario.isReplayed !== false ? await replayOf(scenario, world, ids) : undefined
  const ours: Measured[] = []
  const ceilings: Measured[] = []
  const databases: PgbenchResult[] = []
  const paced: PgbenchResult[] = []
  await measure(world, requests, 1) // prepared statements, caches, compiled code
  for (let round = 0; round < rounds; round++) {
    if (bare) ceilings.push(await measure(bare, [{ method: 'GET', path: '/' }], seconds))
    const measured = await measure(world, requestsOf(scenario, ids), seconds)
    ours.push(measured)
    if (!replay) continue
    const options = { settings: world.settings }
    const database = { url: world.database, postmaster: world.postmaster }
    databases.push(await pgbench(database, replay, seconds, options))
    paced.push(await pgbench(database, replay, seconds, { ...options, rate: measured.perSecond }))
  }
  await bare?.stop()
  console.log(`${scenario.name}: ${median(ours).perSecond.toFixed(0)}/s`)
  return {
    scenario,
    ours: median(ours),
    bare: bare && median(ceilings),
    replay,
    sql: replay && median(databases),
    paced: replay && median(paced),
  }
}

export async function bareServer(url: string, { path, headers }: Request) {
  const file = join(folder, 'body.json')
  const answer = await fetch(url + path, { headers: headers ?? {} })
  writeFileSync(file, await answer.text())
  const server = await serve('bench/bare.ts', 4103, '/', { BODY_FILE: file })
  rmSync(file)
  return server
}

function replayOf(scenario: Scenario, world: World, ids: Ids): Promise<Replay> {
  const record = (n: number) => {
    const store = scenario.isLarge ? 0 : n
    return world.exchangesOf(store, scenario.request(store, ids, 0))
  }
  const { method } = scenario.request(1, ids, 0)
  return method === 'GET' ? replayRead(record) : replayWrite(record)
}

/** The same store's list: alone in its database, and among all others. */
async function compareNeighbours(alone: World, full: World): Promise<Compared['neighbours']> {
  const requests = keysOfStore(aloneStore).map((key): Request => ({
    method: 'GET',
    path: '/v1/products',
    headers: { 'x-api-key': key },
  }))
  const results: { alone: Measured[]; full: Measured[] } = { alone: [], full: [] }
  for (let round = 0; round <= rounds; round++) {
    for (const [name, world] of Object.entries({ alone, full })) {
      const measured = await measure(world, requests, seconds)
      if (round > 0) results[name as 'alone' | 'full'].push(measured)
    }
  }
  return { alone: median(results.alone), full: median(results.full) }
}
