// Erases a person from the audit log. The chain covers a digest of each entry, which stays.
import type { Tx } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { isAbout } from './history.ts'

/** The digest of an entry of audit_log.personal. It is part of its row's hash, and all that remains after erasure. */
export const digestOfEntry = raw(`coalesce(entry ->> 'digest', encode(sha256(convert_to(entry::text, 'UTF8')), 'hex'))`)

/** Erases what the entries about these records keep of a person. */
export function eraseAudit(tx: Tx, storeId: string, ids: readonly string[]): void {
  tx.later(sql`
    update audit_log
    set personal = (
      select json_agg(case when entry ->> 'id' = any(${ids}::text[])
        then json_build_object('id', entry ->> 'id', 'digest', ${digestOfEntry})
        else entry end)
      from json_array_elements(personal) as entry)
    where store_id = ${storeId}
      and ${isAbout(storeId, sql`${ids}::uuid[]`)}
      and personal is not null`)
}
