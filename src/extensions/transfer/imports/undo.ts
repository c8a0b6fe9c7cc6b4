// Undoes an import, the last batch first, by the audit log. Where a record was changed since, the batch's other new
// records are removed one by one, and its own row gives the reason why it stays.
import type { StoreDatabase, Tx } from '../../../kit/database/database.ts'
import { empty, raw, sql, type Sql } from '../../../kit/database/sql.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { scopes } from '../../../identity/apikeys/scopes.ts'
import { removeUnused, revertChange } from '../../../developer/auditlog/revert.ts'
import type { UndoCall, UndoTools } from '../../../tenancy/tables/table.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { Outcome } from './import.ts'
import { remark, rowNotes } from './notes.ts'
import type { ImportKind } from './sources/source.ts'
import {
  handlers,
  lockImport,
  moveTo,
  writeResults,
  type ImportRecord,
  type ImportState,
  type RecordResult,
} from './state.ts'

export type UndoOptions = { deps: UndoTools; requestIdOf: (batch: number) => string }

type WrittenRow = { number: number; line: number; record: number; outcome: Outcome; record_id: string | null }

/** One batch; false if nothing is left to undo. */
export async function undoBatch(db: StoreDatabase, store: Store, id: string, options: UndoOptions): Promise<boolean> {
  try {
    return await db.transaction((tx) => undoIn(tx, store, id, options, 'together'))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return db.transaction((tx) => undoIn(tx, store, id, options, 'apart'))
  }
}

async function undoIn(
  tx: Tx,
  store: Store,
  id: string,
  options: UndoOptions,
  how: 'together' | 'apart',
): Promise<boolean> {
  const state = await lockImport(tx, store.id, id, 'undoing')
  if (!state) return false
  const last = await tx.one<{ batch: number }>(sql`
    select batch
    from import_rows
    where store_id = ${store.id}
      and import_id = ${id}
      and batch is not null
    order by batch desc
    limit 1`)
  if (!last) {
    moveTo(tx, store.id, id, 'undone')
    return false
  }
  const rows = await tx.rows<WrittenRow>(sql`
    select number, line, record, outcome, record_id
    from import_rows
    where store_id = ${store.id}
      and import_id = ${id}
      and batch = ${last.batch}
    order by number`)
  const recordsWritten = [...Map.groupBy(rows, ({ record }) => record).values()].filter(
    ([first]) => first!.outcome === 'created' || first!.outcome === 'updated',
  )
  const call = { tx, store, actor: state.actor, scopes: new Set(scopes), deps: options.deps }
  const requestId = options.requestIdOf(last.batch)
  // Orders of the past are not in what the audit log can bring back.
  const isByLog = how === 'together' && state.kind !== 'orders'
  const results = isByLog
    ? await revertAll(call, recordsWritten, requestId)
    : await removeEach(call, state, recordsWritten)
  if (!isByLog)
    for (const table of madeBeside.filter((one) => one !== state.kind)) await removeUnused(call, requestId, table)
  writeResults(tx, store.id, state, results)
  tx.later(sql`
    update import_rows
    set batch = null
    where store_id = ${store.id}
      and import_id = ${id}
      and batch = ${last.batch}`)
  return true
}

/** Importing a record can create records of these tables. An undo removes those that nothing else uses. */
const madeBeside = ['customers', 'collections', 'categories', 'customer_groups']

async function revertAll(call: UndoCall, recordsWritten: WrittenRow[][], requestId: string): Promise<RecordResult[]> {
  if (recordsWritten.length > 0) await revertChange(call, requestId)
  return recordsWritten.map(buildUndoneResult)
}

function buildUndoneResult(rows: WrittenRow[]): RecordResult {
  return { record: toImportRecord(rows), outcome: 'undone', id: rows[0]!.record_id, messages: [] }
}

async function removeEach(call: UndoCall, state: ImportState, recordsWritten: WrittenRow[][]): Promise<RecordResult[]> {
  const { tx, store } = call
  const results: RecordResult[] = []
  for (const rows of recordsWritten) {
    const { outcome, record_id, number } = rows[0]!
    if (outcome !== 'created' || (await isChanged(tx, store.id, state, rows))) {
      const messages = [remark({ number, column: null }, rowNotes.changed_since)]
      results.push({ record: toImportRecord(rows), outcome, id: record_id, messages })
      continue
    }
    await handlers[state.kind].remove(call, uuidIn(state, rows))
    results.push(buildUndoneResult(rows))
  }
  return results
}

/** True if the record was written again after its import, or is used. */
async function isChanged(tx: Tx, storeId: string, state: ImportState, rows: WrittenRow[]): Promise<boolean> {
  const id = uuidIn(state, rows)
  const use = await tx.one<{ is_used: boolean }>(buildUseQuery(state, storeId, id))
  return !use || use.is_used
}

/** Uses of a record beside its own later changes, by kind. */
const otherUses: Partial<Record<ImportKind, (storeId: string, id: string) => Sql>> = {
  products: (storeId, id) => sql`
    or exists (select from order_items where store_id = ${storeId} and product_id = ${id})`,
  customers: (storeId, id) => sql`
    or exists (select from orders where store_id = ${storeId} and customer_id = ${id})`,
  discounts: () => sql`or current_uses > 0`,
}

function buildUseQuery({ kind }: ImportState, storeId: string, id: string): Sql {
  return sql`
    select updated_at <> created_at ${otherUses[kind]?.(storeId, id) ?? empty} as is_used
    from ${raw(kind)}
    where store_id = ${storeId}
      and id = ${id}`
}

function uuidIn({ kind }: ImportState, rows: WrittenRow[]): string {
  return toUuid(handlers[kind].prefix, rows[0]!.record_id!)!
}

function toImportRecord(rows: WrittenRow[]): ImportRecord {
  const { record, outcome } = rows[0]!
  return {
    record,
    before: outcome,
    rows: rows.map(({ number, line }) => ({ number, line, values: new Map(), remarks: [] })),
  }
}
