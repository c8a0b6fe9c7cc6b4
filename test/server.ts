// The real server as its own process, as `npm start` runs it, on a data directory of the test's own.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../src/kit/database/open.ts'
import type { Database } from '../src/kit/database/database.ts'
import { systemClock } from '../src/kit/values/clock.ts'
import { createKey } from '../src/identity/apikeys/operations.ts'
import { scopes } from '../src/identity/apikeys/scopes.ts'
import { provideDatabase } from '../src/platform/postgres/provide.ts'
import { runningPostgres } from '../src/platform/postgres/postgres.ts'
import { createStore } from '../src/tenancy/stores/operations.ts'
import { loadStore } from '../src/tenancy/stores/store.ts'

export const root = fileURLToPath(new URL('..', import.meta.url))

export type Ended = { code: number | null; signal: string | null; stdout: string; stderr: string }

// Compiled code is kept between programs, as "npm start" does it.
const compileCache = process.env.NODE_COMPILE_CACHE ?? 'node_modules/.cache/stoa'

/** A program of src/, or a script, in a process of its own, without the environment of the tests. */
export function run(
  file: string,
  args: string[],
  { env = {}, cwd = root }: { env?: Record<string, string>; cwd?: string } = {},
) {
  const program = path.resolve(root, file)
  const [command, ...words] = file.endsWith('.ts') ? [process.execPath, program] : [program]
  const child = spawn(command!, [...words, ...args], {
    cwd,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: path.resolve(root, compileCache), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, stdout, stderr }))
  // The last line may have come in part.
  const whole = () => stdout.split('\n').slice(0, -1)
  const lines = () =>
    whole()
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
  return { child, ended, lines }
}

export type Server = {
  url: string
  child: ChildProcess
  /** The log so far. */
  lines(): any[]
  ended: Promise<Ended>
  /** Sends a signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<Ended>
}

const maxDrainMs = 60_000

// What was started on each data directory.
const started = new Map<string, ReturnType<typeof run>[]>()

/** Resolves when the server says that it is ready; rejects with its words when it ends before. */
export async function startServer(
  dataDir: string,
  env: Record<string, string> = {},
  args: string[] = [],
  file = 'src/program/main.ts',
): Promise<Server> {
  const program = run(file, args, { env: { PORT: '0', DEMO: 'off', DATA_DIR: dataDir, ...env } })
  started.set(dataDir, [...(started.get(dataDir) ?? []), program])
  const { child, ended, lines } = program
  const ready = new Promise<string>((resolve) => {
    child.stdout.on('data', function look() {
      const line = lines().find(({ msg }) => msg === 'ready')
      if (!line) return
      child.stdout.off('data', look)
      resolve(line.api.replace(/\/v1$/, ''))
    })
  })
  const failed = ended.then(({ code, stderr }) => Promise.reject(new Error(`the server ended with ${code}: ${stderr}`)))
  failed.catch(() => {})
  const url = await Promise.race([ready, failed])
  return {
    url,
    child,
    lines,
    ended,
    end(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}

/**
 * A data directory of a test; what still runs on it at the end is stopped. Node runs hooks in the order of their
 * registration and none after one that fails, so this one ends the servers itself.
 */
export async function newDataDir(t: { after(hook: () => Promise<void>): void }): Promise<string> {
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'stoa-server-'))
  t.after(async () => {
    for (const { child, ended } of started.get(dataDir) ?? []) {
      child.kill('SIGTERM')
      const impatience = setTimeout(() => child.kill('SIGKILL'), maxDrainMs)
      await ended
      clearTimeout(impatience)
    }
    if (await runningPostgres(dataDir)) await (await provideDatabase({ dataDir, databaseUrl: null })).release()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  })
  return dataDir
}

/** The database of the server that runs on the directory. */
export async function databaseOf(dataDir: string): Promise<Database> {
  return openDatabase({ url: (await runningPostgres(dataDir))!, clock: systemClock, connections: 2 })
}

/** A store with live keys for everything. */
export async function newStore(
  dataDir: string,
  numberOfKeys = 1,
): Promise<{ id: string; key: string; keys: string[] }> {
  const db = await databaseOf(dataDir)
  try {
    return await db.transaction(async (tx) => {
      const id = await createStore(tx, { name: 'Shop', currency: 'USD', country_code: 'US', timezone: 'UTC' })
      const store = (await loadStore(tx, id))!
      const one = { name: 'test', mode: 'live' as const, scopes: [...scopes], expires_at: null, is_active: true }
      const made = await Promise.all(Array.from({ length: numberOfKeys }, () => createKey(tx, store, one)))
      const keys = made.map(({ key }) => key)
      return { id, key: keys[0]!, keys }
    })
  } finally {
    await db.close()
  }
}

/** The processes that serve for the first one. */
export async function workersOf(pid: number): Promise<number[]> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number)
  const commands = await Promise.all(
    children.map((child) => readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '')),
  )
  return children.filter((_, index) => commands[index]!.includes('main.ts'))
}
