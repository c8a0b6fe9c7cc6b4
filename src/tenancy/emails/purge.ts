// Deletes emails some time after they are sent or have failed.
import { expiryRounds } from '../../kit/database/batches.ts'
import { sql } from '../../kit/database/sql.ts'
import type { JobWork } from '../../platform/process/jobs.ts'

const keptMs = 30 * 24 * 3600_000
const batchSize = 500

export function mailPurgeJob(): JobWork {
  return {
    name: 'drop old mail',
    run: expiryRounds(batchSize, {
      table: 'mails',
      key: { store_id: 'text', id: 'uuid' },
      hasEnded: (now) => sql`status <> 'queued' and created_at <= ${new Date(now.getTime() - keptMs)}`,
    }),
  }
}
