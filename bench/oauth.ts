// node bench/oauth.ts: introspections beside their ceiling, token exchanges, and a purge under load.
// Results in bench/RESULTS.md, "OAuth". BENCH_SECONDS (3) and BENCH_ROUNDS (3) change how long it takes.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'undici'
import { systemClock } from '../src/kit/values/clock.ts'
import { openDatabase } from '../src/kit/database/open.ts'
import { purgeOauth } from '../src/identity/oauth/purge.ts'
import { migrate } from '../src/platform/postgres/migrate.ts'
import { startPostgres } from '../src/platform/postgres/postgres.ts'
import { postmasterOf } from '../test/postmaster.ts'
import { measure, median, type Measured, type Request } from './measure.ts'
import { cpuOf, cpuOfPostgres, serve } from './processes.ts'
import { writeSection } from './results.ts'
import {
  newApps,
  newCodes,
  newExpired,
  newMerchant,
  newToken,
  redirect_uri,
  type App,
  type Code,
} from './oauth/seed.ts'

const seconds = Number(process.env.BENCH_SECONDS ?? 3)
const rounds = Number(process.env.BENCH_ROUNDS ?? 3)
// The limits hold here too: 1,000 introspections a minute of a caller, 30 exchanges of a client, 60 of an address.
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const callers = 90
const exchanges = 6000
const expired = 100_000

const dataDir = await mkdtemp(join(tmpdir(), 'stoa-bench-'))
const postgres = await startPostgres({ dataDir })
await migrate(postgres.url)
const postmaster = (await postmasterOf(dataDir))!
const db = openDatabase({ url: postgres.url, clock: systemClock })
const ours = await serve('src/program/main.ts', 4111, '/readyz', {
  DATABASE_URL: postgres.url,
  DATA_DIR: dataDir,
  LOG_LEVEL: 'error',
  DEMO: 'off',
  TRUSTED_PROXIES: '127.0.0.1',
  BASE_URL: 'http://127.0.0.1:4111',
})
const bare = await serve('bench/oauth/bare.ts', 4112, '/', { DATABASE_URL: postgres.url })

const merchant = await newMerchant(db)
const introspection = await introspections()
const exchanged = await exchange(await newCodes(db, merchant, await newApps(db, exchanges / 25), exchanges))
await newExpired(db, merchant, expired)
const purge = await purgeUnderLoad()

const ratio = introspection.ours.perSecond / introspection.bare.perSecond
writeSection(
  'OAuth',
  `${cpus().length} cores shared by the server, PostgreSQL and the load; Node ${process.version}, \
16 connections, ${rounds} rounds of ${seconds} s, medians.

| | requests/s | p50 ms | p99 ms | Node µs | PostgreSQL µs | failed |
| --- | --- | --- | --- | --- | --- | --- |
${row('bare Fastify with the same query', introspection.bare)}
${row('introspection of an active token', introspection.ours)}
${row('exchange of a code for an access and a refresh token', exchanged)}

An introspection reaches ${ratio.toFixed(2)} of the bare handler.
${expired.toLocaleString('en')} expired clients, each with a grant and two tokens, are purged in \
${purge.seconds.toFixed(0)} s beside ${purge.asked} introspections: the longest batch took \
${purge.longestMs.toFixed(0)} ms, the slowest of those answers ${purge.slowestMs.toFixed(0)} ms.`,
)
console.log(await readFile(new URL('RESULTS.md', import.meta.url), 'utf8'))

await ours.stop()
await bare.stop()
await db.close()
await postgres.stop()
await rm(dataDir, { recursive: true, force: true })

async function introspections(): Promise<{ ours: Measured; bare: Measured }> {
  const apps = await newApps(db, callers)
  const token = await newToken(db, merchant, apps[0]!, 'AccessToken')
  const requests = apps.map((app): Request => ({
    method: 'POST',
    path: '/oauth/introspect',
    headers: headersOf(app),
    body: `token=${token}`,
  }))
  const ceiling: Request[] = [{ method: 'POST', path: '/', headers: form, body: `token=${token}` }]
  const results = { ours: [] as Measured[], bare: [] as Measured[] }
  // Until the code of both is compiled.
  await measure({ ...ours, postmaster }, requests, 10)
  await measure({ ...bare, postmaster }, ceiling, 3)
  for (let round = 0; round < rounds; round++) {
    results.bare.push(await measure({ ...bare, postmaster }, ceiling, seconds))
    results.ours.push(await measure({ ...ours, postmaster }, requests, seconds))
  }
  return { ours: median(results.ours), bare: median(results.bare) }
}

/** Each code once: 16 at a time, every one from another address. */
async function exchange(codes: Code[]): Promise<Measured> {
  const pool = new Pool(ours.url, { connections: 16 })
  const times: number[] = []
  let failed = 0
  const [node, database, startedAt] = [cpuOf(ours.pid), cpuOfPostgres(postmaster), performance.now()]
  let next = 0
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let index = next++; index < codes.length; index = next++) {
        const { app, code, verifier } = codes[index]!
        const began = performance.now()
        const body = new URLSearchParams({
          grant_type: 'authorization_code',
          code,
          redirect_uri,
          code_verifier: verifier,
        })
        const headers = {
          ...headersOf(app),
          'x-forwarded-for': `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
        }
        const answer = await pool.request({ method: 'POST', path: '/oauth/token', headers, body: String(body) })
        await answer.body.dump()
        if (answer.statusCode !== 200) failed++
        times.push(performance.now() - began)
      }
    }),
  )
  const took = (performance.now() - startedAt) / 1000
  await pool.close()
  times.sort((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)]!)
  return {
    count: codes.length,
    perSecond: codes.length / took,
    p50: at(0.5),
    p99: at(0.99),
    failed,
    nodeMicroseconds: (cpuOf(ours.pid) - node) / codes.length,
    postgresMicroseconds: (cpuOfPostgres(postmaster) - database) / codes.length,
  }
}

async function purgeUnderLoad() {
  const [app] = await newApps(db, 1)
  const token = await newToken(db, merchant, app!, 'AccessToken')
  let isPurging = true
  let [asked, slowestMs] = [0, 0]
  const asking = (async () => {
    while (isPurging) {
      const began = performance.now()
      await fetch(`${ours.url}/oauth/introspect`, {
        method: 'POST',
        headers: headersOf(app!),
        body: `token=${token}`,
      }).then((answer) => answer.text())
      slowestMs = Math.max(slowestMs, performance.now() - began)
      asked++
      await new Promise((wake) => setTimeout(wake, 100))
    }
  })()
  const startedAt = performance.now()
  const { longestMs } = await purgeOauth(db)
  isPurging = false
  await asking
  return { seconds: (performance.now() - startedAt) / 1000, longestMs, asked, slowestMs }
}

function headersOf({ client_id, client_secret }: App): Record<string, string> {
  return { ...form, authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` }
}

function row(name: string, { perSecond, p50, p99, nodeMicroseconds, postgresMicroseconds, failed }: Measured): string {
  const cells = [perSecond.toFixed(0), p50, p99, nodeMicroseconds.toFixed(0), postgresMicroseconds.toFixed(0), failed]
  return `| ${[name, ...cells].join(' | ')} |`
}
