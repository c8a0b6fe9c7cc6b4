// The database's ceiling: pgbench (Debian: postgresql-contrib) running the same SQL.
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { systemClock } from '../src/kit/clock.ts'
import type { Db } from '../src/kit/database.ts'
import { compile, type Statement } from '../src/kit/sql.ts'
import { cpuOfPostgres } from './processes.ts'

export type PgbenchResult = { perSecond: number; p50: number; cpuMicroseconds: number }

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
  { url, postmaster }: { url: string; postmaster: number }, scripts: string[], seconds: number, clients = 8,
): Promise<PgbenchResult> {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-pgbench-'))
  try {
    const files = scripts.map((script, index) => {
      const file = join(folder, `${index}.sql`)
      writeFileSync(file, script.includes(';\n') ? script : `${script.trim().replaceAll(/\s*\n\s*/g, ' ')};\n`)
      return ['-f', file]
    })
    const before = cpuOfPostgres(postmaster)
    const { stdout } = await promisify(execFile)('pgbench', [
      '-n', '-M', 'prepared', '-c', String(clients), '-j', '1', '-T', String(seconds), ...files.flat(), url,
    ])
    const transactions = Number(/number of transactions actually processed: (\d+)/.exec(stdout)?.[1])
    return {
      perSecond: Number(/tps = ([\d.]+)/.exec(stdout)?.[1]),
      p50: Number(/latency average = ([\d.]+)/.exec(stdout)?.[1]),
      cpuMicroseconds: (cpuOfPostgres(postmaster) - before) / transactions,
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The first statement that a read sends, with its values written in: what pgbench shall run. */
export async function statementOf(read: (db: Db) => Promise<unknown>): Promise<string> {
  const sent: Statement[] = []
  const stop = new Error('recorded')
  const record: Db['texts'] = async (query) => {
    sent.push(compile(query, systemClock.now()))
    throw stop
  }
  await read({ clock: systemClock, rows: record as never, one: record as never, texts: record }).catch((error) => {
    if (error !== stop) throw error
  })
  const { text, values } = sent[0]!
  return text.replaceAll(/\$(\d+)/g, (_match, position) => literal(values[Number(position) - 1]))
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return String(value)
  if (value instanceof Date) return `'${value.toISOString()}'::timestamptz`
  if (Array.isArray(value)) return `array[${value.map(literal).join(', ')}]`
  return `'${String(value).replaceAll("'", "''")}'`
}
