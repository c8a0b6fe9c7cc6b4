// Merges what triggers recorded of a write into one change per record.

/** Columns as PostgreSQL's to_jsonb has them. */
export type ChangeCells = Record<string, unknown>

/** The change of a record by one statement. before null: it was created. after null: it was deleted. */
export type RowChange = {
  table: string
  /** A uuid in most tables. */
  id: string
  before: ChangeCells | null
  after: ChangeCells | null
  /** Names of private columns that changed. */
  private?: string[]
}

/** Personal values, kept apart. Both are missing after an erasure. */
export type PersonalCells = { id: string; before?: ChangeCells | null; after?: ChangeCells | null }

/** Merges several changes of a record in one write: the state before the first, and after the last. */
export function mergeChanges(entries: readonly RowChange[]): RowChange[] {
  const byRecord = new Map<string, RowChange>()
  for (const entry of entries) {
    const key = buildRowChangeKey(entry)
    const earlier = byRecord.get(key)
    byRecord.set(key, earlier ? mergePair(earlier, entry) : entry)
  }
  return [...byRecord.values()].filter(({ before, after }) => before !== null || after !== null)
}

/** A product may be in several collections. */
function buildRowChangeKey({ table, id, before, after }: RowChange): string {
  const owner = table === 'collection_products' ? (after ?? before)?.collection_id : ''
  return `${table} ${id} ${owner}`
}

function mergePair(first: RowChange, next: RowChange): RowChange {
  const both = { ...next, private: [...new Set([...(first.private ?? []), ...(next.private ?? [])])] }
  const before = first.before === null ? null : { ...next.before, ...first.before }
  const after = next.after === null ? null : { ...first.after, ...next.after }
  // It was there before and is again: what differs has changed.
  return before !== null && after !== null ? { ...both, ...changedFields(before, after) } : { ...both, before, after }
}

function changedFields(before: ChangeCells, after: ChangeCells): Pick<RowChange, 'before' | 'after'> {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const pick = (cells: ChangeCells) => Object.fromEntries(names.map((name) => [name, cells[name] ?? null]))
  return { before: pick(before), after: pick(after) }
}

/** Merges the personal values back in; null after an erasure. */
export function withPersonal(change: RowChange, personal: readonly PersonalCells[]): RowChange | null {
  const own = personal.filter(({ id }) => id === change.id)
  if (own.some(({ before, after }) => before === undefined && after === undefined)) return null
  const [first, last] = [own[0], own.at(-1)]
  if (!first || !last) return change
  return {
    ...change,
    before: change.before && { ...change.before, ...first.before },
    after: change.after && { ...change.after, ...last.after },
  }
}
