// Deletes the oldest entries of the audit log. The sequence and hash of the last deleted row become the new beginning
// of the chain, so that the rest can still be verified.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { firstUuidAt } from '../../kit/values/ids.ts'
import type { JobWork, JobRound } from '../../platform/process/jobs.ts'

const batchSize = 500
const dayMs = 24 * 3600_000

export function auditRetentionJob(keptDays: number): JobWork {
  return { name: 'drop old audit entries', run: (tx) => dropBatch(tx, keptDays) }
}

type Front = { store_id: string; first_sequence: number }

async function dropBatch(tx: Tx, keptDays: number): Promise<JobRound> {
  const oldest = firstUuidAt(new Date(tx.now.getTime() - keptDays * dayMs))
  const front = await tx.one<Front>(sql`
    select audit_chains.store_id, first_sequence
    from audit_chains
    join audit_log on audit_log.store_id = audit_chains.store_id
      and audit_log.sequence = first_sequence + 1
    where audit_log.id < ${oldest}
    limit 1`)
  if (!front) return {}
  await dropFront(tx, front, oldest)
  return { more: true }
}

async function dropFront(tx: Tx, { store_id, first_sequence }: Front, oldest: string): Promise<void> {
  const rows = await tx.rows<{ sequence: number; hash: Buffer; is_old: boolean }>(sql`
    select sequence, hash, id < ${oldest} as is_old
    from audit_log
    where store_id = ${store_id}
      and sequence > ${first_sequence}
    order by sequence
    limit ${batchSize}`)
  const firstKept = rows.findIndex(({ is_old }) => !is_old)
  const last = (firstKept < 0 ? rows : rows.slice(0, firstKept)).at(-1)!
  tx.later(sql`
    delete from audit_log
    where store_id = ${store_id}
      and sequence > ${first_sequence}
      and sequence <= ${last.sequence}`)
  tx.later(sql`
    update audit_chains
    set first_sequence = ${last.sequence}, first_hash = ${last.hash}
    where store_id = ${store_id}`)
}
