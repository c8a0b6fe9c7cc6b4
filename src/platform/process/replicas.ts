// The configured read replicas: their log messages and their metrics.
import { Counter, Gauge } from 'prom-client'
import type { Database } from '../../kit/database/database.ts'
import { bytesBehind, positionOfPrimary } from '../../kit/database/replica.ts'
import type { ReplicaOptions } from '../../kit/database/replicas.ts'
import type { Log } from './log.ts'
import { metrics } from './metrics.ts'

type ReplicaSettings = { DATABASE_REPLICA_URL: readonly string[] }

export function buildReplicaOptions(
  { DATABASE_REPLICA_URL: urls }: ReplicaSettings,
  log: Log,
): ReplicaOptions | undefined {
  if (urls.length === 0) return undefined
  return {
    urls,
    onChange(replica, reason) {
      if (reason === null) log.info({ replica }, 'a read replica is back')
      else log.error({ replica, reason }, 'a read replica is not used; large reads go to DATABASE_URL')
    },
  }
}

/** `databases` are read whenever the metrics are. */
export function meterReplicas(databases: Iterable<Database>): void {
  const all = () => [...databases].flatMap(({ replicas }) => replicas)
  new Counter({
    name: 'database_replica_reads_total',
    help: 'Large reads by read replica: answered, or left to DATABASE_URL as it was behind or failed',
    labelNames: ['replica', 'result'],
    registers: [metrics],
    collect() {
      this.reset()
      for (const { name: replica, uses } of all()) {
        for (const [result, count] of Object.entries(uses)) this.inc({ replica, result }, count)
      }
    },
  })
  // A worker that has not read from it knows of no failure.
  new Gauge({
    name: 'database_replica_down',
    help: '1 if the read replica is not used because it failed',
    labelNames: ['replica'],
    aggregator: 'max',
    registers: [metrics],
    collect() {
      this.reset()
      for (const { name: replica, fault } of all()) this.set({ replica }, fault === null ? 0 : 1)
    },
  })
  new Gauge({
    name: 'database_replica_lag_bytes',
    help: 'Bytes of the log that the read replica has not replayed',
    labelNames: ['replica'],
    aggregator: 'max',
    registers: [metrics],
    async collect() {
      this.reset()
      await Promise.all([...databases].map((db) => setLags(this, db)))
    },
  })
}

async function setLags(gauge: Gauge<'replica'>, db: Database): Promise<void> {
  if (db.replicas.length === 0) return
  const primary = await db.one<{ position: string; identity: string }>(positionOfPrimary).catch(() => undefined)
  if (!primary) return
  await Promise.all(
    db.replicas.map(async (replica) => {
      const bytes = replica.fault === null ? await bytesBehind(replica, [primary.position, primary.identity]) : null
      if (bytes !== null) gauge.set({ replica: replica.name }, bytes)
    }),
  )
}

/** Logs the servers of a distributed database that are away, once, and that all are back. */
export const logServers = (log: Log) => (servers: readonly string[]) => {
  if (servers.length === 0) log.info('all servers of the distributed database are back')
  else log.warn({ servers }, 'servers of the distributed database are away; work for stores of the others goes on')
}
