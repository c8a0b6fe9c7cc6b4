// What triggers have noted of a write, made into one change a record.

/** Columns as PostgreSQL's to_jsonb has them. */
export type Cells = Record<string, unknown>

/** A record as one statement has changed it; before: null, it was made; after: null, it is gone. */
export type Noted = {
  table: string
  /** Of most tables a uuid. */
  id: string
  before: Cells | null
  after: Cells | null
  /** Columns that changed and are not told. */
  private?: string[]
}

/** What is told of a person, kept apart. One that was erased has neither. */
export type Personal = { id: string; before?: Cells | null; after?: Cells | null }

/** Several changes of a record in one write come to one: as it was before the first, as it is after the last. */
export function merged(entries: readonly Noted[]): Noted[] {
  const byRecord = new Map<string, Noted>()
  for (const entry of entries) {
    const key = keyOf(entry)
    const known = byRecord.get(key)
    byRecord.set(key, known ? together(known, entry) : entry)
  }
  return [...byRecord.values()].filter(({ before, after }) => before !== null || after !== null)
}

/** A product may be in several collections. */
function keyOf({ table, id, before, after }: Noted): string {
  const owner = table === 'collection_products' ? (after ?? before)?.collection_id : ''
  return `${table} ${id} ${owner}`
}

function together(first: Noted, next: Noted): Noted {
  const both = { ...next, private: [...new Set([...(first.private ?? []), ...(next.private ?? [])])] }
  const before = first.before === null ? null : { ...next.before, ...first.before }
  const after = next.after === null ? null : { ...first.after, ...next.after }
  // It was there before and is again: what differs has changed.
  return before !== null && after !== null ? { ...both, ...differing(before, after) } : { ...both, before, after }
}

function differing(before: Cells, after: Cells): Pick<Noted, 'before' | 'after'> {
  const names = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const pick = (cells: Cells) => Object.fromEntries(names.map((name) => [name, cells[name] ?? null]))
  return { before: pick(before), after: pick(after) }
}

/** With what was kept apart put back; null when it was erased. */
export function withPersonal(change: Noted, personal: readonly Personal[]): Noted | null {
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
