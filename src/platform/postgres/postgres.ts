// The embedded PostgreSQL: starts, adopts, restarts and stops the server of a data directory. It listens only on a Unix
// socket in a directory of mode 0700: access to the directory is access to the server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, open, readFile, rm, stat, truncate } from 'node:fs/promises'
import os from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Cluster, clusterDirectory, commandAs, ENVIRONMENT, openCluster } from './cluster.ts'
import { waitUntilReady, removeLeftovers, endPostmaster, waitForEnd, findPostmaster } from './postmaster.ts'

/** `url` holds for pg and for libpq (psql, pgbench), and stays the same over restarts. */
export type Postgres = {
  url: string
  adopted: boolean
  stop(): Promise<void>
  /** Leaves it to another process, which keeps it running. */
  leave(): Promise<void>
}

export type PostgresOptions = {
  dataDir: string
  /** Overrides the defaults below; an adopted PostgreSQL keeps those that it was started with. */
  settings?: Record<string, string>
  /** Called when PostgreSQL ended on its own, and for every restart that failed, with the end of its log. */
  onExit?: (code: number | null, reason: string) => void
}

/** Starts (or adopts) the PostgreSQL of `dataDir`/postgres and keeps it running until stop(). */
export async function startPostgres({ dataDir, settings, onExit }: PostgresOptions): Promise<Postgres> {
  const cluster = await openCluster(dataDir)
  await limitLog(cluster.log)
  const stopping = new AbortController()
  const stop = once(stopping.signal, 'abort')
  const bringUp = () => startOrAdopt(cluster, { ...SETTINGS, ...settings }, stopping.signal)
  let running = await bringUp()

  async function supervise() {
    for (let pauseMs = 0; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2 + 50, 5_000)) {
      try {
        if (pauseMs > 0) running = await bringUp()
        pauseMs = 0
        await Promise.race([running.ended, stop])
        if (!stopping.signal.aborted) onExit?.(await running.ended, await endOfLog(cluster.log))
      } catch (error) {
        if (!stopping.signal.aborted) onExit?.(null, (error as Error).message)
        await sleep(pauseMs, undefined, { ref: false, signal: stopping.signal }).catch(() => {})
      }
    }
  }

  const supervision = supervise()
  const logKeeper = setInterval(() => void limitLog(cluster.log).catch(() => {}), 60_000).unref()
  return {
    url: running.url,
    adopted: running.adopted,
    async stop() {
      stopping.abort()
      clearInterval(logKeeper)
      await endAny(cluster)
      await supervision
      await endAny(cluster) // the one that was being brought up
      if (cluster.socketDir !== cluster.directory) await rm(cluster.socketDir, { recursive: true, force: true })
    },
    async leave() {
      stopping.abort()
      clearInterval(logKeeper)
      await supervision
    },
  }
}

/** The URL of a PostgreSQL that already runs on this data directory, or null. */
export async function runningPostgres(dataDir: string): Promise<string | null> {
  const directory = await clusterDirectory(dataDir)
  const pid = await findPostmaster(directory)
  return pid === null ? null : waitUntilReady(pid, directory)
}

const START_WITHIN_MS = 60_000
const LOG_LIMIT_BYTES = 8 * 1024 * 1024

const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  port: '5432',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '256MB',
  effective_cache_size: `${Math.ceil(os.totalmem() / 2 ** 21)}MB`, // half of the memory
  huge_pages: 'try',
  random_page_cost: '1.1',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  synchronous_commit: 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '1GB', // with the next two: ready 2.7–2.9 s after kill -9 at 118 s of pgbench -c 16; 2GB, 5 min: 6.1 s
  checkpoint_timeout: '1min',
  checkpoint_completion_target: '0.5',
  wal_compression: 'pglz', // 22 KB of log an order instead of 33, for orders of 100 stores in turn
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_analyze_scale_factor: '0.02',
  log_min_messages: 'warning',
  log_error_verbosity: 'terse', // a DETAIL shows the values of a row
  log_checkpoints: 'off',
}

type Running = { pid: number; url: string; adopted: boolean; ended: Promise<number | null> }

/** Ends any server of the directory, as another process may have restarted it. */
async function endAny({ directory }: Cluster): Promise<void> {
  const pid = await findPostmaster(directory)
  if (pid !== null) await endPostmaster(pid, directory)
}

/** PostgreSQL refuses the second of two parallel starts, which then adopts. */
async function startOrAdopt(cluster: Cluster, settings: Record<string, string>, signal: AbortSignal): Promise<Running> {
  const { directory, log } = cluster
  const deadline = Date.now() + START_WITHIN_MS
  for (;;) {
    const existingPid = await findPostmaster(directory)
    if (existingPid !== null) {
      const url = await waitUntilReady(existingPid, directory, signal)
      if (url) return { pid: existingPid, url, adopted: true, ended: waitForEnd(existingPid, directory) }
    }
    signal.throwIfAborted()

    const logStart = await readFileSize(log)
    const { pid, ended, isAlive } = await launch(cluster, settings)
    const url = await waitUntilReady(pid, directory, signal, isAlive)
    if (url) return { pid, url, adopted: false, ended }
    const code = await ended
    const words = await endOfLog(log, logStart)
    const wasStopped = code === 0 // by another process, while it started
    if (signal.aborted || Date.now() > deadline || !(wasStopped || removeLeftovers(cluster, words))) {
      throw new Error(`PostgreSQL in ${directory} did not start (exit code ${code}): ${words || 'its log is empty'}`)
    }
    await sleep(20)
  }
}

/** Starts a new session: a Ctrl-C in the terminal reaches only our server, which stops PostgreSQL last. */
async function launch(cluster: Cluster, settings: Record<string, string>) {
  const own = { cluster_name: cluster.name, unix_socket_directories: cluster.socketDir }
  const options = Object.entries({ ...settings, ...own }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { file, args, identity } = commandAs(cluster.user, cluster.postgres, ['-D', cluster.directory, ...options])
  const log = await open(cluster.log, 'a', 0o600)
  try {
    const stdio = ['ignore', log.fd, log.fd] as ['ignore', number, number]
    const child = spawn(file, args, { ...identity, cwd: '/', env: ENVIRONMENT, detached: true, stdio })
    const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
    await once(child, 'spawn')
    child.unref()
    return {
      pid: child.pid as number,
      ended: exit,
      isAlive: () => child.exitCode === null && child.signalCode === null,
    }
  } finally {
    await log.close()
  }
}

async function readFileSize(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0
}

async function endOfLog(log: string, from = 0): Promise<string> {
  const text = (await readFile(log).catch(() => Buffer.alloc(0))).subarray(from).toString()
  return text.trim().split('\n').slice(-10).join('\n')
}

/** PostgreSQL appends to the file that it has open, so that file is truncated in place. */
async function limitLog(log: string): Promise<void> {
  if ((await readFileSize(log)) < LOG_LIMIT_BYTES) return
  await copyFile(log, `${log}.1`)
  await truncate(log)
}
