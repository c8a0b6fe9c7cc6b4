// The audit log for a spreadsheet: a line for each record that a write has changed, read page by page while it is sent.
import type { Db } from '../../kit/database/database.ts'
import { raw } from '../../kit/database/sql.ts'
import { entityPage } from '../../kit/declare/page.ts'
import type { ListQuery } from '../../kit/declare/resource.ts'
import { inCsv } from '../../kit/values/csv.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { auditEntry } from './entry.ts'

const pageSize = 500
// Pages continue after the last entry, so that nothing is counted.
const withoutCount = { ...auditEntry, total: () => raw('select 0') }

// prettier-ignore
const columns = [
  'created_at', 'id', 'request_id', 'actor_kind', 'actor_id', 'actor_user', 'operation', 'resource', 'record',
  'before', 'after', 'masked', 'sequence', 'hash', 'proposal_id', 'proposed_by',
]

/** The entries of the same list query, newest first. */
export async function* auditCsv(db: Db, store: Store, query: ListQuery): AsyncGenerator<string> {
  yield inCsv([columns])
  let before = query.before
  for (;;) {
    const newest = { ...query, before, sort: 'created_at', order: 'desc', page: 1, per_page: pageSize } as const
    const { data } = await entityPage(db, withoutCount, store, newest)
    yield inCsv(data.flatMap(toCsvRows))
    if (data.length < pageSize) return
    before = data.at(-1)!.id
  }
}

type CsvEntry = NonNullable<(typeof auditEntry)['type']>

function toCsvRows({
  id,
  request_id,
  actor,
  operation,
  changes,
  sequence,
  hash,
  created_at,
  ...entry
}: CsvEntry): unknown[][] {
  const { proposal_id, proposed_by } = entry
  const who = [actor.kind, actor.id, actor.user]
  return changes.map(({ resource, id: record, before, after, masked }) => [
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
    proposal_id,
    proposed_by,
  ])
}
