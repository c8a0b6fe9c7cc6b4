// The database's ceiling: pgbench (Debian: postgresql-contrib) running the same SQL.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { cpuOfPostgres } from './processes.ts'
import type { Replay } from './replay.ts'

export type PgbenchResult = { perSecond: number; p50: number; cpuMicroseconds: number }

export type PgbenchOptions = {
  clients?: number
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

/** Runs the replay over `clients` connections. */
export async function pgbench(
  target: Target,
  { script, variables, choices }: Replay,
  seconds: number,
  { clients = 8, settings, rate }: PgbenchOptions = {},
): Promise<PgbenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-pgbench-'))
  const file = join(folder, 'script.sql')
  try {
    const lookUp = await keepChoices(target.url, choices)
    writeFileSync(file, lookUp + script)
    const given = Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`])
    const options = ['-n', '-M', 'prepared', '-c', String(clients), '-j', '1', ...given, '-f', file]
    const environment: NodeJS.ProcessEnv = settings ? { PGOPTIONS: settings } : {}
    // Connections that open and plan count against pgbench, and the server has them: a run of little else is taken off.
    const start = await counted(target, ['-t', '1', ...options], environment)
    const pace = rate ? ['-R', String(rate)] : []
    const run = await counted(target, ['-T', String(seconds), ...pace, ...options], environment)
    const off = run.transactions > 2 * start.transactions ? start : { cpuMicroseconds: 0, transactions: 0 }
    return {
      perSecond: Number(/tps = ([\d.]+)/.exec(run.stdout)?.[1]),
      p50: Number(/latency average = ([\d.]+)/.exec(run.stdout)?.[1]),
      cpuMicroseconds: (run.cpuMicroseconds - off.cpuMicroseconds) / (run.transactions - off.transactions),
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
    await query(target.url, 'drop table if exists bench_choices')
  }
}

/** pgbench has no variables of text but what it reads: the parameters of each store are rows of a table. */
async function keepChoices(url: string, choices: Replay['choices']): Promise<string> {
  const [first] = choices
  if (!first) return ''
  const names = Object.keys(first)
  const columns = names.map((name) => `${name} text`).join(', ')
  await query(url, `create table bench_choices (n int primary key, ${columns})`)
  const places = names.map((_, index) => `$${index + 2}`).join(', ')
  for (const [n, choice] of choices.entries()) {
    const values = names.map((name) => choice[name])
    await query(url, `insert into bench_choices values ($1, ${places})`, [n + 1, ...values])
  }
  return `\\set n random(1, ${choices.length})\nselect ${names.join(', ')} from bench_choices where n = :n \\gset\n`
}

async function query(url: string, text: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(text, values).finally(() => client.end())
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
