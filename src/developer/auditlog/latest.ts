// The latest writes that changed one record, for its own page.
import type { Db } from '../../kit/database/database.ts'
import { derive } from '../../kit/declare/field.ts'
import { resource } from '../../kit/declare/resource.ts'
import { pick } from '../../kit/declare/row.ts'
import { integer } from '../../kit/declare/scalars.ts'
import { sql } from '../../kit/database/sql.ts'
import { isAbout } from '../../tenancy/audit/history.ts'
import { auditEntry } from './entry.ts'

const entryFields = pick(auditEntry.fields, ['id', 'actor', 'operation', 'changes', 'reverted_by', 'created_at'])

/** Changes that are read of an entry: those of the record come first. A write can have changed 20,000. */
const maxChanges = 10

export type LatestChange = NonNullable<ReturnType<typeof buildLatestResource>['type']>

function buildLatestResource(record: string) {
  const changes = sql`(
      select coalesce(json_agg(one.change), '[]')
      from (
        select change
        from json_array_elements(audit_log.changes) with ordinality as listed (change, place)
        order by (change ->> 'id' = ${record}) desc nulls last, place
        limit ${maxChanges}) as one)`
  return resource(
    'audit_log',
    {
      ...entryFields,
      changes: { ...entryFields.changes, spec: { ...entryFields.changes.spec, expression: changes } },
      changes_count: derive(integer(), sql`json_array_length(audit_log.changes)`),
    },
    {},
    { noun: auditEntry.noun },
  )
}

/** Newest first. The record is named by its uuid. */
export async function latestChanges(db: Db, storeId: string, record: string, count: number): Promise<LatestChange[]> {
  const view = buildLatestResource(record)
  const rows = await db.texts(sql`
    select ${view.columns}
    from audit_log
    where store_id = ${storeId}
      and ${isAbout(storeId, sql`array[${record}::uuid]`)}
    order by id desc
    limit ${count}`)
  return rows.map((row) => view.read(row))
}
