// node bench/whilebackup.ts: how long requests take beside `stoa backup` of a database of ORDERS (1,000,000) orders and
// without one, in turns, at a steady rate of the mix of bench/mix. Results in RESULTS.md, "Beside a backup". RATE (20
// acts a second) and ROUNDS (3) change what it takes. BENCH_DATA names the directory of the database, which stays.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import type { Outcome } from './mix/load.ts'

const orders = Number(process.env.ORDERS ?? 1_000_000)
const rowsPerStore = Math.min(1000, orders)
Object.assign(process.env, { BENCH_STORES: String(orders / rowsPerStore), BENCH_ROWS: String(rowsPerStore) })
Object.assign(process.env, { BENCH_LARGE: '1000' })
// The modules below read the environment when they are loaded.
const { load } = await import('./load.ts')
const { startLoad, percentile, statusesOf } = await import('./mix/load.ts')
const { openShops } = await import('./mix/shops.ts')
const { measuredServer, serve } = await import('./processes.ts')
const { table } = await import('./report.ts')
const { writeSection } = await import('./results.ts')
const { folder, startReceiver } = await import('./world.ts')

const actsPerSecond = Number(process.env.RATE ?? 20)
const rounds = Number(process.env.ROUNDS ?? 3)
const dataDir = process.env.BENCH_DATA ?? join(folder, `whilebackup-${orders}`)
const backup = join(dataDir, 'bench.backup')
const shortestSeconds = 10

mkdirSync(dataDir, { recursive: true })
const postgres = await startPostgres({ dataDir })
await migrate(postgres.url)
console.log(`loaded in ${(await load(postgres.url)).toFixed(0)} s`)
const receiver = await startReceiver()
const environment = {
  DATABASE_URL: postgres.url,
  DATA_DIR: dataDir,
  ...measuredServer,
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  NODE_EXTRA_CA_CERTS: receiver.ca,
}
const server = await serve('src/program/main.ts', 4191, '/readyz', environment)
try {
  const shops = await openShops({ database: postgres.url, server: server.url, receiver: receiver.url }, 3, 10)
  const mix = startLoad({ url: server.url, shops, actsPerSecond, connections: 32 })
  // Statements and caches become known.
  await sleep(shortestSeconds * 1000)
  const phases: Record<'alone' | 'beside', Phase[]> = { alone: [], beside: [] }
  let seconds = shortestSeconds
  for (let round = 0; round < rounds; round++) {
    const beside = await phaseOf(mix.counted.outcomes, makeBackup)
    seconds = Math.max(shortestSeconds, beside.seconds)
    phases.beside.push(beside)
    phases.alone.push(await phaseOf(mix.counted.outcomes, () => sleep(seconds * 1000)))
  }
  const { faults } = await mix.end()
  for (const [text, count] of faults) console.log(`${count} × ${text}`)
  report(phases)
} finally {
  await server.stop()
  receiver.child.disconnect()
  await postgres.stop()
}

type Phase = { seconds: number; outcomes: Outcome[] }

/** The requests that ended meanwhile. */
async function phaseOf(outcomes: Outcome[], work: () => Promise<unknown>): Promise<Phase> {
  const [began, first] = [performance.now(), outcomes.length]
  await work()
  return { seconds: (performance.now() - began) / 1000, outcomes: outcomes.slice(first) }
}

async function makeBackup(): Promise<void> {
  const child = spawn(process.execPath, ['src/program/cli.ts', 'backup', backup], {
    cwd: new URL('..', import.meta.url).pathname,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the backup ended with ${code}`)
}

function report({ alone, beside }: Record<'alone' | 'beside', Phase[]>): void {
  const timesOf = (phases: Phase[]) => phases.flatMap(({ outcomes }) => outcomes.map(({ ms }) => ms))
  const line = (name: string, phases: Phase[]) => [
    name,
    timesOf(phases).length,
    ...[0.5, 0.95, 0.99, 1].map((share) => percentile(timesOf(phases), share).toFixed(1)),
    statusesOf(phases.flatMap(({ outcomes }) => outcomes)),
  ]
  const ratios = beside.map(({ outcomes }, round) => {
    const ofRound = (some: Outcome[]) => percentile(timesOf([{ seconds: 0, outcomes: some }]), 0.99)
    return (ofRound(outcomes) / ofRound(alone[round]!.outcomes)).toFixed(2)
  })
  const megabytes = (statSync(backup).size / 1e6).toFixed(0)
  const text = `${orders.toLocaleString('en')} orders; a backup of ${megabytes} MB takes \
${beside.map(({ seconds }) => seconds.toFixed(0)).join(', ')} s beside ${actsPerSecond} acts a second. Milliseconds:

${table(['', 'requests', 'p50', 'p95', 'p99', 'longest', 'statuses'], [line('alone', alone), line('beside', beside)])}

p99 beside a backup ÷ alone, by round: ${ratios.join(', ')}.`
  console.log(text)
  writeSection('Beside a backup', text)
}
