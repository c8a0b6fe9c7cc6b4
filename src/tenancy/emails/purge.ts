// Deletes emails some time after they are sent or have failed.
import { deletionRounds } from '../../kit/database/batches.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { JobWork } from '../../platform/process/jobs.ts'

const keptDays = 30
const batchSize = 500

export function mailPurgeJob(): JobWork {
  return { name: 'drop old mail', run: deletionRounds(batchSize, [oldMail]) }
}

function oldMail(now: Date, size: number): Sql {
  return sql`
    delete from mails
    where ctid = any(array(
      select ctid
      from mails
      where status <> 'queued'
        and created_at <= ${new Date(now.getTime() - keptDays * 24 * 3600 * 1000)}
      order by created_at
      limit ${size}
      for update skip locked))
    returning 1`
}
