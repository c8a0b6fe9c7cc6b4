// Finds the audit log entries about a record. The job that seals entries adds them to an index, so that writers
// don't.
import { sql, type Sql } from '../../kit/database/sql.ts'

/** Rows of audit_log about one of the records, whose uuids are an array: indexed ones, and those not sealed yet. */
export function isAbout(storeId: string, records: Sql): Sql {
  return sql`audit_log.id in (
        select entry_id
        from audit_records
        where store_id = ${storeId}
          and record_id = any(${records})
        union all
        select entry_id
        from audit_unsealed
        where store_id = ${storeId})
      and audit_log.records && ${records}`
}
