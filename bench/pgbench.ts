// The database's ceiling: pgbench (Debian: postgresql-contrib) running the same SQL.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cpuOfPostgres } from './processes.ts'

export type PgbenchResult = { perSecond: number; p50: number; cpuMicroseconds: number }

export type PgbenchOptions = {
  clients?: number
  /** pgbench sends them as parameters of the prepared statement. */
  variables?: Record<string, string>
  /** Of the server's sessions, as PGOPTIONS. */
  settings?: string
  /** Transactions a second; without, as many as it can. */
  rate?: number
}

type Target = { url: string; postmaster: number }

export function hasPgbench(): boolean {
  try {
    execFileSync('pgbench', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs the scripts in turn over `clients` connections; one of several statements has a line for each. */
export async function pgbench(
  target: Target,
  scripts: string[],
  seconds: number,
  { clients = 8, variables = {}, settings, rate }: PgbenchOptions = {},
): Promise<PgbenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-pgbench-'))
  try {
    const options = [
      '-n',
      '-M',
      'prepared',
      '-c',
      String(clients),
      '-j',
      '1',
      ...Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
      ...scripts.flatMap((script, index) => ['-f', fileOf(script, join(folder, `${index}.sql`))]),
    ]
    const environment: NodeJS.ProcessEnv = settings ? { PGOPTIONS: settings } : {}
    // Connections that open and plan count against pgbench, and the server has them: a run of little else is taken off.
    const short = scripts.length === 1 ? 1 : 2 * scripts.length
    const start = settings !== undefined && (await counted(target, ['-t', String(short), ...options], environment))
    const pace = rate ? ['-R', String(rate)] : []
    const run = await counted(target, ['-T', String(seconds), ...pace, ...options], environment)
    const off = start && run.transactions > 2 * start.transactions ? start : { cpuMicroseconds: 0, transactions: 0 }
    return {
      perSecond: Number(/tps = ([\d.]+)/.exec(run.stdout)?.[1]),
      p50: Number(/latency average = ([\d.]+)/.exec(run.stdout)?.[1]),
      cpuMicroseconds: (run.cpuMicroseconds - off.cpuMicroseconds) / (run.transactions - off.transactions),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function fileOf(script: string, file: string): string {
  writeFileSync(file, script.includes(';\n') ? script : `${script.trim().replaceAll(/\s*\n\s*/g, ' ')};\n`)
  return file
}

async function counted({ url, postmaster }: Target, options: string[], environment: NodeJS.ProcessEnv) {
  const before = cpuOfPostgres(postmaster)
  const env = { ...process.env, ...environment }
  const { stdout } = await promisify(execFile)('pgbench', [...options, url], { env })
  return {
    stdout,
    cpuMicroseconds: cpuOfPostgres(postmaster) - before,
    transactions: Number(/number of transactions actually processed: (\d+)/.exec(stdout)?.[1]),
  }
}
