// The registry of everything that /metrics shows; each module declares its own. With WORKERS=N a scrape meets one
// worker, and gets the sum of all: the first process collects them.
import cluster from 'node:cluster'
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client'
import { callPrimary } from './primary.ts'

export const metrics = new Registry()
collectDefaultMetrics({ register: metrics })
AggregatorRegistry.setRegistries([metrics])

const topic = 'metrics'
// Made in every process: in a worker it answers the first one.
const all = cluster.isWorker ? new AggregatorRegistry() : null

export function metricsText(): Promise<string> {
  return callPrimary && all ? callPrimary<string>(topic, null) : metrics.metrics()
}

/** What the first process answers. */
export function collectFromWorkers() {
  const registry = new AggregatorRegistry()
  return { [topic]: () => registry.clusterMetrics() }
}
