// /healthz: the process lives. /readyz: it can serve. /metrics: Prometheus text.
import ipaddr from 'ipaddr.js'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Counter, Gauge, Histogram } from 'prom-client'
import type { Database } from '../kit/database/database.ts'
import { isDatabaseAway } from '../kit/database/errors.ts'
import { ApiError, unauthenticated, unavailable, unknownRoute } from '../kit/values/errors.ts'
import { sql } from '../kit/database/sql.ts'
import { equalSecrets, type Vault } from '../kit/values/secrets.ts'
import { canOpen } from '../platform/postgres/canary.ts'
import type { Storage } from '../commerce/media/storage.ts'
import { isDraining } from './drain.ts'
import { alwaysServed } from './overload.ts'
import type { LimitedRoute } from './routelimits.ts'
import type { NewerBuild } from '../platform/postgres/newerbuild.ts'
import { poolerFault } from '../platform/postgres/suitability.ts'
import { metrics, metricsText } from '../platform/process/metrics.ts'
import { meterReplicas } from '../platform/process/replicas.ts'
import { readBuild, version } from '../platform/process/version.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../kit/values/clock.ts'

const requests = new Counter({
  name: 'http_requests_total',
  help: 'Requests by route and status',
  labelNames: ['method', 'route', 'status'],
  registers: [metrics],
})
const seconds = new Histogram({
  name: 'http_request_seconds',
  help: 'Response time in seconds by route',
  labelNames: ['method', 'route'],
  registers: [metrics],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
})
new Gauge({
  name: 'database_requests_waiting',
  help: 'Requests waiting for a database connection',
  registers: [metrics],
  collect() {
    this.set([...openDatabases].reduce((sum, { places }) => sum + places.waiting, 0))
  },
})
/** The databases of all apps of the process. */
const openDatabases = new Set<Database>()
meterReplicas(openDatabases)

type DatabaseState = { sealed: string | null; is_shared: boolean }

/** A session without the settings that it was opened with is a pooler's. */
async function readState(db: Database): Promise<DatabaseState> {
  const state = await db
    .one<DatabaseState>(
      sql`
      select (select sealed from canary) as sealed, current_setting('lock_timeout') <> '2s' as is_shared`,
    )
    .catch(() => {
      throw unavailable()
    })
  return state!
}

/**
 * Writes a new page and flushes the log: a full or read-only disk fails it, as it would fail every order. A record in
 * the log alone would go into space that PostgreSQL has reserved.
 */
function writeProbe(db: Database): () => Promise<void> {
  let last = -Infinity
  return async () => {
    if (db.clock.elapsedMs() - last < probeEveryMs) return
    await db
      .transaction(async (tx) => {
        const emptying = tx.rows(sql`truncate write_probes`)
        await tx.rows(sql`insert into write_probes (page) values (repeat('x', 4000))`)
        await emptying
      })
      .catch((error: Error) => {
        throw new ApiError(503, 'UNAVAILABLE', isDatabaseAway(error) ? busy : 'The database is not writable')
      })
    last = db.clock.elapsedMs()
  }
}

const probeEveryMs = 5000
const noPictures = 'Image storage is not writable'
const busy = 'The database is unreachable or its disk is full'

type HealthOptions = {
  vault: Vault
  metricsToken: string | null
  storage: Storage
  limits: LimitedRoute
  newerBuild: Pick<NewerBuild, 'warning'>
}

export function serveHealth(
  app: FastifyInstance,
  db: Database,
  { vault, metricsToken, storage, limits, newerBuild }: HealthOptions,
): void {
  openDatabases.add(db)
  app.addHook('onClose', async () => void openDatabases.delete(db))
  const requireWritable = writeProbe(db)
  const canWritePictures = storageProbe(storage, db.clock)
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    requests.inc({ method: request.method, route, status: reply.statusCode })
    seconds.observe({ method: request.method, route }, reply.elapsedTime / 1000)
    done()
  })
  app.get('/healthz', { config: alwaysServed }, async () => {
    const { warning } = newerBuild
    return { status: 'ok', version, build: await readBuild(), ...(warning ? { warning } : {}) }
  })
  // Several balancers may share an address.
  app.get('/readyz', { ...limits(600), config: alwaysServed }, async () => {
    if (isDraining(app.server)) throw unavailable()
    const state = await readState(db)
    if (state.is_shared) throw new ApiError(503, 'UNAVAILABLE', poolerFault)
    // A node with a different key could not open the secrets of the other nodes.
    if (state.sealed !== null && !canOpen(vault, state.sealed)) throw unavailable()
    await requireWritable()
    if (await canWritePictures()) return { status: 'ok' }
    // A full disk affects this node only. A bucket is shared, and the shop works without it, but not without nodes.
    if (storage.kind === 'folder') throw new ApiError(503, 'UNAVAILABLE', noPictures)
    return { status: 'degraded', reason: noPictures }
  })
  app.get('/metrics', { config: alwaysServed }, async (request, reply) => {
    requireScraper(request, metricsToken)
    return reply.header('content-type', metrics.contentType).send(await metricsText())
  })
}

const ownRanges = ['loopback', 'private', 'uniqueLocal', 'linkLocal']

/** Prometheus sends the token as Bearer credentials. Without a token, the page is not found. */
function requireScraper({ ip, headers }: FastifyRequest, token: string | null): void {
  if (token !== null) {
    const [, credential = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
    if (!equalSecrets(credential, token)) throw unauthenticated('/metrics requires METRICS_TOKEN as a Bearer token')
    return
  }
  // Behind an untrusted proxy, strangers look like local clients.
  const client =
    headers['x-forwarded-for'] === undefined ? ip : String(headers['x-forwarded-for']).split(',')[0]!.trim()
  const isOwn = [ip, client].every(
    (address) => ipaddr.isValid(address) && ownRanges.includes(ipaddr.process(address).range()),
  )
  if (!isOwn) throw unknownRoute('GET', '/metrics')
}

// Checks now and then whether images can be written, for /readyz, and never waits for long.

const everyMs = { folder: 5000, bucket: 60_000 }
/** A failed probe is repeated sooner. */
const retryMs = 5000
/** Readiness checks give up after a second. */
const patienceMs = 500

/** Returns the last result while a check takes long. */
function storageProbe(storage: Storage, clock: Clock): () => Promise<boolean> {
  let canWrite = true
  let dueAt = -Infinity
  let attemptUnderWay: Promise<void> | null = null

  const attempt = async () => {
    canWrite = await storage.tryToWrite().then(
      () => true,
      () => false,
    )
    dueAt = clock.elapsedMs() + (canWrite ? everyMs[storage.kind] : retryMs)
    attemptUnderWay = null
  }
  return async () => {
    if (clock.elapsedMs() >= dueAt) attemptUnderWay ??= attempt()
    if (attemptUnderWay) await Promise.race([attemptUnderWay, sleep(patienceMs, undefined, { ref: false })])
    return canWrite
  }
}
