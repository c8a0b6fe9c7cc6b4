// Sessions, links and invitations that have ended; mail, addresses and security events that were kept long enough.
import { keptDays } from '../audit/operations.ts'
import { inBatches } from '../kit/database/batches.ts'
import type { Database } from '../kit/database/database.ts'
import { raw, sql } from '../kit/database/sql.ts'
import { familiarSince } from './find.ts'

const batchSize = 500
const outboxDays = 30

export async function purgeAccounts(db: Database): Promise<void> {
  const now = db.clock.now()
  const daysAgo = (days: number) => new Date(now.getTime() - days * 24 * 3600 * 1000)
  for (const [table, until, before] of [
    ['sessions', 'expires_at', now],
    ['account_links', 'expires_at', now],
    ['invitations', 'expires_at', now],
    ['outbox', 'created_at', daysAgo(outboxDays)],
    ['sign_in_addresses', 'seen_at', familiarSince(now)],
    ['security_events', 'created_at', daysAgo(keptDays)],
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
