// Migrations that only make or drop indexes, while nodes of the previous version read and write the tables. PostgreSQL
// builds such an index outside a transaction, and leaves an invalid one if that is interrupted.
import type pg from 'pg'
import type { LockPatience } from './lockwait.ts'
import type { Migration } from './migrations.ts'

/** The first line of such a file. The rest of it is plain SQL, for databases that nobody uses yet. */
const mark = '-- concurrently\n'

/** A build holds up nobody, so it waits longer for the transactions that began before it: five minutes in all. */
export const buildPatience: LockPatience = { waitMs: 60_000, pauseMs: 1_000, tries: 5 }

export const isConcurrent = (migration: Migration): boolean => migration.text.startsWith(mark)

/** Outside a transaction. Again, it builds what is missing or invalid. */
export async function applyConcurrently(client: pg.Client, migration: Migration): Promise<void> {
  for (const { index, isDrop, statement } of listIndexStatements(migration)) {
    const state = await readState(client, index)
    if (isDrop ? state !== 'absent' : state === 'invalid') await client.query(`drop index concurrently ${index}`)
    if (!isDrop && state !== 'valid') await client.query(statement.replace(/ index /, ' index concurrently '))
  }
}

type IndexStatement = { index: string; isDrop: boolean; statement: string }

/** Throws if the file has another statement than `create index name on …` and `drop index name`. */
export function listIndexStatements({ name, text }: Migration): IndexStatement[] {
  const lines = text.split('\n').filter((line) => !line.startsWith('--'))
  const statements = lines
    .join('\n')
    .split(/;\n/)
    .map((statement) => statement.trim())
  return statements.filter(Boolean).map((statement) => {
    const match = /^(?:create (?:unique )?index (\w+)\s+on\s|drop index (\w+)$)/.exec(statement)
    if (!match)
      throw new Error(`${name} is marked "concurrently", but does more than make and drop indexes: ${statement}`)
    return { index: (match[1] ?? match[2])!, isDrop: match[2] !== undefined, statement }
  })
}

async function readState(client: pg.Client, index: string): Promise<'absent' | 'invalid' | 'valid'> {
  const { rows } = await client.query<{ valid: boolean }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  )
  if (rows.length === 0) return 'absent'
  return rows[0]!.valid ? 'valid' : 'invalid'
}
