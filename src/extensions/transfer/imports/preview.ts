// Checks the rows of a file without writing any record.
import type { StoreDatabase } from '../../../kit/database/database.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { ToMarkdown } from './markdown.ts'
import { checkRecords, idOfMatch, type SeenKeys } from './check.ts'
import { lockImport, moveTo, nextRecords, writeResults } from './state.ts'

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
    const results = checkedRecords.map(({ match, ...one }) => ({ ...one, id: idOfMatch(state, match) }))
    writeResults(tx, store.id, state, results)
    return true
  })
}
