// Writes one row per store with the changes of a transaction, in its last statement. Triggers collect every changed row
// in settings of the transaction (platform/postgres/audittriggers.ts), which a rollback discards. On a distributed
// database each server collects those of its own rows: an entry brings what was collected where the processes connect,
// and a trigger adds the rest where it is stored.
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { Tx } from '../../kit/database/database.ts'
import type { Closing } from '../../kit/database/transaction.ts'
import type { WrittenRows } from '../../kit/database/writes.ts'
import type { Cause } from '../../kit/values/cause.ts'
import { newUuidAt } from '../../kit/values/ids.ts'

const changesSoFar = settingAsJson('changes')
const personalSoFar = settingAsJson('personal')

function settingAsJson(setting: 'changes' | 'personal'): Sql {
  return raw(`('[' || audit_pages('${setting}') || ']')::json`)
}

// prettier-ignore
const columns = raw(`store_id, id, request_id, request_uuid, actor_kind, actor_id, actor_user, operation, records,
    changes, personal, created_at, proposal_id, proposed_by`)

const setting = (name: string) => raw(`nullif(current_setting('stoa.${name}', true), '')`)
const proposalId = sql`${setting('proposal_id')}::uuid`
const proposedBy = setting('proposed_by')

/** Marks the transaction as the execution of a proposal, whose uuid is `id`. */
export function nameProposal(tx: Tx, proposal: { id: string; operation: string; proposed_by: string }): void {
  tx.later(sql`
    select set_config('stoa.operation', ${proposal.operation}, true),
      set_config('stoa.proposal_id', ${proposal.id}, true),
      set_config('stoa.proposed_by', ${proposal.proposed_by}, true)`)
}

const uuidForm = raw(`'^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'`)

/** `audited`: the tables whose changes are noted. */
export function openJournal(auditedTables: ReadonlySet<string>): Closing {
  return ({ cause, now, storeId, isDistributed, written }) => {
    if (storeId !== undefined) return ofStore(cause, now, storeId, isDistributed)
    return isDistributed ? ofNamedStores(cause, now, listAuditedStores(written, auditedTables)) : ofStores(cause, now)
  }
}

/** A trigger adds what was collected (migrations/0002_tenancy.sql). */
function ofStore(cause: Cause, now: Date, storeId: string, isDistributed: boolean): Sql {
  const [changes, personal] = isDistributed ? [changesSoFar, personalSoFar] : [raw('null'), raw('null')]
  return sql`
  insert into audit_log (${columns})
  values (${storeId}, ${idAt(now)}::uuid, ${who(cause)}, null, ${changes}, ${personal}, ${now}::timestamptz,
    ${proposalId}, ${proposedBy})`
}

function listAuditedStores(writes: readonly WrittenRows[], auditedTables: ReadonlySet<string>): string[] {
  const auditedWrites = writes.filter(({ table }) => auditedTables.has(table))
  return [...new Set(auditedWrites.flatMap(({ storeIds }) => storeIds))].toSorted()
}

/**
 * One row for each store that the statements name, or whose keys and members have changed. Where nothing has, the
 * trigger drops it.
 */
function ofNamedStores(cause: Cause, now: Date, stores: readonly string[]): Sql {
  return sql`
  insert into audit_log (${columns})
  select store_id, (left(${idAt(now)}::text, 19) || substr(gen_random_uuid()::text, 20))::uuid, ${who(cause)},
    null::uuid[],
    coalesce((select json_agg(change) from json_array_elements(${changesSoFar}) as change
      where change ->> 'store' = store_id), '[]'),
    (select json_agg(entry) from json_array_elements(${personalSoFar}) as entry where entry ->> 'store' = store_id),
    ${now}::timestamptz, ${proposalId}, ${proposedBy}
  from (
    select unnest(${stores}::text[]) as store_id
    union
    select change ->> 'store' from json_array_elements(${changesSoFar}) as change) as named`
}

/** A row that a transaction has changed; `before` is null if it has inserted it. */
type NotedChange = {
  id: string
  table: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
}

/**
 * The changes of the open transaction in its store. They are known only where the entry is stored, so the entry is made
 * and undone.
 */
export async function readPendingChanges(tx: Tx, storeId: string): Promise<NotedChange[]> {
  tx.later(sql`savepoint noted`)
  const entry = ofStore(tx.cause, tx.now, storeId, tx.isDistributed === true)
  const noting = tx.one<{ changes: NotedChange[] }>(sql`${entry} returning changes`)
  tx.later(sql`rollback to savepoint noted`)
  return (await noting)?.changes ?? []
}

/** One row for each changed store. Their IDs share the time and differ in the rest. */
function ofStores(cause: Cause, now: Date): Sql {
  return sql`
  insert into audit_log (${columns})
  select changed.store_id, (left(${idAt(now)}::text, 19) || substr(gen_random_uuid()::text, 20))::uuid, ${who(cause)},
    changed.records, changed.changes,
    (select json_agg(entry) from json_array_elements(${personalSoFar}) as entry
      where entry ->> 'store' = changed.store_id),
    ${now}::timestamptz, ${proposalId}, ${proposedBy}
  from (
    select change ->> 'store' as store_id, json_agg(change) as changes,
      coalesce(array_agg((change ->> 'id')::uuid) filter (where change ->> 'id' ~ ${uuidForm}), '{}') as records
    from json_array_elements(${changesSoFar}) as change
    group by change ->> 'store') as changed`
}

// Keeps the order of a process's writes within one millisecond.
let counter = 0

function idAt(now: Date): string {
  counter = (counter + 1) % 2 ** 31
  return newUuidAt(now, counter)
}

function who({ requestId, requestUuid, actor, operation }: Cause): Sql {
  return sql`${requestId}, ${requestUuid ?? null}::uuid, ${actor.kind}, ${actor.id}, ${actor.user ?? null},
    coalesce(${setting('operation')}, ${operation})`
}
