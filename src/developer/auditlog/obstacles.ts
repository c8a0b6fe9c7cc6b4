// Reasons a write cannot be undone: later writes, and records that cannot come back.
import type { Tx } from '../../kit/database/database.ts'
import { records, raw, sql } from '../../kit/database/sql.ts'
import type { Obstacle } from './errors.ts'
import { isUuid } from '../../kit/values/ids.ts'
import { isAbout } from '../../tenancy/audit/history.ts'
import type { RowChange } from './rowchange.ts'
import { getTableNoun } from './nouns.ts'
import { toPublicRecordId } from './view.ts'

/** `field`: null, the record as a whole. */
export type BlockedChange = { change: RowChange; field: string | null; reason: ObstacleReason }

export type ObstacleReason =
  | 'already_reverted'
  | 'changed_since'
  | 'deleted_since'
  | 'there_again'
  | 'in_use'
  | 'erased'
  | 'secret'
  | 'not_revertible'
  | 'refused'

type ObstacleHit = { id: string; differing: string[] }

/** Locks the records and compares them with what the write left. Ignores `follows`. */
export async function overtakenFields(
  tx: Tx,
  storeId: string,
  { table, key, follows }: { table: string; key: string; follows: readonly string[] },
  changes: readonly RowChange[],
): Promise<BlockedChange[]> {
  const rows = changes.map(({ id, after }) => ({ id, after: after ?? {} }))
  const store = raw(table === 'stores' ? 'stores.id' : `${table}.store_id`)
  const hits = await tx.rows<ObstacleHit>(sql`
    select left_by.id, array(
      select field.key
      from jsonb_each(left_by.after) as field
      where field.key <> all (${follows}::text[])
        and field.value is distinct from to_jsonb(${raw(table)}) -> field.key) as differing
    from ${records('left_by', { id: 'text', after: 'jsonb' }, rows)}
    join ${raw(table)} on ${store} = ${storeId}
      and ${raw(`${table}.${key}`)} = left_by.id::${raw(key === 'id' && table !== 'stores' ? 'uuid' : 'text')}
    order by left_by.id
    for no key update of ${raw(table)}`)
  const byId = new Map(hits.map(({ id, differing }) => [id, differing]))
  return changes.flatMap((change): BlockedChange[] => {
    const differing = byId.get(change.id)
    if (change.after === null) return differing ? [{ change, field: null, reason: 'there_again' }] : []
    if (!differing) return [{ change, field: null, reason: 'deleted_since' }]
    return differing.map((field) => ({ change, field, reason: 'changed_since' }))
  })
}

type LaterWrite = { request_id: string | null; operation: string; created_at: Date; changes: RowChange[] }

/** Adds the writes after `entryId` that caused each obstacle. */
export async function explainObstacles(
  tx: Tx,
  storeId: string,
  entryId: string,
  blocks: readonly BlockedChange[],
): Promise<Obstacle[]> {
  const ids = blocks.map(({ change }) => change.id)
  const writes = await tx.rows<LaterWrite>(sql`
    select request_id, operation, created_at, changes
    from (
      select id, request_id, operation, created_at, changes
      from audit_log
      where store_id = ${storeId}
        and id > ${entryId}
        and ${ids.every(isUuid) ? isAbout(storeId, sql`${ids}::uuid[]`) : sql`true`}
      order by id
      limit ${maxRead}) as later
    where exists (
      select from json_array_elements(changes) as change
      where change ->> 'id' = any(${ids}::text[]))
    order by id
    limit ${maxWrites}`)
  return blocks.map(({ change: { table, id }, field, reason }) => ({
    resource: getTableNoun(table).name,
    id: toPublicRecordId(table, id),
    field,
    reason,
    later: writes
      .filter(({ changes }) => changes.some((one) => one.table === table && one.id === id && touches(one, field)))
      .map(({ request_id, operation, created_at }) => ({
        request_id,
        operation,
        created_at: created_at.toISOString(),
      })),
  }))
}

const maxWrites = 100
// No index finds the writes of a record whose id is not a uuid, such as the store itself.
const maxRead = 20_000

function touches({ before, after, private: maskedFields = [] }: RowChange, field: string | null): boolean {
  if (field === null || before === null || after === null) return true
  return field in after || maskedFields.includes(field)
}
