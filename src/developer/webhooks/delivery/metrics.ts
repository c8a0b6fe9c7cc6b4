import { Counter, Gauge, Histogram } from 'prom-client'
import type { Db } from '../../../kit/database/database.ts'
import { inReach, sql } from '../../../kit/database/sql.ts'
import { metrics } from '../../../platform/process/metrics.ts'

const registers = [metrics]

export const deliveries = new Counter({
  name: 'webhook_deliveries_total',
  help: 'Finished deliveries by event and outcome',
  labelNames: ['event', 'outcome'],
  registers,
})
export const attemptSeconds = new Histogram({
  name: 'webhook_attempt_seconds',
  help: 'Duration of delivery attempts in seconds',
  registers,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15],
})
export const inFlight = new Gauge({ name: 'webhook_inflight', help: 'Attempts in progress in this process', registers })
export const blockedAttempts = new Counter({
  name: 'webhook_blocked_total',
  help: 'Attempts blocked because of the address of the receiver',
  registers,
})

const pendingGauge = new Gauge({
  name: 'webhook_queue_pending',
  help: 'Pending deliveries, including held ones',
  registers,
  collect: () => look(),
  aggregator: 'max',
})
const oldest = new Gauge({
  name: 'webhook_oldest_pending_seconds',
  help: 'Age in seconds of the oldest pending delivery that is not held',
  registers,
  aggregator: 'max',
})

const observedDatabases = new Set<Db>()

/** Adds the database's queue to the two gauges. Returns the function that removes it. */
export function observeQueue(db: Db): () => void {
  observedDatabases.add(db)
  return () => observedDatabases.delete(db)
}

async function look(): Promise<void> {
  const queues = (await Promise.all([...observedDatabases].map(measureQueue))).flatMap((queue) => queue ?? [])
  if (queues.length === 0) return
  pendingGauge.set(queues.reduce((sum, queue) => sum + queue.pending, 0))
  oldest.set(Math.max(...queues.map(({ oldestSeconds }) => oldestSeconds)))
}

async function measureQueue(db: Db): Promise<{ pending: number; oldestSeconds: number } | undefined> {
  const now = db.clock.now().getTime()
  const queue = await db
    .one<{ pending: number; oldest: Date | null }>(sql`
    select count(*) as pending,
      min(deliveries.run_at) filter (where webhooks.is_active and webhooks.paused_at is null) as oldest
    from deliveries
    join webhooks on webhooks.store_id = deliveries.store_id
      and webhooks.id = deliveries.webhook_id
    where deliveries.status = 'pending'
      and ${inReach('deliveries.store_id')}`)
    .catch(() => undefined)
  if (!queue) return undefined
  const { oldest } = queue
  return { pending: queue.pending, oldestSeconds: oldest ? Math.max(0, (now - oldest.getTime()) / 1000) : 0 }
}
