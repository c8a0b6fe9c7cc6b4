// Checks the rows of a file without writing any record.
import type { StoreDatabase, Tx } from '../../../kit/database/database.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { ToMarkdown } from './markdown.ts'
import { checkRecords, idOfMatch, leaveOut, type CheckedRecord, type SeenKeys } from './check.ts'
import type { Match } from './kind.ts'
import { remark, rowNotes } from './notes.ts'
import { toRowMessages } from './record.ts'
import { handlers, lockImport, moveTo, nextRecords, writeResults, type ImportState } from './state.ts'
import { compareUpdates } from './unchanged.ts'

/** Requests get their turn between batches. */
const batchSize = 10

/** One batch; false if nothing is left to check. A process that goes on after another has ended knows fewer keys. */
export async function previewBatch(
  db: StoreDatabase,
  store: Store,
  id: string,
  { toMarkdown, seen }: { toMarkdown: ToMarkdown; seen: SeenKeys },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const state = await lockImport(tx, store.id, id, 'previewing')
    if (!state) return false
    const records = await nextRecords(tx, store, state, { outcome: 'unchecked', size: batchSize, toMarkdown })
    if (records.length === 0) {
      moveTo(tx, store.id, id, 'ready')
      return false
    }
    const checkedRecords = await checkRecords(tx, store, state, records, seen)
    const unchanged = await findUnchangedIn(tx, store, state, checkedRecords, seen)
    const results = checkedRecords.map(({ match, ...one }) => {
      const result = { ...one, id: idOfMatch(state, match) }
      if (!match || !unchanged.has(match)) return result
      const { number } = one.record.rows[0]!
      return {
        ...result,
        outcome: 'skipped' as const,
        messages: [remark({ number, column: null }, rowNotes.unchanged)],
      }
    })
    writeResults(tx, store.id, state, await withPreviewFaults(tx, store, state, results))
    return true
  })
}

/** Rejects what the start would reject. */
async function withPreviewFaults<R extends CheckedResult>(
  tx: Tx,
  store: Store,
  { kind, fixes }: ImportState,
  results: R[],
): Promise<R[]> {
  const { previewFaults } = handlers[kind]
  if (!previewFaults) return results
  return Promise.all(
    results.map(async (one) => {
      if (one.outcome !== 'to_create' && one.outcome !== 'to_update') return one
      const { record, draft, id } = one
      const faults = await previewFaults(tx, store, draft.input, id && toUuid(handlers[kind].prefix, id))
      if (faults.length === 0) return one
      const messages = toRowMessages(draft, faults, record.rows[0]!.number)
      return { ...one, ...leaveOut(fixes, { outcome: 'rejected', messages }) }
    }),
  )
}

type CheckedResult = Omit<CheckedRecord, 'match'> & { id: string | null }

async function findUnchangedIn(
  tx: Tx,
  store: Store,
  { kind }: ImportState,
  records: readonly CheckedRecord[],
  seen: SeenKeys,
): Promise<Set<Match>> {
  const updates = records.flatMap(({ outcome, match, draft: { input } }) =>
    outcome === 'to_update' && match ? [{ match, input }] : [],
  )
  const compared = await compareUpdates(tx, store, kind, updates, seen)
  return new Set(compared.flatMap(({ match, isSame }) => (isSame ? match : [])))
}
