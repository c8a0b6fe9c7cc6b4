// The first process of a PostgreSQL server: finding it, waiting until it is ready, ending it, and removing what it
// leaves behind.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, unlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { DATABASE } from './cluster.ts'

const READY_WITHIN_MS = 120_000 // a recovery replays at most max_wal_size

/** The pid of the postmaster that runs on this data directory, ready or not. */
export async function findPostmaster(directory: string): Promise<number | null> {
  const lock = await readLock(directory)
  return lock && isPostmaster(lock.pid, directory) ? lock.pid : null
}

/**
 * Waits, even through a recovery, until the postmaster accepts connections. Returns its URL, or null if it ended
 * first.
 */
export async function waitUntilReady(
  pid: number,
  directory: string,
  signal?: AbortSignal,
  /** For a child process, callers know more: during exec, the kernel briefly shows no command line. */
  isAlive = () => isPostmaster(pid, directory),
): Promise<string | null> {
  const deadline = Date.now() + READY_WITHIN_MS
  while (isAlive()) {
    const lock = await readLock(directory)
    if (lock?.pid === pid && lock.status === 'ready') {
      const url = buildSocketUrl(lock.socketDir)
      if (await answers(url)) return url
    }
    if (signal?.aborted) await endPostmaster(pid, directory)
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL (pid ${pid}) in ${directory} is running but does not respond`)
    await sleep(20)
  }
  return null
}

/** SIGINT is the fast stop; SIGQUIT leaves a recovery to the next start. */
export async function endPostmaster(pid: number, directory: string): Promise<void> {
  for (const [signal, patienceMs] of [
    ['SIGINT', 7_000],
    ['SIGQUIT', 2_000],
  ] as const) {
    const deadline = Date.now() + patienceMs
    if (isPostmaster(pid, directory)) sendSignal(pid, signal)
    while (isPostmaster(pid, directory) && Date.now() < deadline) await sleep(10)
  }
  if (isPostmaster(pid, directory)) throw new Error(`PostgreSQL (pid ${pid}) in ${directory} does not stop`)
}

/** Resolves when a postmaster that is not our child has ended; its exit code is unknown. */
export async function waitForEnd(pid: number, directory: string): Promise<null> {
  while (isPostmaster(pid, directory)) await sleep(250, undefined, { ref: false })
  return null
}

/**
 * Removes the files over which PostgreSQL refused to start, by its log. Returns true if another attempt makes sense.
 */
export function removeLeftovers({ directory, name }: { directory: string; name: string }, log: string): boolean {
  const [, lockFile, state] = /lock file "(.+?)" (already exists|is empty)/.exec(log) ?? []
  if (lockFile) removeStaleLock(path.resolve(directory, lockFile), directory, state === 'is empty')
  const hasOrphans = log.includes('pre-existing shared memory block')
  if (hasOrphans) killOrphans(name)
  return lockFile !== undefined || hasOrphans
}

/** The pid belongs to another process now, or the machine crashed before the file was written. */
function removeStaleLock(file: string, directory: string, isEmpty: boolean): void {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10)
    const isUnwritten = Number.isNaN(pid) && statSync(file).mtimeMs < Date.now() - 2_000
    if (isEmpty ? isUnwritten : !isPostmaster(pid, directory)) unlinkSync(file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Orphaned backends notice the end of their postmaster only after their statement, whose result nobody reads. */
function killOrphans(name: string): void {
  const title = `postgres: ${name}: `
  for (const pid of allPids()) if (readProcessCommand(pid).startsWith(title)) sendSignal(pid, 'SIGKILL')
}

/** Lines of postmaster.pid: pid, data directory, start, port, socket directory, address, shared memory, status. */
async function readLock(directory: string) {
  const text = await readFile(path.join(directory, 'postmaster.pid'), 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error
    return ''
  })
  const lines = text.split('\n')
  const pid = Number.parseInt(text, 10)
  return Number.isNaN(pid) ? null : { pid, socketDir: lines[4] ?? '', status: lines[7]?.trim() }
}

/** The pid alone proves nothing: it may belong to another process by now. */
function isPostmaster(pid: number, directory: string): boolean {
  return `${readProcessCommand(pid)} `.includes(` -D ${directory} `)
}

/**
 * The port names the file of the socket. All parameters are set here, so that no PGPORT, PGUSER or PGSSLMODE applies.
 */
function buildSocketUrl(socketDir: string): string {
  const host = encodeURIComponent(socketDir).replaceAll('%2F', '/')
  return `postgresql:///${DATABASE}?host=${host}&port=5432&user=${DATABASE}&sslmode=disable`
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

const hasProc = existsSync('/proc/self/cmdline')

function readProcessCommand(pid: number): string {
  try {
    return hasProc
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd()
      : execFileSync('ps', ['-ww', '-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).trimEnd()
  } catch {
    return '' // ended
  }
}

function allPids(): number[] {
  const names = hasProc ? readdirSync('/proc') : execFileSync('ps', ['-axo', 'pid='], { encoding: 'utf8' }).split('\n')
  return names.map(Number).filter((pid) => pid > 0)
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
