// The embedded PostgreSQL: starts, adopts, restarts and stops the postmaster of a data directory.
// It listens on a Unix socket in a directory of mode 0700 only: who may enter the directory may connect.
import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, statSync, unlinkSync } from 'node:fs'
import { copyFile, open, readFile, rm, stat, truncate } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Cluster, clusterDirectory, commandAs, DATABASE, ENVIRONMENT, logOf, openCluster } from './cluster.ts'

export type Postgres = { url: string; adopted: boolean; stop(): Promise<void> }

export type PostgresOptions = {
  dataDir: string
  /** Over the defaults below; an adopted instance keeps those it was started with. */
  settings?: Record<string, string>
  /** Called when PostgreSQL ended on its own, and for every restart that failed, with the end of its log. */
  onExit?: (code: number | null, reason: string) => void
}

/** Starts (or adopts) the PostgreSQL of `dataDir`/postgres and keeps it running until stop(). */
export async function startPostgres({ dataDir, settings, onExit }: PostgresOptions): Promise<Postgres> {
  const cluster = await openCluster(dataDir)
  await limitLog(cluster.log)
  const stopping = new AbortController()
  const bringUp = () => startOrAdopt(cluster, { ...SETTINGS, ...settings }, stopping.signal)
  let postmaster = await bringUp()

  async function supervise() {
    for (let pauseMs = 0; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2 + 50, 5_000)) {
      try {
        if (pauseMs > 0) postmaster = await bringUp()
        pauseMs = 0
        const code = await postmaster.ended
        if (!stopping.signal.aborted) onExit?.(code, await readLog(cluster.log))
      } catch (error) {
        if (!stopping.signal.aborted) onExit?.(null, (error as Error).message)
        await sleep(pauseMs, undefined, { ref: false, signal: stopping.signal }).catch(() => {})
      }
    }
  }

  const supervision = supervise()
  const logKeeper = setInterval(() => void limitLog(cluster.log).catch(() => {}), 60_000).unref()
  return {
    url: postmaster.url,
    adopted: postmaster.adopted,
    async stop() {
      stopping.abort()
      clearInterval(logKeeper)
      await end(postmaster.pid, cluster.directory)
      await supervision
      await end(postmaster.pid, cluster.directory)
      if (cluster.socketDir !== cluster.directory) await rm(cluster.socketDir, { recursive: true, force: true })
    },
  }
}

/** The url of an instance that already runs on this data directory, or null. */
export async function runningPostgres(dataDir: string): Promise<string | null> {
  const directory = await clusterDirectory(dataDir)
  const lock = await readLock(directory)
  return lock && isPostmaster(lock.pid, directory) ? accepting(lock.pid, directory) : null
}

const READY_WITHIN_MS = 120_000 // recovery after a crash replays at most max_wal_size
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
  max_wal_size: '2GB',
  autovacuum_naptime: '15s',
  autovacuum_vacuum_scale_factor: '0.05',
  autovacuum_analyze_scale_factor: '0.02',
  log_min_messages: 'warning',
  log_error_verbosity: 'terse', // a DETAIL shows the values of a row
  log_checkpoints: 'off',
}

type Postmaster = { pid: number; url: string; adopted: boolean; ended: Promise<number | null> }

async function startOrAdopt(cluster: Cluster, settings: Record<string, string>, signal: AbortSignal): Promise<Postmaster> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (true) {
    const lock = await readLock(cluster.directory)
    if (lock && isPostmaster(lock.pid, cluster.directory)) {
      const url = await accepting(lock.pid, cluster.directory, signal)
      if (url) return { pid: lock.pid, url, adopted: true, ended: endOf(lock.pid, cluster.directory) }
    }
    const logStart = await sizeOf(cluster.log)
    const { pid, ended } = await launch(cluster, settings)
    const url = await accepting(pid, cluster.directory, signal)
    if (url) return { pid, url, adopted: false, ended }
    const code = await ended
    const log = await readLog(cluster.log, logStart)
    if (signal.aborted || Date.now() > deadline || !clearTheWay(cluster.directory, log)) {
      throw new Error(`PostgreSQL of ${cluster.directory} did not start (exit code ${code}): ${log || 'its log is empty'}`)
    }
    await sleep(20)
  }
}

/** In a session of its own: a Ctrl-C in the terminal reaches the server, which then stops PostgreSQL last. */
async function launch(cluster: Cluster, settings: Record<string, string>) {
  const own = { cluster_name: clusterName(cluster.directory), unix_socket_directories: cluster.socketDir }
  const options = Object.entries({ ...settings, ...own }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { file, args, identity } = commandAs(cluster.user, cluster.postgres, ['-D', cluster.directory, ...options])
  const log = await open(cluster.log, 'a', 0o600)
  const child = spawn(file, args, { ...identity, cwd: '/', env: ENVIRONMENT, detached: true, stdio: ['ignore', log.fd, log.fd] })
  const ended = new Promise<number | null>((resolve, reject) => child.once('exit', resolve).once('error', reject))
  ended.catch(() => {}) // reported by whoever awaits it
  await log.close()
  child.unref()
  if (child.pid === undefined) await ended
  return { pid: child.pid as number, ended }
}

/** Waits, through a recovery too, until the postmaster accepts connections: its url, or null when it ended before. */
async function accepting(pid: number, directory: string, signal?: AbortSignal): Promise<string | null> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (isPostmaster(pid, directory)) {
    const lock = await readLock(directory)
    if (lock?.pid === pid && lock.status === 'ready') {
      const url = `postgresql:///${DATABASE}?host=${encodeURIComponent(lock.socketDir).replaceAll('%2F', '/')}`
        + `&port=5432&user=${DATABASE}&sslmode=disable`
      if (await answers(url)) return url
    }
    if (signal?.aborted) await end(pid, directory)
    if (Date.now() > deadline) throw new Error(`PostgreSQL (pid ${pid}) of ${directory} does not accept connections: ${await readLog(logOf(directory))}`)
    await sleep(20)
  }
  return null
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** What PostgreSQL refuses to start over, and may be removed: true when another attempt makes sense. */
function clearTheWay(directory: string, log: string): boolean {
  const [, lockFile, state] = /lock file "(.+?)" (already exists|is empty)/.exec(log) ?? []
  if (lockFile) {
    removeStaleLock(path.resolve(directory, lockFile), directory, state === 'is empty')
    return true
  }
  if (!log.includes('shared memory block')) return false
  killOrphans(directory)
  return true
}

/** The pid in the file was given to another process since, or the machine went down before it was written. */
function removeStaleLock(file: string, directory: string, isEmpty: boolean): void {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    const isStale = isEmpty ? Number.isNaN(pid) && statSync(file).mtimeMs < Date.now() - 2_000 : !isPostmaster(pid, directory)
    if (isStale) unlinkSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Backends that outlived their postmaster end with their statement; it has no reader any more. */
function killOrphans(directory: string): void {
  const title = `postgres: ${clusterName(directory)}: `
  for (const [pid, command] of processes()) if (command.startsWith(title)) sendSignal(pid, 'SIGKILL')
}

/** SIGINT is the fast stop (64 ms), SIGQUIT the one that leaves a recovery to the next start. */
async function end(pid: number, directory: string): Promise<void> {
  for (const [signal, patienceMs] of [['SIGINT', 7_000], ['SIGQUIT', 7_000]] as const) {
    const deadline = Date.now() + patienceMs
    if (isPostmaster(pid, directory)) sendSignal(pid, signal)
    while (isPostmaster(pid, directory) && Date.now() < deadline) await sleep(10)
  }
  if (isPostmaster(pid, directory)) throw new Error(`PostgreSQL (pid ${pid}) of ${directory} does not stop`)
}

async function endOf(pid: number, directory: string): Promise<null> {
  while (isPostmaster(pid, directory)) await sleep(250, undefined, { ref: false })
  return null
}

/** postmaster.pid: pid, data directory, start, port, socket directory, address, shared memory, status. */
async function readLock(directory: string) {
  const lines = await readFile(path.join(directory, 'postmaster.pid'), 'utf8').then((text) => text.split('\n'), (error) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const pid = Number.parseInt(lines[0] ?? '', 10)
  return Number.isNaN(pid) ? null : { pid, socketDir: lines[4] ?? '', status: lines[7]?.trim() }
}

/** A pid alone proves nothing: the number may have gone to another process. */
function isPostmaster(pid: number, directory: string): boolean {
  return commandOf(pid).includes(` -D ${directory} -c `)
}

function commandOf(pid: number): string {
  try {
    if (!existsSync('/proc/self')) return execFileSync('ps', ['-ww', '-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' })
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

function processes(): [number, string][] {
  const pids = existsSync('/proc/self')
    ? readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    : execFileSync('ps', ['-axo', 'pid='], { encoding: 'utf8' }).split('\n').filter((line) => line.trim() !== '')
  return pids.map((pid) => [Number(pid), commandOf(Number(pid))])
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function clusterName(directory: string): string {
  return `stoa-${createHash('sha256').update(directory).digest('hex').slice(0, 12)}`
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0
}

async function readLog(log: string, from = 0): Promise<string> {
  const text = await readFile(log, 'utf8').catch(() => '')
  return Buffer.from(text).subarray(from).toString().trim().split('\n').slice(-10).join('\n')
}

/** PostgreSQL appends to the file that it was given, so the file is emptied in place. */
async function limitLog(log: string): Promise<void> {
  if ((await sizeOf(log)) < LOG_LIMIT_BYTES) return
  await copyFile(log, `${log}.1`)
  await truncate(log)
}
