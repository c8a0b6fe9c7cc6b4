// Proposals go 30 days after they were made, and with the customer of whom they tell.
import { deleting } from '../kit/database/batches.ts'
import type { Tx } from '../kit/database/database.ts'
import { sql, type Sql } from '../kit/database/sql.ts'
import { publicId } from '../kit/values/ids.ts'
import type { Job } from '../platform/process/jobs.ts'

const keptDays = 30
const batchSize = 200

export function proposalPurgeJob(): Job {
  return { name: 'drop old proposals', everySeconds: 600, run: deleting(batchSize, [oldProposals]) }
}

function oldProposals(now: Date, size: number): Sql {
  return sql`
    delete from proposals
    where ctid = any(array(
      select ctid
      from proposals
      where created_at <= ${new Date(now.getTime() - keptDays * 24 * 3600 * 1000)}
      order by created_at
      limit ${size}
      for update skip locked))
    returning 1`
}

/** Those that name the person in what they ask or would answer. */
export function eraseProposalsOf(
  tx: Tx,
  storeId: string,
  { id, email, phone }: { id: string; email: string | null; phone: string | null },
): void {
  const named = [publicId('cus', id), email, phone].filter((name) => name !== null)
  tx.later(sql`
    delete from proposals
    where store_id = ${storeId}
      and exists (
        select from unnest(${named}::text[]) as name
        where strpos(lower(concat(request, answer, rehearsal, note, reason, result)), lower(name)) > 0)`)
}
