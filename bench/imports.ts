// node bench/imports.ts: how long the import of a Shopify export of PRODUCTS (10,000) products with three variants each
// takes beside the mix of bench/mix, and how long the requests of that mix take meanwhile and without it. Results in
// RESULTS.md, "Imports". RATE (20 acts a second) and ROUNDS (3) change what it takes.
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { postmasterOf } from '../test/postmaster.ts'
import type { Outcome } from './mix/load.ts'

Object.assign(process.env, { BENCH_STORES: '20', BENCH_ROWS: '1000', BENCH_LARGE: '1000' })
// The modules below read the environment when they are loaded.
const { load } = await import('./load.ts')
const { startLoad, percentile, statusesOf } = await import('./mix/load.ts')
const { residentMb } = await import('./mix/memory.ts')
const { openShops } = await import('./mix/shops.ts')
const { cpuOf, cpuOfPostgres, measuredServer, serve } = await import('./processes.ts')
const { table } = await import('./report.ts')
const { writeSection } = await import('./results.ts')
const { folder, startReceiver } = await import('./world.ts')

const products = Number(process.env.PRODUCTS ?? 10_000)
const actsPerSecond = Number(process.env.RATE ?? 20)
const rounds = Number(process.env.ROUNDS ?? 3)
const aloneSeconds = 20

type Phase = { seconds: number; outcomes: Outcome[]; peakMb: number; cpuSeconds: { node: number; postgres: number } }

const dataDir = join(folder, 'imports')
mkdirSync(dataDir, { recursive: true })
const postgres = await startPostgres({ dataDir })
await migrate(postgres.url)
await load(postgres.url)
const postmaster = (await postmasterOf(dataDir))!
const receiver = await startReceiver()
const server = await serve('src/program/main.ts', 4193, '/readyz', {
  DATABASE_URL: postgres.url,
  DATA_DIR: dataDir,
  ...measuredServer,
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  NODE_EXTRA_CA_CERTS: receiver.ca,
})
try {
  const places = { database: postgres.url, server: server.url, receiver: receiver.url }
  const shops = await openShops(places, 3, 10)
  const movers = await openShops(places, rounds, 1)
  const mix = startLoad({ url: server.url, shops, actsPerSecond, connections: 32 })
  const file = join(dataDir, 'products_export.csv')
  writeFileSync(file, exportOf(products))
  const phases: Record<'alone' | 'preview' | 'import', Phase[]> = { alone: [], preview: [], import: [] }
  const phase = (work: () => Promise<unknown>) => phaseOf(mix.counted.outcomes, work)
  // Statements and caches become known.
  await sleep(aloneSeconds * 1000)
  for (const { keys } of movers) {
    const api = apiOf(keys[0]!)
    phases.alone.push(await phase(() => sleep(aloneSeconds * 1000)))
    let id = ''
    phases.preview.push(
      await phase(async () => {
        id = await api.upload(file)
        await api.until(id, 'ready')
      }),
    )
    phases.import.push(
      await phase(async () => {
        await api.post(`/imports/${id}/start`)
        const done = await api.until(id, 'completed')
        if (done.rows_created !== products * 3) throw new Error(JSON.stringify(done))
      }),
    )
  }
  const { faults } = await mix.end()
  for (const [text, count] of faults) console.log(`${count} × ${text}`)
  report(phases)
} finally {
  await server.stop()
  receiver.child.disconnect()
  await postgres.stop()
}

/** As Shopify's admin exports it: the first row of a product has its own fields, each row a variant. */
function exportOf(count: number): string {
  const head = [
    'Handle,Title,Body (HTML),Vendor,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value',
    'Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Price',
    'Variant Compare At Price,Variant Barcode,SEO Title,SEO Description,Status',
  ]
  const lines = Array.from({ length: count }, (_, n) =>
    ['S', 'M', 'L'].map((size, place) => {
      const own = [
        `Linen shirt ${n}`,
        `"<p>Made of <strong>linen</strong>, number ${n}.</p><ul><li>Soft</li><li>Light</li></ul>"`,
        'Stoa',
        `Type ${n % 20}`,
        `"summer, tag ${n % 50}"`,
        'true',
      ]
      const ofRow = place === 0 ? own : own.map(() => '')
      const options = ['Size', size, 'Color', ['Blue', 'Green', 'Sand'][n % 3]]
      const stock = ['shopify', (n * 7 + place) % 40, 'deny', `${10 + (n % 90)}.50`, '', '']
      const seo = place === 0 ? [`Linen shirt ${n}`, 'A shirt for warm days', 'active'] : ['', '', '']
      return [`linen-shirt-${n}`, ...ofRow, ...options, `LS-${n}-${size}`, 220, ...stock, ...seo].join(',')
    }),
  )
  return [head.join(','), ...lines.flat()].join('\n')
}

function apiOf(key: string) {
  const ask = async (method: string, path: string): Promise<any> => {
    const answer = await fetch(`${server.url}/v1${path}`, { method, headers: { 'x-api-key': key } })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text).data
  }
  return {
    post: (path: string) => ask('POST', path),
    /** By a process of its own: what measures must not be busy itself. */
    async upload(path: string): Promise<string> {
      const form = ['-F', 'kind=products', '-F', `file=@${path}`]
      const sent = ['-sS', '-H', `x-api-key: ${key}`, ...form, `${server.url}/v1/imports`]
      const { stdout } = await promisify(execFile)('curl', sent)
      return JSON.parse(stdout).data.id
    },
    async until(id: string, status: string): Promise<any> {
      for (;;) {
        const one = await ask('GET', `/imports/${id}`)
        if (one.status === status) return one
        if (one.status === 'failed') throw new Error(one.error)
        await sleep(250)
      }
    },
  }
}

/** The requests that ended meanwhile, and the most memory that the server had. */
async function phaseOf(outcomes: Outcome[], work: () => Promise<unknown>): Promise<Phase> {
  const [began, first] = [performance.now(), outcomes.length]
  const [node, database] = [cpuOf(server.pid), cpuOfPostgres(postmaster)]
  let peakMb = 0
  const timer = setInterval(() => (peakMb = Math.max(peakMb, residentMb(server.pid))), 100)
  await work()
  clearInterval(timer)
  return {
    seconds: (performance.now() - began) / 1000,
    outcomes: outcomes.slice(first),
    peakMb,
    cpuSeconds: { node: (cpuOf(server.pid) - node) / 1e6, postgres: (cpuOfPostgres(postmaster) - database) / 1e6 },
  }
}

function report(phases: Record<'alone' | 'preview' | 'import', Phase[]>): void {
  const timesOf = (some: Outcome[]) => some.map(({ ms }) => ms)
  const lineOf = (name: string, some: Phase[]) => {
    const all = some.flatMap(({ outcomes }) => outcomes)
    const each = (value: (one: Phase) => number) => some.map((one) => value(one).toFixed(1)).join(', ')
    return [
      name,
      each(({ seconds }) => seconds),
      each(({ cpuSeconds }) => cpuSeconds.node),
      each(({ cpuSeconds }) => cpuSeconds.postgres),
      each(({ peakMb }) => peakMb),
      ...[0.5, 0.99, 1].map((share) => percentile(timesOf(all), share).toFixed(1)),
      statusesOf(all),
    ]
  }
  const ratiosOf = (some: Phase[]) =>
    some
      .map(({ outcomes }, round) => {
        const alone = percentile(timesOf(phases.alone[round]!.outcomes), 0.99)
        return (percentile(timesOf(outcomes), 0.99) / alone).toFixed(2)
      })
      .join(', ')
  const head = ['', 'seconds', 'CPU s Node', 'CPU s PostgreSQL', 'MiB', 'p50', 'p99', 'longest', 'statuses']
  const lines = Object.entries(phases).map(([name, some]) => lineOf(name, some))
  const text = `${products.toLocaleString('en')} products with ${(products * 3).toLocaleString('en')} variants, beside \
${actsPerSecond} acts a second; by round. Times of requests in milliseconds; MiB is the server's peak.

${table(head, lines)}

p99 ÷ that alone, by round: preview ${ratiosOf(phases.preview)}; import ${ratiosOf(phases.import)}.`
  console.log(text)
  writeSection('Imports', text)
}
