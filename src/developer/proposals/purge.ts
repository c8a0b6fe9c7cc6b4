// Proposals go 30 days after they were made.
import { expiryRounds } from '../../kit/database/batches.ts'
import { sql } from '../../kit/database/sql.ts'
import type { JobWork } from '../../platform/process/jobs.ts'

const keptMs = 30 * 24 * 3600_000
const batchSize = 200

export function proposalPurgeJob(): JobWork {
  return {
    name: 'drop old proposals',
    run: expiryRounds(batchSize, {
      table: 'proposals',
      key: { store_id: 'text', id: 'uuid' },
      hasEnded: (now) => sql`created_at <= ${new Date(now.getTime() - keptMs)}`,
    }),
  }
}
