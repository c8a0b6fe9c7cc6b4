// Sessions, links and invitations that have ended, and mail that was kept long enough.
import { inBatches } from '../kit/database/batches.ts'
import type { Database } from '../kit/database/database.ts'
import { raw, sql } from '../kit/database/sql.ts'

const batchSize = 500
const outboxDays = 30

export async function purgeAccounts(db: Database): Promise<void> {
  const now = db.clock.now()
  const kept = new Date(now.getTime() - outboxDays * 24 * 3600 * 1000)
  for (const [table, until, before] of [
    ['sessions', 'expires_at', now],
    ['account_links', 'expires_at', now],
    ['invitations', 'expires_at', now],
    ['outbox', 'created_at', kept],
  ] as const) {
    await inBatches(
      db,
      batchSize,
      (size) => sql`
      delete from ${raw(table)}
      where ctid = any(array(
        select ctid from ${raw(table)}
        where ${raw(until)} <= ${before}
        limit ${size}
        for update skip locked))
      returning 1`,
    )
  }
}
