// WORKERS=N: N processes serve on one port. The first process takes the connections and hands them out, owns the
// database and what all workers share, replaces a worker that ends, renews them one after the other when asked, and
// drains them all at its own end.
import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../kit/values/clock.ts'
import type { Config } from './config.ts'
import { openSharedPort, type SharedPort } from '../http/sharedport.ts'
import type { Log } from '../platform/process/log.ts'
import { collectFromWorkers } from '../platform/process/metrics.ts'
import { inWords, type Serving } from './serving.ts'
import { serveWorkers } from '../platform/process/primary.ts'
import { countFor } from '../platform/ratelimit/primary.ts'
import { memoryRateLimiter } from '../platform/ratelimit/ratelimit.ts'

/** The only message of a worker to the first process. */
export type Report = { serves: true } | { failure: string }

export type Workers = Serving & {
  /** Replaces every worker by a new one, which serves before the old one drains: nobody is turned away. */
  renew(): Promise<void>
}

/** Resolves when every worker serves; a failure of one, e.g. a busy port, is the failure of all. */
export async function serveInWorkers({
  config,
  environment,
  log,
}: {
  config: Pick<Config, 'HOST' | 'PORT' | 'WORKERS'>
  /** On top of this process's own. */
  environment: Record<string, string>
  log: Log
}): Promise<Workers> {
  serveWorkers({ ...countFor(memoryRateLimiter(systemClock)), ...collectFromWorkers() })
  const port = await openSharedPort({ host: config.HOST, port: config.PORT }).catch((error: unknown) => {
    throw inWords(error, config)
  })
  const crew = openWorkerPool(environment, log, port)
  let renewal = Promise.resolve()
  const renew = () => (renewal = renewal.then(() => renewEach(crew, log)))

  const first = Array.from({ length: config.WORKERS }, crew.fork)
  const reports = first.map(waitForReport)
  first.forEach((worker) => void crew.keepServing(worker))
  try {
    await Promise.all(reports)
    return { address: port.address, close: crew.close, renew }
  } catch (error) {
    await crew.close()
    throw error
  }
}

type WorkerPool = ReturnType<typeof openWorkerPool>

/** The workers that serve, each replaced when it ends by itself. */
function openWorkerPool(environment: Record<string, string>, log: Log, port: SharedPort) {
  const fork = () => {
    const worker = cluster.fork(environment)
    waitForReport(worker).then(
      () => port.admit(worker),
      () => {},
    )
    return worker
  }
  const workers = new Set<Worker>()
  /** Those whose place another has taken already. */
  const leaving = new Set<Worker>()
  let isClosing = false

  async function keepServing(worker: Worker): Promise<void> {
    for (let pauseMs = 0; ; pauseMs = Math.min(pauseMs * 2 + 100, 5_000)) {
      const startedAt = Date.now()
      workers.add(worker)
      const how = await waitForExit(worker)
      workers.delete(worker)
      if (isClosing || leaving.delete(worker)) return
      log.error({ pid: worker.process.pid, ...how }, 'a worker exited; starting another one')
      if (Date.now() - startedAt > 10_000) pauseMs = 0
      await sleep(pauseMs)
      if (isClosing) return
      worker = fork()
    }
  }
  return {
    fork,
    keepServing,
    workers: () => [...workers],
    isClosing: () => isClosing,
    async dismiss(worker: Worker): Promise<void> {
      leaving.add(worker)
      await end(worker)
    },
    async close(): Promise<void> {
      isClosing = true
      await port.close()
      await Promise.all([...workers].map(end))
    },
  }
}

async function renewEach(crew: WorkerPool, log: Log): Promise<void> {
  for (const worker of crew.workers()) {
    if (crew.isClosing()) return
    const successor = crew.fork()
    try {
      await waitForReport(successor)
    } catch (error) {
      log.error({ reason: (error as Error).message }, 'a new worker failed to start; keeping the old ones')
      return
    }
    if (crew.isClosing()) return end(successor)
    void crew.keepServing(successor)
    await crew.dismiss(worker)
  }
  log.info('all workers were replaced')
}

const endWithinMs = 9_000

/** It drains first. */
async function end(worker: Worker): Promise<void> {
  const exit = waitForExit(worker)
  worker.process.kill('SIGTERM')
  const late = setTimeout(() => worker.process.kill('SIGKILL'), endWithinMs).unref()
  await exit
  clearTimeout(late)
}

function waitForExit(worker: Worker): Promise<{ code: number | null; signal: string | null }> {
  if (worker.isDead()) return Promise.resolve({ code: worker.process.exitCode, signal: worker.process.signalCode })
  return new Promise((resolve) => worker.once('exit', (code, signal) => resolve({ code, signal })))
}

/** Resolves when a worker serves. */
function waitForReport(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.on('message', (report: Partial<Report>) => {
      if (report && 'serves' in report) resolve()
      else if (report && 'failure' in report) reject(new Error(report.failure))
    })
    worker.once('exit', (code, signal) =>
      reject(new Error(`A worker exited during startup (${signal ?? `code ${code}`})`)),
    )
  })
}
