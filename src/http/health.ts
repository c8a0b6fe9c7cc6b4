// /healthz: the process lives. /readyz: it can serve. /metrics: Prometheus text.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { Counter, Gauge, Histogram } from 'prom-client'
import type { Database } from '../kit/database/database.ts'
import { unauthenticated, unavailable, unknownRoute } from '../kit/values/errors.ts'
import { sql } from '../kit/database/sql.ts'
import { equalSecrets, type Vault } from '../kit/values/secrets.ts'
import { opens } from '../platform/postgres/canary.ts'
import { isDraining } from './drain.ts'
import { metrics, metricsText } from '../platform/process/metrics.ts'

const requests = new Counter({
  name: 'http_requests_total',
  help: 'Requests by route and status',
  labelNames: ['method', 'route', 'status'],
  registers: [metrics],
})
const seconds = new Histogram({
  name: 'http_request_seconds',
  help: 'Time to answer, by route',
  labelNames: ['method', 'route'],
  registers: [metrics],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
})
new Gauge({
  name: 'database_requests_waiting',
  help: 'Requests that wait for a connection',
  registers: [metrics],
  collect() {
    this.set(source?.places.waiting ?? 0)
  },
})
/** Whose connections the gauge shows. */
let source: Database | undefined

type Options = { vault: Vault; metricsToken: string | null }

export function serveHealth(app: FastifyInstance, db: Database, { vault, metricsToken }: Options): void {
  source = db
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    requests.inc({ method: request.method, route, status: reply.statusCode })
    seconds.observe({ method: request.method, route }, reply.elapsedTime / 1000)
    done()
  })
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async () => {
    if (isDraining(app.server)) throw unavailable()
    const canary = await db.one<{ sealed: string }>(sql`select sealed from canary`).catch(() => {
      throw unavailable()
    })
    // With another key than the other nodes' it could open nothing of theirs.
    if (canary && !opens(vault, canary.sealed)) throw unavailable()
    return { status: 'ok' }
  })
  app.get('/metrics', async (request, reply) => {
    demandScraper(request, metricsToken)
    return reply.header('content-type', metrics.contentType).send(await metricsText())
  })
}

const ownRanges = ['loopback', 'private', 'uniqueLocal', 'linkLocal']

/** Prometheus sends the token as Bearer credentials. Without one, strangers find no such page. */
function demandScraper({ ip, headers }: FastifyRequest, token: string | null): void {
  if (token !== null) {
    const [, shown = ''] = /^Bearer (.+)$/i.exec(headers.authorization ?? '') ?? []
    if (!equalSecrets(shown, token)) throw unauthenticated('/metrics needs METRICS_TOKEN as a Bearer token')
    return
  }
  // A proxy that is not trusted makes strangers look like neighbours.
  const client =
    headers['x-forwarded-for'] === undefined ? ip : String(headers['x-forwarded-for']).split(',')[0]!.trim()
  const isOwn = [ip, client].every((one) => ipaddr.isValid(one) && ownRanges.includes(ipaddr.process(one).range()))
  if (!isOwn) throw unknownRoute('GET', '/metrics')
}
