// node bench/ucp.ts: what reading the catalog by UCP costs beside the storefront API, for the same product and the same
// list, in turns. Results in bench/RESULTS.md, "Shoppers' agents". BENCH_SECONDS (3) and BENCH_ROUNDS (5).
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/kit/values/clock.ts'
import { openDatabase } from '../src/kit/database/open.ts'
import { createKey } from '../src/identity/apikeys/operations.ts'
import { scopes } from '../src/identity/apikeys/scopes.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { createStore } from '../src/tenancy/stores/operations.ts'
import { loadStore } from '../src/tenancy/stores/store.ts'
import { postmasterOf } from '../test/postmaster.ts'
import { receiver } from '../test/receiver.ts'
import { platformProfile } from '../test/ucp.ts'
import { capabilityNames, newest } from '../src/extensions/ucp/releases.ts'
import { measure, type Measured, type Request } from './measure.ts'
import { measuredServer, serve } from './processes.ts'
import { writeSection } from './results.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const port = 4133
const products = 200

const dataDir = await mkdtemp(join(tmpdir(), 'stoa-bench-'))
const postgres = await startPostgres({ dataDir })
await migrate(postgres.url)
const postmaster = (await postmasterOf(dataDir))!
const agents = await receiver({ answer: () => ({ body: JSON.stringify(platformProfile(newest, capabilityNames)) }) })
await writeFile(join(dataDir, 'ca.pem'), agents.ca)
const server = await serve('src/program/main.ts', port, '/readyz', {
  ...measuredServer,
  DATABASE_URL: postgres.url,
  DATA_DIR: dataDir,
  BASE_URL: `http://127.0.0.1:${port}`,
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  NODE_EXTRA_CA_CERTS: join(dataDir, 'ca.pem'),
  // What an answer from memory costs is measured by bench/memory.ts.
  CACHE_MAX_MB: '0',
})

type Sent = Pick<Request, 'method' | 'path'> & { body?: object }
type Compared = { name: string; storefront: Sent; ucp: Sent }

try {
  const rows: { name: string; storefront: Measured; ucp: Measured }[] = []
  for (const { name, ...sides } of await comparisons()) {
    rows.push({ name, ...(await inTurns(sides)) })
    console.log(name, ratioOf(rows.at(-1)!).toFixed(2))
  }
  report(rows)
} finally {
  await server.stop()
  await agents.close()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

/** The same product and the same ten products, by REST and MCP. */
async function comparisons(): Promise<Compared[]> {
  const { slug, mug, shirt } = await seed()
  const api = `/storefront/${slug}/products`
  const get = (path: string): Sent => ({ method: 'GET', path })
  const post = (path: string, body: object): Sent => ({ method: 'POST', path: `/ucp${path}`, body })
  const tool = (name: string, catalog: object) =>
    post('/mcp', {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: { meta: { 'ucp-agent': { profile: agents.url } }, catalog } },
    })
  const list = get(`${api}?words=product&per_page=10`)
  return [
    { name: 'get_product', storefront: get(`${api}/${mug}`), ucp: post('/catalog/product', { id: mug }) },
    {
      name: 'get_product, 16 variants',
      storefront: get(`${api}/${shirt}`),
      ucp: post('/catalog/product', { id: shirt }),
    },
    { name: 'search_catalog, 10 products', storefront: list, ucp: post('/catalog/search', { query: 'product' }) },
    { name: 'get_product by MCP', storefront: get(`${api}/${mug}`), ucp: tool('get_product', { id: mug }) },
    { name: 'search_catalog by MCP', storefront: list, ucp: tool('search_catalog', { query: 'product' }) },
  ]
}

async function seed(): Promise<{ slug: string; mug: string; shirt: string }> {
  const db = openDatabase({ url: postgres.url, clock: systemClock, connections: 1 })
  const { slug, key } = await db.transaction(async (tx) => {
    const id = await createStore(tx, { name: 'Casa Nogal', currency: 'USD', country_code: 'US', timezone: 'UTC' })
    const store = (await loadStore(tx, id))!
    const wanted = { name: 'bench', scopes: [...scopes], expires_at: null, is_active: true }
    const made = await createKey(tx, store, { ...wanted, mode: 'live' })
    return { slug: store.slug, key: made.key }
  })
  await db.close()
  const create = async (path: string, body: object): Promise<string> => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
    return ((await answer.json()) as { data: { id: string } }).data.id
  }
  const description = 'Waxed canvas. '.repeat(20)
  const ids: string[] = []
  for (let n = 0; n < products; n++) {
    const main_image = `https://images.example/${n}.jpg`
    ids.push(await create('/products', { name: `Product ${n}`, price: 10 + n, sku: `P-${n}`, main_image, description }))
  }
  const variants = ['Ink', 'Sand', 'Moss', 'Rust'].flatMap((color) =>
    ['S', 'M', 'L', 'XL'].map((size) => ({
      option_values: [
        { option_title: 'Color', value: color },
        { option_title: 'Size', value: size },
      ],
    })),
  )
  const shirt = await create('/products', { name: 'Shirt', price: 32, description, variants })
  for (const code of ['standard', 'express', 'pickup']) await create('/store/shipping-rates', { code, price: 5 })
  for (const code of ['cod', 'card']) await create('/store/payment-methods', { code })
  return { slug, mug: ids[3]!, shirt }
}

async function inTurns({ storefront, ucp }: Omit<Compared, 'name'>): Promise<{ storefront: Measured; ucp: Measured }> {
  const target = { ...server, postmaster }
  const sides = { storefront: requestsOf(storefront), ucp: requestsOf(ucp) }
  for (const requests of Object.values(sides)) await measure(target, requests, 1) // compiled code, prepared statements
  const found: { storefront: Measured; ucp: Measured }[] = []
  for (let round = 0; round < rounds; round++) {
    found.push({
      storefront: await measure(target, sides.storefront, seconds),
      ucp: await measure(target, sides.ucp, seconds),
    })
  }
  return found.toSorted((a, b) => ratioOf(a) - ratioOf(b))[Math.floor(rounds / 2)]!
}

/** From 250 addresses: each has a quota of its own. */
function requestsOf({ method, path, body }: Sent): Request[] {
  return Array.from({ length: 250 }, (_, n): Request => ({
    method,
    path,
    headers: {
      'x-forwarded-for': `10.${Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}.${n}`,
      ...(body ? { 'content-type': 'application/json', 'ucp-agent': `profile="${agents.url}"` } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }))
}

function cpuOf({ nodeMicroseconds, postgresMicroseconds }: Measured): number {
  return nodeMicroseconds + postgresMicroseconds
}

function ratioOf({ storefront, ucp }: { storefront: Measured; ucp: Measured }): number {
  return cpuOf(ucp) / cpuOf(storefront)
}

function report(rows: readonly { name: string; storefront: Measured; ucp: Measured }[]): void {
  const header = [
    'operation',
    'ratio',
    'UCP Node µs',
    'UCP PostgreSQL µs',
    'API Node µs',
    'API PostgreSQL µs',
    'failed',
  ]
  const lines = rows.map(({ name, storefront, ucp }) => [
    name,
    ratioOf({ storefront, ucp }).toFixed(2),
    ...[ucp, storefront].flatMap((side) => [side.nodeMicroseconds.toFixed(0), side.postgresMicroseconds.toFixed(0)]),
    storefront.failed + ucp.failed,
  ])
  const table = [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  const conditions = [
    `${cpus().length} cores shared by the server, PostgreSQL and the load; Node ${process.version}, 16 connections,`,
    `${rounds} rounds of ${seconds} s in turns, the round with the ratio in the middle. CPU time of a whole request of`,
    'UCP against the same product or the same ten products by the storefront API; nothing is answered from memory.',
  ]
  writeSection("Shoppers' agents", `${conditions.join(' ')}\n\n${table}`)
  console.log(table)
}
