// The registry of /metrics; each module declares its own metrics. With WORKERS=N one worker receives the request and
// answers for all: the first process collects them.
import cluster from 'node:cluster'
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'
import { callPrimary } from './primary.ts'

export const metrics = new Registry()
collectDefaultMetrics({ register: metrics })
AggregatorRegistry.setRegistries([metrics])

const topic = 'metrics'
// Every process needs one: in a worker it answers the first process.
const all = cluster.isWorker ? new AggregatorRegistry() : null

export function metricsText(): Promise<string> {
  return callPrimary && all ? callPrimary<string>(topic, null) : metrics.metrics()
}

/** The first process's handler. */
export function collectFromWorkers() {
  const registry = new AggregatorRegistry()
  return { [topic]: () => registry.clusterMetrics() }
}
