// node bench/soak.ts: everything on at a steady rate for a long time: the API, shop pages, checkouts, webhooks, the
// dashboard, images, long polls and all jobs. Prints a line a minute, and then how fast memory and tables grow and what
// still waits; results in bench/RESULTS.md, "Soak". MINUTES (10), RATE (10 acts a second), WORKERS (1);
// SNAPSHOTS=FOLDER writes a heap snapshot after a quarter of the time and at the end.
import http from 'node:http'
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import sharp from 'sharp'
import { withClient } from '../src/platform/postgres/client.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { postmasterOf } from '../test/postmaster.ts'
import { growthTable, readBacklog, readTableBytes, type TableBytes } from './mix/growth.ts'
import { request, startLoad, statusesOf, percentile, type Load } from './mix/load.ts'
import { metricOf, openHandles, processesOf, residentMb, residentMbOfPostgres, slopeOf } from './mix/memory.ts'
import type { Sample } from './mix/memory.ts'
import { openShops, type Shop } from './mix/shops.ts'
import { cpuOf, cpuOfPostgres, measuredServer, serve } from './processes.ts'
import { table } from './report.ts'
import { writeSection } from './results.ts'
import { startReceiver } from './world.ts'

const minutes = Number(process.env.MINUTES ?? 10)
const actsPerSecond = Number(process.env.RATE ?? 10)
const workers = process.env.WORKERS ?? '1'
const snapshots = process.env.SNAPSHOTS ?? ''
const port = Number(process.env.BENCH_PORT ?? 4181)
const sampleEveryMs = 5000
const samples: Sample[] = []

const dataDir = await mkdtemp(join(tmpdir(), 'stoa-soak-'))
const postgres = await startPostgres({ dataDir })
await migrate(postgres.url)
const postmaster = (await postmasterOf(dataDir))!
const receiver = await startReceiver()
const server = await serve('src/program/main.ts', port, '/readyz', {
  DATABASE_URL: postgres.url,
  DATA_DIR: dataDir,
  ...measuredServer,
  WORKERS: workers,
  BASE_URL: `http://127.0.0.1:${port}`,
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  NODE_EXTRA_CA_CERTS: receiver.ca,
  BACKUP_DIR: join(dataDir, 'backups'),
  BACKUP_EVERY_H: '1',
  // Recovery is part of the mix.
  CHECKOUT_ABANDON_AFTER_S: '600',
  ...(snapshots ? { NODE_OPTIONS: `--heapsnapshot-signal=SIGWINCH --diagnostic-dir=${snapshots}` } : {}),
})
const ending = new AbortController()
process.once('SIGTERM', () => ending.abort())
process.once('SIGINT', () => ending.abort())

try {
  const shops = await openShops({ database: postgres.url, server: server.url, receiver: receiver.url }, 3, 10)
  const load = startLoad({ url: server.url, shops, actsPerSecond, connections: 32 })
  const others = [...shops.map(poll), upload(shops[0]!)]
  const before = await withClient(postgres.url, 'soak', readTableBytes)
  const cpu = await soak(load)
  ending.abort()
  await load.end()
  await Promise.all(others)
  report(load, cpu, await lookAtTables(before, load))
} finally {
  ending.abort()
  await server.stop()
  receiver.child.disconnect()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

/** The jobs have a minute and a half to work off what the last requests left. */
async function lookAtTables(before: TableBytes, { counted }: Load): Promise<string> {
  return withClient(postgres.url, 'soak', async (client) => {
    const growth = growthTable(before, await readTableBytes(client), counted.outcomes.length)
    await sleep(90_000)
    const backlog = Object.entries(await readBacklog(client)).map(([name, count]) => `${count} ${name}`)
    return `${growth}\n\nBacklog 90 s after the last request: ${backlog.join(', ') || 'none'}.`
  })
}

type Cpu = { node: number; postgres: number; seconds: number }

async function soak(load: Load): Promise<Cpu> {
  const client = new pg.Client({ connectionString: postgres.url })
  client.on('error', () => {})
  await client.connect()
  const began = performance.now()
  const before = { node: cpuOfServer(), postgres: cpuOfPostgres(postmaster) }
  const passed = () => (performance.now() - began) / 60_000
  const snapshotsDue = snapshots ? [minutes / 4, minutes - 1] : []
  for (let said = 0; passed() < minutes && !ending.signal.aborted; await sleep(sampleEveryMs)) {
    samples.push({ minute: passed(), values: await look(client) })
    if (passed() > snapshotsDue[0]!) {
      snapshotsDue.shift()
      process.kill(server.pid, 'SIGWINCH')
    }
    if (Math.floor(passed()) === said) continue
    said = Math.floor(passed())
    const { outcomes } = load.counted
    const line = Object.entries(samples.at(-1)!.values).map(([name, value]) => `${name} ${value.toFixed(1)}`)
    console.log(`${said} min: ${outcomes.length} requests (${statusesOf(outcomes)}); ${line.join(', ')}`)
    for (const [text, count] of load.counted.faults) console.log(`  ${count} × ${text}`)
    load.counted.faults.clear()
  }
  await client.end()
  const seconds = (performance.now() - began) / 1000
  return {
    node: (cpuOfServer() - before.node) / 1e6,
    postgres: (cpuOfPostgres(postmaster) - before.postgres) / 1e6,
    seconds,
  }
}

function cpuOfServer(): number {
  return Object.values(processesOf(server.pid)).reduce((sum, pid) => sum + cpuOf(pid), 0)
}

async function look(client: pg.Client): Promise<Record<string, number>> {
  const processes = Object.entries(processesOf(server.pid))
  const text = await (await fetch(`${server.url}/metrics`)).text()
  const handles = processes.map(([, pid]) => openHandles(pid))
  const { rows } = await client.query(`select pg_database_size(current_database()) / 1e6 as mb`)
  return {
    ...Object.fromEntries(processes.map(([name, pid]) => [`RSS of ${name}`, residentMb(pid)])),
    'heap in use': metricOf(text, 'nodejs_heap_size_used_bytes') / 1e6,
    'outside the heap': metricOf(text, 'nodejs_external_memory_bytes') / 1e6,
    'RSS of PostgreSQL': residentMbOfPostgres(postmaster),
    'database size': Number(rows[0].mb),
    files: handles.reduce((sum, { files }) => sum + files, 0),
    sockets: handles.reduce((sum, { sockets }) => sum + sockets, 0),
  }
}

/** An integration that waits for the store's events. */
async function poll(shop: Shop): Promise<void> {
  const agent = new http.Agent({ keepAlive: true })
  for (let after = 0, turn = 0; !ending.signal.aborted; turn++) {
    const headers = { 'x-api-key': shop.keys[turn % shop.keys.length]! }
    const path = `/v1/events?after=${after}&wait=20`
    const { status, text } = await request(agent, server.url, { method: 'GET', path, headers })
    if (status === 200) after = JSON.parse(text).log.next_after
    await sleep(1000)
  }
  agent.destroy()
}

/** A picture every 20 s, of which the one before is deleted. */
async function upload(shop: Shop): Promise<void> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  for (let last = '', n = 0; !ending.signal.aborted; n++) {
    const width = 600 + (n % 50)
    const create = { width, height: 400, channels: 3 as const, background: '#888', noise }
    const form = new FormData()
    form.set('file', new Blob([new Uint8Array(await sharp({ create }).jpeg().toBuffer())]), 'picture.jpg')
    const headers = { 'x-api-key': shop.keys[n % shop.keys.length]! }
    const answer = await fetch(`${server.url}/v1/media`, { method: 'POST', headers, body: form })
    const { data } = (await answer.json()) as { data?: { id: string } }
    if (last) await fetch(`${server.url}/v1/media/${last}`, { method: 'DELETE', headers })
    last = data?.id ?? ''
    await sleep(20_000, undefined, { signal: ending.signal }).catch(() => {})
  }
}

function report(load: Load, cpu: Cpu, tables: string): void {
  const { outcomes } = load.counted
  const half = samples.filter(({ minute }) => minute >= samples.at(-1)!.minute / 2)
  const names = Object.keys(samples.at(-1)!.values)
  const known = names.filter((name) => samples.every(({ values }) => name in values))
  const at = (share: number, name: string) =>
    samples[Math.floor((samples.length - 1) * share)]!.values[name]!.toFixed(1)
  const rows = known.map((name) => [
    name,
    ...[0, 0.25, 0.5, 0.75, 1].map((share) => at(share, name)),
    slopeOf(half, name).toFixed(2),
  ])
  const times = outcomes.map(({ ms }) => ms)
  const share = (seconds: number) => `${((100 * seconds) / cpu.seconds).toFixed(0)} %`
  const [p50, p99] = [0.5, 0.99].map((part) => percentile(times, part).toFixed(0))
  const text = `${(cpu.seconds / 60).toFixed(0)} minutes of ${actsPerSecond} acts a second on ${cpus().length} cores \
that others used too, WORKERS=${workers}: ${outcomes.length} requests (${statusesOf(outcomes)}), p50 ${p50} ms, \
p99 ${p99} ms; ${share(cpu.node)} of a core in Node, ${share(cpu.postgres)} in PostgreSQL. The slope is of the second \
half, of the least of each minute.

${table(['MB', 'at first', '¼', '½', '¾', 'at the end', 'a minute'], rows)}

${tables}`
  console.log(text)
  writeSection('Soak', text)
}
