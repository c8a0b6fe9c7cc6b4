// Deletes the oldest entries of the audit log, a seal at a time once all of its entries are old. The sequence and hash
// of the last deleted entry become the new beginning of the chain, so that the rest can still be verified.
import type { Tx } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { firstUuidAt } from '../../kit/values/ids.ts'
import type { JobWork } from '../../platform/process/jobs.ts'

const sealsAtOnce = 20
const dayMs = 24 * 3600_000

export function auditRetentionJob(keptDays: number): JobWork {
  let from = ''
  return {
    name: 'drop old audit entries',
    async run(tx) {
      const oldest = firstUuidAt(new Date(tx.now.getTime() - keptDays * dayMs))
      const front = await nextFront(tx, from, oldest)
      from = front?.store_id ?? ''
      if (front) await dropFront(tx, front, oldest)
      return { more: front !== undefined }
    },
  }
}

type Front = { store_id: string; first_sequence: number }

/** The stores take turns in the order of their ids, so that a run passes each once. */
function nextFront(tx: Tx, from: string, oldest: string): Promise<Front | undefined> {
  return tx.one<Front>(sql`
    select audit_chains.store_id, first_sequence
    from audit_chains
    join audit_seals on audit_seals.store_id = audit_chains.store_id
      and audit_seals.sequence = first_sequence + 1
    where audit_chains.store_id >= ${from}
      and audit_seals.last_entry < ${oldest}
    order by audit_chains.store_id
    limit 1`)
}

async function dropFront(tx: Tx, { store_id, first_sequence }: Front, oldest: string): Promise<void> {
  const seals = await tx.rows<{ sequence: number; hash: Buffer; entries: string[]; is_old: boolean }>(sql`
    select sequence + cardinality(entries) - 1 as sequence, hashes[cardinality(hashes)] as hash, entries,
      last_entry < ${oldest} as is_old
    from audit_seals
    where store_id = ${store_id}
      and sequence > ${first_sequence}
    order by audit_seals.sequence
    limit ${raw(String(sealsAtOnce))}`)
  const firstKept = seals.findIndex(({ is_old }) => !is_old)
  const old = firstKept < 0 ? seals : seals.slice(0, firstKept)
  const last = old.at(-1)!
  const entries = sql`any(${old.flatMap((seal) => seal.entries)}::uuid[])`
  tx.later(sql`
    delete from audit_records
    using audit_log
    where audit_log.store_id = ${store_id}
      and audit_log.id = ${entries}
      and audit_records.store_id = ${store_id}
      and audit_records.record_id = any(audit_log.records)
      and audit_records.entry_id = audit_log.id`)
  tx.later(sql`
    delete from audit_log
    where store_id = ${store_id}
      and id = ${entries}`)
  tx.later(sql`
    delete from audit_seals
    where store_id = ${store_id}
      and sequence <= ${last.sequence}`)
  tx.later(sql`
    update audit_chains
    set first_sequence = ${last.sequence}, first_hash = ${last.hash}
    where store_id = ${store_id}`)
}
