// Deletes sign-ins and sessions that have expired.
import { expiryRounds } from '../../kit/database/batches.ts'
import { sql } from '../../kit/database/sql.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import { signInMinutes } from './signin.ts'

const batchSize = 500

export function shopperPurgeJobs(): JobWork[] {
  const ended = (now: Date) => sql`expires_at <= ${now}`
  const old = (now: Date) => sql`created_at <= ${new Date(now.getTime() - signInMinutes * 60_000)}`
  const tables = [
    ['shopper_sign_ins', { store_id: 'text', id: 'uuid' }, old],
    ['shopper_sessions', { store_id: 'text', hash: 'bytea' }, ended],
  ] as const
  return tables.map(([table, key, hasEnded]) => ({
    name: `drop old ${table.replaceAll('_', ' ')}`,
    run: expiryRounds(batchSize, { table, key, hasEnded }),
  }))
}
