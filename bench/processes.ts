// The processes that a measurement starts, and the CPU time that they spend.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export type Served = { url: string; pid: number; stop(): Promise<void> }

/** Of every server that is measured. Requests of the load name the address that they come from. */
export const measuredServer = {
  SECRET_KEY: 'a key of the benchmark, 32 characters',
  LOG_LEVEL: 'error',
  DEMO: 'off',
  TRUSTED_PROXIES: '127.0.0.1',
}

/** Of a machine that is busy with other things. */
const startWithinMs = 60_000

/** Starts a Node program of this repository and waits until `path` answers. */
export async function serve(
  file: string,
  port: number,
  path: string,
  environment: Record<string, string> = {},
): Promise<Served> {
  // As npm start does: a small young generation and a heap that at most doubles between collections keep 100 MiB away
  // from the process and cost nothing measurable (docs/testing.md).
  const child = spawn(process.execPath, ['--max-semi-space-size=16', '--heap-growing-percent=100', file], {
    cwd: new URL('..', import.meta.url).pathname,
    env: { ...process.env, PORT: String(port), ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  for (const until = Date.now() + startWithinMs; !(await isReady(url + path)); await sleep(20)) {
    if (child.exitCode === null && Date.now() < until) continue
    child.kill('SIGKILL')
    throw new Error(`${file} did not start`)
  }
  return { url, pid: child.pid!, stop: () => stop(child) }
}

/** Runs `npm start` in a tree and waits until /readyz answers. The pid is the server's own. */
export async function startTree(tree: string, port: number, environment: Record<string, string>): Promise<Served> {
  const npm = spawn('npm', ['start'], {
    cwd: tree,
    env: { ...process.env, PATH: `${tree}/node_modules/.bin:${process.env.PATH}`, PORT: String(port), ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  while (!(await isReady(`${url}/readyz`))) {
    if (npm.exitCode !== null) throw new Error(`npm start ended in ${tree}`)
    await sleep(5)
  }
  const pid = serverBelow(npm.pid!)
  // Signals to 0 reach this process and its siblings.
  if (pid <= 0) throw new Error(`npm start runs no server in ${tree}`)
  return {
    url,
    pid,
    async stop() {
      process.kill(pid, 'SIGTERM')
      if (npm.exitCode === null) await once(npm, 'exit')
    },
  }
}

function isReady(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** npm starts a shell, which starts Node. */
function serverBelow(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  for (const child of children.filter(Boolean).map(Number)) {
    const command = readFileSync(`/proc/${child}/cmdline`, 'utf8')
    const found = /src\/(program\/)?main\.ts/.test(command) && !command.startsWith('sh\0') ? child : serverBelow(child)
    if (found > 0) return found
  }
  return 0
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

/** CPU microseconds of one process since it began. */
export function cpuOf(pid: number): number {
  return ticksOf(pid, false) * 10_000
}

/** CPU microseconds of the processes that this one started and that have ended. */
export function cpuOfEndedChildren(): number {
  return (ticksOf(process.pid, true) - ticksOf(process.pid, false)) * 10_000
}

/** CPU microseconds of a PostgreSQL server: the postmaster, its children, and those that have ended. */
export function cpuOfPostgres(postmaster: number): number {
  for (;;) {
    const before = ticksOf(postmaster, true)
    const children = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === postmaster)
    const sum = children.reduce((sum, pid) => sum + ticksOf(pid, false), before)
    // A child that ends meanwhile is missed by both: after pgbench, whose connections end with it, up to half of all.
    if (ticksOf(postmaster, true) === before) return sum * 10_000
  }
}

export function memoryMiBOf(pid: number): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)
  return Math.round(Number(line?.[1] ?? 0) / 1024)
}

function fieldsOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

function parentOf(pid: number): number {
  return Number(fieldsOf(pid)[1])
}

// proc(5): utime, stime, cutime, cstime in ticks of 10 ms
function ticksOf(pid: number, withEnded: boolean): number {
  const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fieldsOf(pid).slice(11, 15).map(Number)
  return utime + stime + (withEnded ? cutime + cstime : 0)
}
