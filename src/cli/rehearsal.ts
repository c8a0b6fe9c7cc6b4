// --dry-run: a command's transaction is undone, and what it has changed is told, row by row. PostgreSQL knows all of
// it: the tables by the transaction's locks, the rows by who wrote them, and how they were by asking outside of it.
import type { Database, Db, Tx } from '../kit/database/database.ts'
import { join, raw, sql, type Sql } from '../kit/database/sql.ts'
import type { Outcome, Session } from './session.ts'

type Cells = Record<string, unknown>

/** `before` null: it would be made; `after` null: it would be gone. Of a change the columns that differ. */
type RowChange = { table: string; key: Cells; before: Cells | null; after: Cells | null }

type Rehearsal = {
  changes: RowChange[]
  /** Tables in which it would write, and which are too large to be looked through for it. */
  unread: string[]
}

/** What the command itself says is left out: the keys and links that it made are gone again. */
export async function rehearsed(session: Session, run: (session: Session) => Promise<Outcome>): Promise<Outcome> {
  const { db } = session
  const rehearsal: Rehearsal = { changes: [], unread: [] }
  const transaction: Database['transaction'] = (effect) =>
    db.rehearse(effect, async (tx, result) => {
      const { changes, unread } = await changedIn(tx, db)
      rehearsal.changes.push(...changes)
      rehearsal.unread.push(...unread)
      return result
    })
  await run({ ...session, db: { ...db, transaction } })
  return { json: { rehearsal }, text: textOf(rehearsal) }
}

/** A page has 8 KiB. */
const mostPages = 100_000

type Table = { name: string; key: string[]; isLarge: boolean; writer: string }

async function changedIn(tx: Tx, outside: Db): Promise<Rehearsal> {
  const tables = await tx.rows<Table>(sql`
    select relname::text as name, relpages > ${mostPages} as "isLarge",
      pg_current_xact_id_if_assigned()::xid::text as writer,
      array(
        select attname::text
        from pg_index
        join pg_attribute on attrelid = indrelid and attnum = any(indkey)
        where indrelid = pg_class.oid
          and indisprimary
        order by attnum) as key
    from pg_locks
    join pg_class on pg_class.oid = pg_locks.relation
    where pg_locks.pid = pg_backend_pid()
      and pg_locks.mode = 'RowExclusiveLock'
      and relkind = 'r'
      and relnamespace = current_schema()::regnamespace
    order by relname`)
  const changes: RowChange[] = []
  for (const table of tables.filter(({ isLarge }) => !isLarge)) changes.push(...(await changedRows(tx, outside, table)))
  return { changes, unread: tables.filter(({ isLarge }) => isLarge).map(({ name }) => name) }
}

async function changedRows(tx: Tx, outside: Db, { name, key, writer }: Table): Promise<RowChange[]> {
  const table = raw(name)
  const keys = join(
    key.map((column) => raw(column)),
    ', ',
  )
  const those = (rows: readonly Cells[]): Sql =>
    sql`jsonb_populate_recordset(null::${table}, ${JSON.stringify(rows)}::jsonb)`
  const cells = (rows: { cells: Cells }[]) => rows.map((row) => row.cells)
  const after = cells(
    await tx.rows<{ cells: Cells }>(sql`
    select to_jsonb(own) as cells
    from ${table} as own
    where own.xmin = ${writer}::text::xid`),
  )
  const before = cells(
    await outside.rows<{ cells: Cells }>(sql`
    select to_jsonb(earlier) as cells
    from ${table} as earlier
    where earlier.xmax = ${writer}::text::xid
    union
    select to_jsonb(earlier)
    from ${those(after)} as later
    join ${table} as earlier using (${keys})`),
  )
  // What it has only locked bears its mark too.
  const untouched = cells(
    await tx.rows<{ cells: Cells }>(sql`
    select to_jsonb(now) as cells
    from ${those(before)} as earlier
    join ${table} as now using (${keys})
    where now.xmin <> ${writer}::text::xid`),
  )
  const nameOf = (row: Cells) => JSON.stringify(key.map((column) => row[column]))
  const locked = new Set(untouched.map(nameOf))
  const was = new Map(before.filter((row) => !locked.has(nameOf(row))).map((row) => [nameOf(row), row]))
  const is = new Map(after.map((row) => [nameOf(row), row]))
  // What was written again as it was is no change.
  const names = [...new Set([...was.keys(), ...is.keys()])].filter(
    (row) => JSON.stringify(was.get(row)) !== JSON.stringify(is.get(row)),
  )
  return names.map((row) => ({
    table: name,
    key: told(pick(was.get(row) ?? is.get(row)!, key)),
    ...differing(was.get(row), is.get(row)),
  }))
}

function differing(was: Cells | undefined, is: Cells | undefined): Pick<RowChange, 'before' | 'after'> {
  if (!was || !is) return { before: was ? told(was) : null, after: is ? told(is) : null }
  const names = Object.keys(is).filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]))
  return { before: told(pick(was, names)), after: told(pick(is, names)) }
}

function pick(row: Cells, names: readonly string[]): Cells {
  return Object.fromEntries(names.map((name) => [name, row[name]]))
}

const secret = /secret|password|hash|token|payload/

function told(row: Cells): Cells {
  return Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, secret.test(name) && cell !== null ? '***' : cell]),
  )
}

function textOf({ changes, unread }: Rehearsal): string {
  const large = unread.map((table) => `? ${table}: it would write here; the table is too large to be looked through`)
  const lines = [...changes.map(lineOf), ...large]
  return lines.length === 0 ? 'It would change nothing' : ['Nothing was changed. It would:', ...lines].join('\n')
}

function lineOf({ table, key, before, after }: RowChange): string {
  if (before === null) return `+ ${table} ${JSON.stringify(after)}`
  if (after === null) return `- ${table} ${JSON.stringify(before)}`
  const fields = Object.keys(after).map(
    (name) => `${name} ${JSON.stringify(before[name])} → ${JSON.stringify(after[name])}`,
  )
  return `~ ${table} ${Object.values(key).join(' ')}: ${fields.join(', ')}`
}
