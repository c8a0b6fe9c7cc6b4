// Imports go 30 days after they were made, with their rows. What they have written stays.
import { expiryRounds } from '../../../kit/database/batches.ts'
import { sql } from '../../../kit/database/sql.ts'
import type { JobWork } from '../../../platform/process/jobs.ts'

const keptMs = 30 * 24 * 3600_000
/** Each takes its rows along. */
const batchSize = 1

export function importPurgeJob(): JobWork {
  return {
    name: 'drop old imports',
    run: expiryRounds(batchSize, {
      table: 'imports',
      key: { store_id: 'text', id: 'uuid' },
      hasEnded: (now) => sql`created_at <= ${new Date(now.getTime() - keptMs)}`,
    }),
  }
}
