// Writes the records of an import. A batch is one transaction with its rows: after kill -9, none is written twice, and
// none is left out.
import type { StoreDatabase, Tx } from '../../../kit/database/database.ts'
import { advisoryLock } from '../../../kit/database/advisorylock.ts'
import { sql } from '../../../kit/database/sql.ts'
import { ApiError } from '../../../kit/values/errors.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { enforcePolicy, requireHour, type CredentialPolicy } from '../../../tenancy/dispatch/policy.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { ToMarkdown } from './markdown.ts'
import { checkRecords, idOfMatch, type CheckedRecord } from './check.ts'
import type { ImportWrite } from './kind.ts'
import { listForeignImages } from './images.ts'
import { remark, remarkError, rowNotes } from './notes.ts'
import type { Draft } from './record.ts'
import {
  handlers,
  lockImport,
  moveTo,
  nextRecords,
  writeResults,
  type ImportRecord,
  type ImportState,
  type RecordResult,
} from './state.ts'

const batchSize = 25

/** The writes of a batch have this ID in the audit log, so that they can be undone together. */
export function buildBatchRequestId(importId: string, batch: number): string {
  return `${importId}-${batch}`
}

export type RunOptions = {
  toMarkdown: ToMarkdown
  policy: CredentialPolicy | null
  because: (batch: number) => StoreDatabase
}

/** One batch; false if nothing is left to write. */
export async function runBatch(db: StoreDatabase, store: Store, id: string, options: RunOptions): Promise<boolean> {
  const [first] = await peek(db, store, id, options, 1)
  if (!first) return finish(db, store, id)
  try {
    return await writeBatch(options.because(first.record), store, id, options, batchSize)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
  // One of the records was refused, and took the others of its transaction with it: each gets a transaction of its own.
  for (let count = 0; count < batchSize; count++) {
    const [next] = await peek(db, store, id, options, 1)
    if (!next) break
    const own = options.because(next.record)
    try {
      if (!(await writeBatch(own, store, id, options, 1))) return false
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (isRateLimit(error)) return stop(own, store, id, error)
      await reject(own, store, id, next, error)
    }
  }
  return true
}

async function peek(
  db: StoreDatabase,
  store: Store,
  id: string,
  { toMarkdown }: RunOptions,
  size: number,
): Promise<ImportRecord[]> {
  return db.transaction(async (tx) => {
    const state = await lockImport(tx, store.id, id, 'running')
    return state ? nextRecords(tx, store, state, { outcome: 'planned', size, toMarkdown }) : []
  })
}

async function writeBatch(
  db: StoreDatabase,
  store: Store,
  id: string,
  { toMarkdown, policy }: RunOptions,
  size: number,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const state = await lockImport(tx, store.id, id, 'running')
    if (!state) return false
    if (policy) requireHour(policy, store, tx.now)
    // Takes turns with other imports, to see their writes: an SKU or an email alone does not prevent duplicates.
    advisoryLock(tx, `import ${state.kind} ${store.id}`)
    const records = await nextRecords(tx, store, state, { outcome: 'planned', size, toMarkdown })
    if (records.length === 0) return false
    const startedAt = state.started_at ?? tx.now
    const call = { tx, store, actor: state.actor, startedAt, memory: createImportMemory() }
    const results: RecordResult[] = []
    const keysTaken = new Set<string>()
    for (const candidate of await checkRecords(tx, store, state, records)) {
      const keys = handlers[state.kind].keysOf(candidate.draft.input)
      // A record may refer to one that an earlier record of the batch has created.
      const isNews = keys.some((key) => keysTaken.has(key))
      const [checkedAgain] = isNews ? await checkRecords(tx, store, state, [candidate.record]) : [candidate]
      keys.forEach((key) => keysTaken.add(key))
      const result = await writeRecord(call, state, checkedAgain!)
      results.push(result)
      if (state.kind === 'products') noteImages(tx, store.id, state, result, candidate.draft)
    }
    writeResults(tx, store.id, state, results, records[0]!.record)
    const writes = results.filter(({ outcome }) => outcome === 'created' || outcome === 'updated').length
    if (policy && writes > 0) await enforcePolicy(tx, store, state.actor, policy, writes)
    return true
  })
}

/** Shares lookups between the records of one transaction. */
function createImportMemory(): ImportWrite['memory'] {
  const namesById = new Map<string, Promise<any>>()
  return (key, make) => {
    if (!namesById.has(key)) namesById.set(key, make())
    return namesById.get(key)!
  }
}

async function writeRecord(call: ImportWrite, state: ImportState, checkedRecord: CheckedRecord): Promise<RecordResult> {
  const { record, draft, match, outcome, messages } = checkedRecord
  const handler = handlers[state.kind]
  const existing = idOfMatch(state, match)
  switch (outcome) {
    case 'to_create':
      return { record, outcome: 'created', id: await handler.create(call, draft.input), messages }
    case 'to_update': {
      if (!match) return { record, outcome: 'created', id: await handler.create(call, draft.input), messages }
      if (await handler.update!(call, match, draft.input)) return { record, outcome: 'updated', id: existing, messages }
      const { number } = record.rows[0]!
      const unchanged = remark({ number, column: null }, rowNotes.unchanged)
      return { record, outcome: 'skipped', id: existing, messages: [unchanged] }
    }
    default:
      return { record, outcome, id: existing, messages }
  }
}

/** The limit holds for the rest: the import can continue in the next hour, or the next day. */
function isRateLimit({ code, details }: ApiError): boolean {
  const { policy } = (details ?? {}) as { policy?: string }
  return code === 'POLICY_EXCEEDED' && policy !== 'max_amount'
}

async function stop(db: StoreDatabase, store: Store, id: string, { message }: ApiError): Promise<false> {
  await db.transaction(async (tx) => moveTo(tx, store.id, id, 'stopped', { error: message }))
  return false
}

async function reject(
  db: StoreDatabase,
  store: Store,
  id: string,
  record: ImportRecord,
  error: ApiError,
): Promise<void> {
  await db.transaction(async (tx) => {
    const state = await lockImport(tx, store.id, id, 'running')
    if (!state) return
    const messages = remarkError({ number: record.rows[0]!.number, column: null }, error)
    writeResults(tx, store.id, state, [{ record, outcome: 'rejected', id: null, messages }])
  })
}

async function finish(db: StoreDatabase, store: Store, id: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const state = await lockImport(tx, store.id, id, 'running')
    if (!state) return false
    // Counted once: a count with each product would cost more the longer the import is.
    const pending = await tx.one<{ count: number }>(sql`
      select count(*)::int as count
      from import_images
      where store_id = ${store.id}
        and import_id = ${id}
        and status = 'pending'`)
    const { count } = pending!
    tx.later(sql`
      update imports
      set images_pending = ${count}
      where store_id = ${store.id}
        and id = ${id}`)
    moveTo(tx, store.id, id, 'completed', { isDue: count > 0 })
    return count > 0
  })
}

/** Images are fetched once all rows are written. */
function noteImages(
  tx: Tx,
  storeId: string,
  { id }: ImportState,
  { outcome, id: productId }: RecordResult,
  draft: Draft,
) {
  const urls = outcome === 'created' || outcome === 'updated' ? listForeignImages(draft.input, storeId) : []
  if (urls.length === 0) return
  tx.later(sql`
    insert into import_images (store_id, import_id, product_id, url, status)
    select ${storeId}, ${id}::uuid, ${toUuid('prod', productId!)}::uuid, url, 'pending'
    from unnest(${urls}::text[]) as url
    on conflict do nothing`)
}
