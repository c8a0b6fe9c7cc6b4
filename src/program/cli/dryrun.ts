// --dry-run undoes a command's transaction and reports its changes row by row. PostgreSQL knows them: the transaction's
// locks name the tables, xmin names the rows, and a query outside the transaction reads them as they were.
import type { Database, Db, Tx } from '../../kit/database/database.ts'
import { join, raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { CommandResult, CommandSession } from './session.ts'

type RowValues = Record<string, unknown>

/** `before` is null for a new row, `after` for a deleted one. An updated row has only the columns that differ. */
type DryRunChange = { table: string; key: RowValues; before: RowValues | null; after: RowValues | null }

type DryRun = {
  changes: DryRunChange[]
  /** Tables it would write to that are too large to be searched. */
  unread: string[]
}

/** Drops the command's own result: the keys and links it created are undone. */
export async function dryRun(
  session: CommandSession,
  run: (session: CommandSession) => Promise<CommandResult>,
): Promise<CommandResult> {
  const { db } = session
  const rehearsal: DryRun = { changes: [], unread: [] }
  const transaction: Database['transaction'] = (effect) =>
    db.dryRun(effect, async (tx, result) => {
      const { changes, unread } = await changesIn(tx, db)
      rehearsal.changes.push(...changes)
      rehearsal.unread.push(...unread)
      return result
    })
  await run({ ...session, db: { ...db, transaction } })
  return { json: { rehearsal }, text: formatDryRun(rehearsal) }
}

/** A page of PostgreSQL has 8 KiB. */
const maxPages = 100_000

type ChangedTable = { name: string; key: string[]; isLarge: boolean; writer: string }

async function changesIn(tx: Tx, outside: Db): Promise<DryRun> {
  const tables = await tx.rows<ChangedTable>(sql`
    select relname::text as name, relpages > ${maxPages} as "isLarge",
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
      and relname <> 'store_versions'
      and relnamespace = current_schema()::regnamespace
    order by relname`)
  const changes: DryRunChange[] = []
  for (const table of tables.filter(({ isLarge }) => !isLarge)) changes.push(...(await rowChanges(tx, outside, table)))
  return { changes, unread: tables.filter(({ isLarge }) => isLarge).map(({ name }) => name) }
}

async function rowChanges(tx: Tx, outside: Db, { name, key, writer }: ChangedTable): Promise<DryRunChange[]> {
  const table = raw(name)
  const keys = join(
    key.map((column) => raw(column)),
    ', ',
  )
  const recordset = (rows: readonly RowValues[]): Sql =>
    sql`jsonb_populate_recordset(null::${table}, ${JSON.stringify(rows)}::jsonb)`
  const cells = (rows: { cells: RowValues }[]) => rows.map((row) => row.cells)
  const after = cells(
    await tx.rows<{ cells: RowValues }>(sql`
    select to_jsonb(own) as cells
    from ${table} as own
    where own.xmin = ${writer}::text::xid`),
  )
  const before = cells(
    await outside.rows<{ cells: RowValues }>(sql`
    select to_jsonb(earlier) as cells
    from ${table} as earlier
    where earlier.xmax = ${writer}::text::xid
    union
    select to_jsonb(earlier)
    from ${recordset(after)} as later
    join ${table} as earlier using (${keys})`),
  )
  // Rows that were only locked carry the writer's mark too.
  const cellsOfRest = cells(
    await tx.rows<{ cells: RowValues }>(sql`
    select to_jsonb(now) as cells
    from ${recordset(before)} as earlier
    join ${table} as now using (${keys})
    where now.xmin <> ${writer}::text::xid`),
  )
  const buildRowKey = (row: RowValues) => JSON.stringify(key.map((column) => row[column]))
  const rowKeys = new Set(cellsOfRest.map(buildRowKey))
  const beforeByKey = new Map(
    before.filter((row) => !rowKeys.has(buildRowKey(row))).map((row) => [buildRowKey(row), row]),
  )
  const afterByKey = new Map(after.map((row) => [buildRowKey(row), row]))
  // A row rewritten with the same values is not a change.
  const names = [...new Set([...beforeByKey.keys(), ...afterByKey.keys()])].filter(
    (row) => JSON.stringify(beforeByKey.get(row)) !== JSON.stringify(afterByKey.get(row)),
  )
  return names.map((row) => ({
    table: name,
    key: maskSecrets(pick(beforeByKey.get(row) ?? afterByKey.get(row)!, key)),
    ...changedColumns(beforeByKey.get(row), afterByKey.get(row)),
  }))
}

function changedColumns(
  before: RowValues | undefined,
  after: RowValues | undefined,
): Pick<DryRunChange, 'before' | 'after'> {
  if (!before || !after)
    return { before: before ? maskSecrets(before) : null, after: after ? maskSecrets(after) : null }
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return { before: maskSecrets(pick(before, names)), after: maskSecrets(pick(after, names)) }
}

function pick(row: RowValues, names: readonly string[]): RowValues {
  return Object.fromEntries(names.map((name) => [name, row[name]]))
}

const secret = /secret|password|hash|token|payload/

function maskSecrets(row: RowValues): RowValues {
  return Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, secret.test(name) && cell !== null ? '***' : cell]),
  )
}

function formatDryRun({ changes, unread }: DryRun): string {
  const large = unread.map((table) => `? ${table}: rows would change, but the table is too large to list them`)
  const lines = [...changes.map(formatChange), ...large]
  return lines.length === 0 ? 'Nothing would change' : ['Nothing was changed. The command would:', ...lines].join('\n')
}

function formatChange({ table, key, before, after }: DryRunChange): string {
  if (before === null) return `+ ${table} ${JSON.stringify(after)}`
  if (after === null) return `- ${table} ${JSON.stringify(before)}`
  const fields = Object.keys(after).map(
    (name) => `${name} ${JSON.stringify(before[name])} → ${JSON.stringify(after[name])}`,
  )
  return `~ ${table} ${Object.values(key).join(' ')}: ${fields.join(', ')}`
}
