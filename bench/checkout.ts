// node bench/checkout.ts: completed checkouts beside pgbench with the same statements, and the sweep over a million
// drafts. Results in bench/RESULTS.md, "Checkout". BENCH_SECONDS (5) and BENCH_ROUNDS (3) change how long it takes.
import { mkdtemp, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../src/kit/values/clock.ts'
import { openDatabase } from '../src/kit/database/open.ts'
import { vault } from '../src/kit/values/secrets.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { postmasterOf } from '../test/postmaster.ts'
import { begin, complete, seedStores, type Shop } from './checkout/shoppers.ts'
import { loadDrafts, sweepOnce } from './checkout/drafts.ts'
import { recordCompletions } from './checkout/script.ts'
import { median, type Measured } from './measure.ts'
import { pgbench, type PgbenchResult } from './pgbench.ts'
import { serve } from './processes.ts'
import { writeSection } from './results.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 5)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
const storeCount = 64
const perRound = 400 * seconds
const secretKey = 'a key of the benchmark, 32 characters'

const dataDir = await mkdtemp(join(tmpdir(), 'stoa-bench-'))
const postgres = await startPostgres({ dataDir })
await migrate(postgres.url)
const postmaster = (await postmasterOf(dataDir))!
const db = openDatabase({ url: postgres.url, clock: systemClock })
const deps = {
  vault: vault(secretKey),
  checkout: { baseUrl: 'http://127.0.0.1:4121', abandonAfterSeconds: 1800, expireAfterSeconds: 2_592_000 },
}
const environment = {
  DATABASE_URL: postgres.url,
  DATA_DIR: dataDir,
  SECRET_KEY: secretKey,
  LOG_LEVEL: 'error',
  DEMO: 'off',
  TRUSTED_PROXIES: '127.0.0.1',
  BASE_URL: deps.checkout.baseUrl,
}
const server = await serve('src/program/main.ts', 4121, '/readyz', environment)

try {
  const shops = await seedStores(db, storeCount)
  const completions = await measureCompletions(shops)
  await server.stop()
  report(completions, await measureSweeps(shops[0]!))
} finally {
  await server.stop()
  await db.close()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function measureCompletions(shops: Shop[]) {
  const target = { ...server, postmaster }
  const begun: Measured[] = [],
    completed: Measured[] = [],
    database: PgbenchResult[] = []
  await complete(target, (await begin(target, shops, 500)).tokens) // prepared statements, caches, compiled code
  const { settings, ...replay } = await recordCompletions(target, shops, postgres.url, environment)
  const { statements, exchanges } = replay
  for (let round = 0; round < rounds; round++) {
    const { tokens, measured } = await begin(target, shops, perRound)
    begun.push(measured)
    completed.push(await complete(target, tokens))
    const options = { clients: 16, settings }
    database.push(await pgbench({ url: postgres.url, postmaster }, replay, seconds, options))
  }
  return { begun: median(begun), completed: median(completed), database: median(database), statements, exchanges }
}

async function measureSweeps(shop: Shop) {
  const sweeps: { drafts: number; due: number; wallMs: number; cpuMs: number }[] = []
  for (const drafts of [1000, 1_000_000]) {
    await loadDrafts(db, shop, drafts, deps)
    sweeps.push({ drafts, ...(await sweepOnce(db, postmaster, deps)) })
  }
  return sweeps
}

function report(
  { begun, completed, database, statements, exchanges }: Awaited<ReturnType<typeof measureCompletions>>,
  sweeps: Awaited<ReturnType<typeof measureSweeps>>,
): void {
  const text = `${cpus().length} cores shared by the server, PostgreSQL and the load; Node ${process.version}, \
${storeCount} stores, 16 connections, ${rounds} rounds of ${perRound} checkouts of two tracked products, medians. \
pgbench runs the ${statements} statements of one completion over 16 connections, in the same ${exchanges} exchanges.

| | per second | p50 ms | p99 ms | Node µs | PostgreSQL µs | failed |
| --- | --- | --- | --- | --- | --- | --- |
${row('begin a checkout', begun)}
${row('complete a checkout', completed)}
${pgbenchRow(database)}

A completion reaches ${(completed.perSecond / database.perSecond).toFixed(2)} of pgbench; its database CPU is \
${(completed.postgresMicroseconds / database.cpuMicroseconds).toFixed(2)} of pgbench's.

One sweep, with its events and all else that it writes:

| drafts | of which due | ms | PostgreSQL CPU ms |
| --- | --- | --- | --- |
${sweeps
  .map(
    ({ drafts, due, wallMs, cpuMs }) =>
      `| ${drafts.toLocaleString('en')} | ${due} | ${wallMs.toFixed(0)} | ${cpuMs.toFixed(0)} |`,
  )
  .join('\n')}`
  writeSection('Checkout', text)
  console.log(text)
}

function pgbenchRow({ perSecond, p50, cpuMicroseconds }: PgbenchResult): string {
  const [rate, middle, cpu] = [perSecond.toFixed(0), p50.toFixed(1), cpuMicroseconds.toFixed(0)]
  return `| pgbench, the same statements | ${rate} | ${middle} | | | ${cpu} | |`
}

function row(name: string, measured: Measured): string {
  const { perSecond, p50, p99, nodeMicroseconds, postgresMicroseconds, failed } = measured
  const cells = [p50.toFixed(1), p99.toFixed(1), nodeMicroseconds.toFixed(0), postgresMicroseconds.toFixed(0), failed]
  return `| ${[name, perSecond.toFixed(0), ...cells].join(' | ')} |`
}
