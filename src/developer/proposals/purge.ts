// Proposals go 30 days after they were made.
import { deletionRounds } from '../../kit/database/batches.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { JobWork } from '../../platform/process/jobs.ts'

const keptDays = 30
const batchSize = 200

export function proposalPurgeJob(): JobWork {
  return { name: 'drop old proposals', run: deletionRounds(batchSize, [oldProposals]) }
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
