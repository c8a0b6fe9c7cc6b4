// node bench/large.ts: one store of 200,000 products, 200,000 orders and 100,000 customers: searches, the deepest page
// of every list of /v1, and pages of the dashboard. Prints what RESULTS.md has under "Large stores". BENCH_DATA names
// the directory of the database, ONLY a pattern of the paths, RUNS (7) how often each is asked.
import { join } from 'node:path'
import { pino } from 'pino'
import pg from 'pg'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { systemClock } from '../src/kit/values/clock.ts'
import { openDatabase } from '../src/kit/database/open.ts'
import { sql } from '../src/kit/database/sql.ts'
import { addMember, createUser } from '../src/identity/accounts/operations.ts'
import { openSession, sessionCookie } from '../src/identity/accounts/session.ts'
import { loadStore } from '../src/tenancy/stores/store.ts'
import { dayRollupJob, quarterRollupJob } from '../src/money/reports/rollup.ts'
import { routes } from '../src/developer/routes.ts'

const log = pino({ level: 'error' })

Object.assign(process.env, { BENCH_SCALE: '10', BENCH_LARGE: '200000', ...process.env })
// The modules below read the environment when they are loaded.
const { keysOfStore, load, storeId } = await import('./load.ts')
const { loadRest } = await import('./largestore.ts')
const { measuredServer, serve } = await import('./processes.ts')
const { folder } = await import('./world.ts')

const port = 4171
const dataDir = process.env.BENCH_DATA ?? join(folder, 'large')
const runs = Number(process.env.RUNS ?? 7)
const only = new RegExp(process.env.ONLY ?? '')
const postgres = await startPostgres({ dataDir })
await migrate(postgres.url)
await load(postgres.url)
await loadRest(postgres.url)
const db = openDatabase({ url: postgres.url, clock: systemClock, connections: 1 })
const server = await serve('src/program/main.ts', port, '/readyz', {
  DATABASE_URL: postgres.url,
  DATA_DIR: dataDir,
  BASE_URL: `http://127.0.0.1:${port}`,
  ...measuredServer,
  CACHE_MAX_MB: '0',
})

try {
  await sumUp()
  await lists()
  await searches()
  await pages()
} finally {
  await server.stop()
  await db.close()
  await postgres.stop()
}

type Answer = { ms: number; body: any }

/** Rollups of the loaded orders come first. */
async function sumUp(): Promise<void> {
  for (const { run } of [quarterRollupJob(log), dayRollupJob(log)]) {
    while ((await db.transaction(run))?.more);
  }
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  await client.query('vacuum analyze')
  await client.end()
}

/** The best of some runs. */
async function timed(path: string, headers: () => Record<string, string>): Promise<Answer> {
  let best: Answer = { ms: Number.POSITIVE_INFINITY, body: null }
  for (let run = 0; run < runs; run++) {
    const startedAt = performance.now()
    const answer = await fetch(server.url + path, { headers: headers(), redirect: 'manual' })
    const text = await answer.text()
    const ms = performance.now() - startedAt
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 300)}`)
    if (ms < best.ms) best = { ms, body: text.startsWith('{') ? JSON.parse(text) : null }
  }
  return best
}

function byKey(): () => Record<string, string> {
  const keys = keysOfStore(0)
  let turn = 0
  return () => ({ 'x-api-key': keys[turn++ % keys.length]! })
}

async function lists(): Promise<void> {
  const headers = byKey()
  const filters: Record<string, string[]> = {
    '/products': [
      'status=all',
      'price[gte]=100',
      'stock_status=in_stock',
      'is_featured=true',
      'category_id=CATEGORY',
      'search=a',
      'search=canvas',
    ],
    '/inventory/products': ['status=all', 'stock_status=in_stock', 'category_id=CATEGORY', 'search=canvas'],
    '/customers': [
      'total_spent[gte]=10',
      'orders_count[gte]=1',
      'has_orders=true',
      'accepts_marketing=false',
      'last_order_at[gte]=2020-01-01T00:00:00Z',
      'search=gmail',
      'search=ana',
    ],
    '/orders': [
      'status=pending,confirmed',
      'status=pending',
      'payment_status=paid',
      'fulfillment_status=unfulfilled',
      'date_from=2020-01-01',
      'total[gte]=100',
      'updated_at[gte]=2020-01-01T00:00:00Z',
      'city=Lima',
      'country_code=PE',
      'country=Peru',
      'province=P7',
      'search=gmail',
      'status=pending&payment_status=paid',
    ],
    '/payments': ['status=captured'],
    '/mails': ['status=sent', 'kind=order_confirmation'],
    '/media': ['status=ready'],
    '/discounts': ['status=active', 'search=code'],
    '/checkout-drafts': ['status=abandoned'],
    '/webhooks/{id}/deliveries': ['status=delivered'],
  }
  const ids: Record<string, string> = {}
  const first = async (path: string) => (await timed(path, headers)).body.data[0]?.id as string
  ids.CATEGORY = await first('/v1/categories')
  ids['/webhooks/{id}'] = await first('/v1/webhooks')
  const all = (routes as readonly any[]).filter(
    ({ method, list, query }) => method === 'GET' && list && query?.schema?.properties?.page,
  )
  for (const { path, query } of all) {
    if (!only.test(path)) continue
    const parent = /^(.*\})\//.exec(path)?.[1]
    if (parent && !ids[parent]) continue
    const address = `/v1${parent ? path.replace('{id}', ids[parent]) : path}`
    const sorts: string[] = query.schema.properties.sort.enum
    let worst = { ms: 0, of: '' }
    const slow: string[] = []
    let rows = 0
    const top = await timed(address, headers)
    for (const filter of ['', ...(filters[path] ?? [])]) {
      const given = filter.replace('CATEGORY', ids.CATEGORY!)
      let total = (await timed(`${address}?${given}`, headers)).body.pagination.total
      rows = Math.max(rows, total)
      if (total === 0) slow.push(`${filter}: none`)
      for (const sort of sorts) {
        for (const order of ['asc', 'desc']) {
          const last = Math.max(1, Math.ceil(total / 25))
          const { ms } = await timed(`${address}?${given}&sort=${sort}&order=${order}&page=${last}`, headers)
          const of = `${filter} ${sort} ${order}`.trim()
          if (ms > worst.ms) worst = { ms, of }
          if (ms > 40) slow.push(`${of} ${ms.toFixed(0)}`)
        }
      }
    }
    console.log(`${path} | ${rows} | ${top.ms.toFixed(1)} | ${worst.ms.toFixed(1)} | ${worst.of}`)
    if (slow.length > 0) console.log(`    ${slow.join('; ')}`)
  }
}

async function searches(): Promise<void> {
  const headers = byKey()
  const [row] = await db.rows<{ email: string; phone: string; name: string }>(sql`
    select name, email, phone from customers where store_id = ${storeId(0)} order by id limit 1 offset 77777`)
  const { email, phone, name } = row!
  const words: Record<string, string[]> = {
    '/products': ['backpack 1999', 'SKU-123456', 'nowhere', 'bottle'],
    '/inventory/products': ['backpack 1999', 'SKU-123456', 'nowhere', 'bottle'],
    '/orders': [name, email, phone.slice(4), '#54321', '54321', 'nowhere', 'ana', 'gmail'],
    '/customers': [name, email, phone.slice(4), phone.slice(-6), 'nowhere', 'ana', 'gmail'],
  }
  for (const [path, terms] of Object.entries(words)) {
    if (!only.test(path)) continue
    for (const term of terms) {
      const { ms, body } = await timed(`/v1${path}?search=${encodeURIComponent(term)}`, headers)
      console.log(`${path} search ${term} | ${body.pagination.total} | ${ms.toFixed(1)}`)
    }
  }
}

async function pages(): Promise<void> {
  const address = `${Math.random()}@example.com`
  const userId = await db.transaction(async (tx) => {
    const id = await createUser(tx, { email: address, password: 'correct horse battery', name: 'Ana' })
    await addMember(tx, (await loadStore(tx, storeId(0)))!, id, 'owner')
    return id
  })
  const how = { ip: '10.0.0.1', userAgent: 'bench', how: 'password' } as const
  const value = await db.transaction((tx) => openSession(tx, userId, how))
  const headers = () => ({ cookie: `${sessionCookie(server.url)}=${value}`, accept: 'text/html' })
  const periods = ['today', 'days_7', 'days_30', 'days_90', 'weeks_52', 'last_month', 'this_year']
  const reports = ['product', 'category', 'discount', 'country', 'payment_method', 'tax']
  const paths = [
    ...periods.map((period) => `?period=${period}`),
    ...reports.flatMap((by) => periods.map((period) => `/reports?by=${by}&period=${period}`)),
    '/products',
    '/products?page=8000',
    '/inventory',
    '/inventory?page=300',
    '/orders',
    '/orders?page=8000',
    '/orders?status=pending&payment_status=paid',
    '/customers',
    '/customers?page=4000',
  ]
  for (const path of paths) {
    if (!only.test(path)) continue
    const { ms } = await timed(`/dashboard/${storeId(0)}${path}`, headers)
    console.log(`dashboard ${path} | ${ms.toFixed(1)}`)
  }
}
