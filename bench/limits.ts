// Each route beside its limit, in turns in one run: a read beside node:http that answers the same bytes, a write beside
// the least transaction that stores the same rows, sent by pgbench in one pipeline to tables with the same columns and
// indexes, but without triggers and foreign keys.
import pg from 'pg'
import { bareServer, idsOf } from './compare.ts'
import { storeId, smallStores } from './load.ts'
import { measure, median, type Measured } from './measure.ts'
import { hasPgbench, pgbench, type PgbenchResult } from './pgbench.ts'
import type { Replay } from './replay.ts'
import { table } from './report.ts'
import { chosen, requestsOf, scenarios, type Scenario } from './scenarios.ts'
import { openWorld, type World } from './world.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 2)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)

/** The statements of the least transaction, each time in another store. */
const leastWrites: Record<string, (insert: Insert) => string[]> = {
  'create product': (insert) => [insert('products', { slug: `'least-' || :r` }), insert('events')],
  'create order': (insert) => [
    insert('orders', { order_number: ':r' }),
    insert('order_items'),
    takeStock(1),
    insert('inventory_transactions'),
    insert('events'),
  ],
  'update product': (insert) => [
    `update least.products set price = 1 + :r % 100, description = 'Changed ' || :r, updated_at = now() ${ofProduct}`,
    insert('events'),
  ],
  'adjust inventory': (insert) => [takeStock(-1), insert('inventory_transactions'), insert('events')],
}
const tables = ['products', 'orders', 'order_items', 'inventory_transactions', 'events']

/** An insert of the newest row again, with other values in some columns. */
type Insert = (table: string, values?: Record<string, string>) => string
const store = `('BE-' || lpad(:store::text, 8, '0'))`
/** The product of the store that is sold and changed. */
const product = `lpad(to_hex(:store::int), 32, '0')::uuid`
const ofProduct = `where store_id = ${store} and id = ${product}`
const takeStock = (quantity: number) =>
  `update least.products set stock_quantity = stock_quantity - ${quantity}, updated_at = now() ${ofProduct}`

type Limited = { scenario: Scenario; ours: Measured; http?: Measured | undefined; least?: PgbenchResult | undefined }

/** Without names, all reads and writes that have a limit. */
export async function compareLimits(names: string[], data: 'full' | 'quick'): Promise<string> {
  if (!hasPgbench()) throw new Error('pgbench is missing: install postgresql-contrib')
  const world = await openWorld(data, 4101)
  try {
    const ids = await idsOf(world.url)
    const rows: Limited[] = []
    for (const scenario of chosen(scenarios, names, false)) {
      if (scenario.bare || leastWrites[scenario.name]) rows.push(await compareLimit(scenario, world, ids))
    }
    return buildReport(rows)
  } finally {
    await dropLeast(world)
    await world.stop()
  }
}

async function compareLimit(
  scenario: Scenario,
  world: World,
  ids: Awaited<ReturnType<typeof idsOf>>,
): Promise<Limited> {
  const requests = requestsOf(scenario, ids)
  await measure(world, requests, 1) // prepared statements, compiled code, and the rows to copy
  const replay = leastWrites[scenario.name] ? await buildLeast(scenario.name, world) : undefined
  const http = replay ? undefined : await bareServer(world.url, requests[0]!)
  const ours: Measured[] = []
  const limits: { http: Measured[]; least: PgbenchResult[] } = { http: [], least: [] }
  for (let round = 0; round < rounds; round++) {
    ours.push(await measure(world, requestsOf(scenario, ids), seconds))
    if (http) limits.http.push(await measure(http, [{ method: 'GET', path: '/' }], seconds))
    if (replay) {
      const target = { url: world.database, postmaster: world.postmaster }
      limits.least.push(await pgbench(target, replay, seconds, { clients: 16 }))
    }
  }
  await http?.stop()
  console.log(`${scenario.name}: ${median(ours).perSecond.toFixed(0)}/s`)
  return { scenario, ours: median(ours), http: http && median(limits.http), least: replay && median(limits.least) }
}

async function buildLeast(name: string, world: World): Promise<Replay> {
  const client = new pg.Client({ connectionString: world.database })
  await client.connect()
  try {
    await copyTables(client)
    const inserts: Record<string, Insert> = {}
    for (const table of tables) inserts[table] = await readInsert(client, table)
    const statements = leastWrites[name]!((table, values) => inserts[table]!(table, values))
    const lines = ['begin', ...statements, 'commit'].map((one) => `${one};`)
    const sets = [`\\set store random(1, ${stores})`, '\\set r random(1, 2000000000)']
    const script = [...sets, '\\startpipeline', ...lines, '\\endpipeline', ''].join('\n')
    return { script, variables: {}, choices: [], statements: statements.length, exchanges: 1 }
  } finally {
    await client.end()
  }
}

const stores = Math.min(50, smallStores)

/** The rows of some stores, in tables of the same columns and indexes. */
async function copyTables(client: pg.Client): Promise<void> {
  await client.query('drop schema if exists least cascade')
  await client.query('create schema least')
  for (const table of tables) {
    await client.query(`create table least.${table} (like public.${table} including all)`)
    const columns = (await listColumns(client, table)).join(', ')
    await client.query(`
      insert into least.${table} (${columns})
      select ${columns} from public.${table} where store_id between '${storeId(1)}' and '${storeId(stores)}'`)
  }
  await client.query(`
    update least.products
    set id = lpad(to_hex(right(store_id, 8)::int), 32, '0')::uuid
    from (
      select distinct on (store_id) store_id as store, id as first
      from least.products
      where variant_count = 0
    ) as chosen
    where store_id = store
      and id = first`)
  await client.query('analyze')
}

async function readInsert(client: pg.Client, table: string): Promise<Insert> {
  const columns = await listColumns(client, table)
  const { rows } = await client.query<string[]>({
    text: `
      select ${columns.map((column) => `quote_nullable(${column}::text)`).join(', ')}
      from public.${table}
      order by id desc
      limit 1`,
    rowMode: 'array',
  })
  return (name, values = {}) => {
    const made: Record<string, string> = { store_id: store, id: 'uuidv7()', ...values }
    const cells = columns.map((column, index) => made[column] ?? escapeColons(rows[0]![index]!))
    return `insert into least.${name} (${columns.join(', ')}) values (${cells.join(', ')})`
  }
}

/** A colon in a literal would be a variable of pgbench. */
function escapeColons(literal: string): string {
  if (!literal.includes(':')) return literal
  return `${literal.startsWith('E') ? '' : 'E'}${literal.replaceAll(':', '\\x3a')}`
}

/** Those that are written. */
async function listColumns(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `
    select quote_ident(attname) as name
    from pg_attribute
    where attrelid = $1::regclass
      and attnum > 0
      and not attisdropped
      and attgenerated = ''
    order by attnum`,
    [`public.${table}`],
  )
  return rows.map(({ name }) => name)
}

async function dropLeast(world: World): Promise<void> {
  const client = new pg.Client({ connectionString: world.database })
  await client.connect()
  await client.query('drop schema if exists least cascade')
  await client.end()
}

function buildReport(rows: Limited[]): string {
  const header = [
    '',
    'requests/s',
    'Node µs',
    'PostgreSQL µs',
    'limit/s',
    'limit µs',
    'CPU ÷ limit',
    'PostgreSQL ÷ limit',
  ]
  return `Reads beside node:http with the same bytes; writes beside the least transaction by pgbench, pipelined over 16
connections, on the same columns and indexes without triggers and foreign keys. ${rounds} rounds of ${seconds} s in
turns, medians.

${table(header, rows.map(formatRow))}`
}

function formatRow({ scenario, ours, http, least }: Limited): string[] {
  const limitMicroseconds = http?.nodeMicroseconds ?? least!.cpuMicroseconds
  const whole = ours.nodeMicroseconds + ours.postgresMicroseconds
  return [
    scenario.name,
    ours.perSecond.toFixed(0),
    ours.nodeMicroseconds.toFixed(0),
    ours.postgresMicroseconds.toFixed(0),
    (http ?? least!).perSecond.toFixed(0),
    limitMicroseconds.toFixed(0),
    (whole / limitMicroseconds).toFixed(1),
    least ? (ours.postgresMicroseconds / limitMicroseconds).toFixed(1) : '–',
  ]
}
