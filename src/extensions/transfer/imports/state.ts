// An import as the job sees it: its row, locked, and the rows of its next records.
import type { Db, Tx } from '../../../kit/database/database.ts'
import { records, sql, type Sql } from '../../../kit/database/sql.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import type { ToMarkdown } from './markdown.ts'
import { customers } from './customers.ts'
import { discounts } from './discounts.ts'
import type { ImportStatus, MatchKey, Outcome } from './import.ts'
import type { Fix } from './fixes.ts'
import type { RecordKind } from './kind.ts'
import { orders } from './orders.ts'
import { products } from './products.ts'
import { redirects } from './redirects.ts'
import { listRemarks, readFieldValues, type MappedColumn, type MappedRow } from './record.ts'
import type { RowMessage } from './notes.ts'
import type { ImportKind } from './sources/source.ts'
import type { Store } from '../../../tenancy/stores/store.ts'

export const handlers: Record<ImportKind, RecordKind> = { products, customers, orders, discounts, redirects }

export type ImportState = {
  id: string
  kind: ImportKind
  status: ImportStatus
  on_duplicate: 'skip' | 'update' | 'reject'
  match_by: MatchKey
  fixes: readonly Fix[]
  /** The columns, and whether numbers have decimal commas. */
  columns: MappedColumn[]
  is_decimal_comma: boolean
  actor: Actor
  images_pending: number
  /** The rows up to this number are done. */
  position: number
  started_at: Date | null
}

export type ImportRecord = { record: number; before: Outcome | null; rows: MappedRow[] }

/** How long an import is left alone while a process works on it. If the process ends, another goes on then. */
export const leaseMs = 20_000

/** The import, locked until the end of the transaction, if it is in this state. */
export async function lockImport(
  tx: Tx,
  storeId: string,
  id: string,
  status: ImportStatus,
): Promise<ImportState | null> {
  const state = await tx.one<ImportState>(sql`
    select id, kind, status, on_duplicate, match_by, fixes, columns, is_decimal_comma, actor, images_pending, position,
           started_at
    from imports
    where store_id = ${storeId}
      and id = ${id}
    for no key update`)
  return state?.status === status ? state : null
}

/** The records of the next rows with one of these outcomes. */
export async function nextRecords(
  db: Db,
  store: Store,
  state: ImportState,
  { outcome, size, toMarkdown }: { outcome: 'unchecked' | 'planned'; size: number; toMarkdown: ToMarkdown },
): Promise<ImportRecord[]> {
  // Each outcome by itself, in the order of the index: all rows that wait would be sorted for each batch.
  const firstWith = (isNext: Sql) => sql`(
    select number, record
    from import_rows
    where store_id = ${store.id}
      and import_id = ${state.id}
      and number > ${state.position}
      and ${isNext}
    order by outcome, number
    limit ${size * 4})`
  const next = await db.rows<{ record: number }>(
    outcome === 'unchecked'
      ? firstWith(sql`outcome is null`)
      : sql`
    ${firstWith(sql`outcome = 'to_create'`)}
    union all
    ${firstWith(sql`outcome = 'to_update'`)}
    order by number
    limit ${size * 4}`,
  )
  const numbers = [...new Set(next.map(({ record }) => record))].slice(0, size)
  if (numbers.length === 0) return []
  const rows = await db.rows<{
    number: number
    line: number
    record: number
    outcome: Outcome | null
    cells: string[]
  }>(sql`
    select number, line, record, outcome, cells
    from import_rows
    where store_id = ${store.id}
      and import_id = ${state.id}
      and record = any(${numbers}::int[])
    order by record, number`)
  const context = { ...state, isDecimalComma: state.is_decimal_comma, timezone: store.timezone, toMarkdown }
  return [...Map.groupBy(rows, ({ record }) => record)].map(([record, own]) => ({
    record,
    before: own[0]!.outcome,
    rows: own.map(({ number, line, cells }) => ({
      number,
      line,
      values: readFieldValues(cells, context),
      remarks: listRemarks(cells, state.columns),
      isTooWide: cells.length > state.columns.length,
    })),
  }))
}

/** The outcome of a record, shared by all of its rows; each message belongs to one of them. */
export type RecordResult = {
  record: ImportRecord
  outcome: Outcome
  /** The public ID of the record that was written or exists. */
  id: string | null
  messages: RowMessage[]
}

/** Writes outcomes and moves the counts of the import with them. */
export function writeResults(
  tx: Tx,
  storeId: string,
  { id }: Pick<ImportState, 'id'>,
  results: readonly RecordResult[],
  batch: number | null = null,
): void {
  const moves = new Map<string, number>()
  const move = (outcome: Outcome | null, by: number) => {
    if (outcome) moves.set(outcome, (moves.get(outcome) ?? 0) + by)
  }
  const changes = results.flatMap(({ record, outcome, id: recordId, messages }) =>
    record.rows.map(({ number }) => {
      move(record.before, -1)
      move(outcome, 1)
      const own = messages.filter((one) => one.number === number).slice(0, maxMessages)
      return { number, outcome, record_id: recordId, messages: own.map(({ number: _, ...message }) => message) }
    }),
  )
  const types = { number: 'int', outcome: 'text', record_id: 'text', messages: 'json' }
  tx.later(sql`
    update import_rows
    set outcome = change.outcome, record_id = change.record_id, messages = change.messages,
        batch = coalesce(${batch}::int, batch)
    from ${records('change', types, changes)}
    where import_rows.store_id = ${storeId}
      and import_rows.import_id = ${id}
      and import_rows.number = change.number`)
  const by = (outcome: Outcome) => moves.get(outcome) ?? 0
  tx.later(sql`
    update imports
    set rows_to_create = rows_to_create + ${by('to_create')}, rows_to_update = rows_to_update + ${by('to_update')},
        rows_created = rows_created + ${by('created')}, rows_updated = rows_updated + ${by('updated')},
        rows_skipped = rows_skipped + ${by('skipped')}, rows_rejected = rows_rejected + ${by('rejected')},
        rows_undone = rows_undone + ${by('undone')},
        position = greatest(position, ${Math.max(0, ...results.map(({ record }) => record.rows[0]!.number))}::int),
        due_at = ${new Date(tx.now.getTime() + leaseMs)}, updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = ${id}`)
}

const maxMessages = 50

/** Moves the import on to its next state; `isDue`: there is more to do. */
export function moveTo(
  tx: Tx,
  storeId: string,
  id: string,
  status: ImportStatus,
  { isDue = false, error = null }: { isDue?: boolean; error?: string | null } = {},
): void {
  const isOver = ['completed', 'stopped', 'undone', 'failed'].includes(status)
  tx.later(sql`
    update imports
    set status = ${status}, error = ${error?.slice(0, 1000) ?? null}, due_at = ${isDue ? tx.now : null},
        position = case when ${status === 'ready'} then 0 else position end, updated_at = ${tx.now},
        finished_at = case when ${isOver} then ${tx.now}::timestamptz else finished_at end
    where store_id = ${storeId}
      and id = ${id}`)
}
