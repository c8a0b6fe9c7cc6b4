// The audit log for a spreadsheet: a line for each record that a write has changed, read page by page while it is sent.
import type { Db } from '../kit/database/database.ts'
import { raw } from '../kit/database/sql.ts'
import { entityPage } from '../kit/declare/page.ts'
import type { ListQuery } from '../kit/declare/resource.ts'
import type { Store } from '../stores/store.ts'
import { auditEntry } from './entry.ts'

const perPage = 500
// Pages go on behind the last entry: nobody counts.
const uncounted = { ...auditEntry, total: () => raw('select 0') }

// prettier-ignore
const columns = [
  'created_at', 'id', 'request_id', 'actor_kind', 'actor_id', 'actor_user', 'operation', 'resource', 'record',
  'before', 'after', 'masked', 'sequence', 'hash',
]

/** What the list of the same query has, the newest first. */
export async function* auditCsv(db: Db, store: Store, query: ListQuery): AsyncGenerator<string> {
  yield lineOf(columns)
  let before = query.before
  for (;;) {
    const newest = { ...query, before, sort: 'created_at', order: 'desc', page: 1, per_page: perPage } as const
    const { data } = await entityPage(db, uncounted, store, newest)
    yield data.map(linesOf).join('')
    if (data.length < perPage) return
    before = data.at(-1)!.id
  }
}

type Entry = NonNullable<(typeof auditEntry)['type']>

function linesOf({ id, request_id, actor, operation, changes, sequence, hash, created_at }: Entry): string {
  const who = [actor.kind, actor.id, actor.user]
  return changes
    .map(({ resource, id: record, before, after, masked }) =>
      lineOf([
        created_at.toISOString(),
        id,
        request_id,
        ...who,
        operation,
        resource,
        record,
        before && JSON.stringify(before),
        after && JSON.stringify(after),
        masked.join(' '),
        sequence,
        hash,
      ]),
    )
    .join('')
}

/** RFC 4180. A cell that a spreadsheet would take for a formula begins with an apostrophe. */
function lineOf(cells: readonly unknown[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(value: unknown): string {
  const text = String(value ?? '')
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
