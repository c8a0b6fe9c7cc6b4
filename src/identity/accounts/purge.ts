// Deletes ended sessions, links and invitations, and emails, addresses and security events past their retention.
import { keptDays } from '../../tenancy/audit/operations.ts'
import { deletionRounds, runRounds, type Deletion } from '../../kit/database/batches.ts'
import type { Database } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { familiarSince } from './find.ts'

const batchSize = 500
const outboxDays = 30
/** The team can see that an invitation has expired, and send it again, for this long. */
const invitationDays = 30

type Purge = [table: string, until: string, before: (now: Date) => Date]

const daysAgo = (now: Date, days: number) => new Date(now.getTime() - days * 24 * 3600 * 1000)

// prettier-ignore
const purges: Purge[] = [
  ['sessions',          'expires_at', (now) => now],
  ['account_links',     'expires_at', (now) => now],
  ['invitations',       'expires_at', (now) => daysAgo(now, invitationDays)],
  ['answered_challenges', 'expires_at', (now) => now],
  ['outbox',            'created_at', (now) => daysAgo(now, outboxDays)],
  ['sign_in_addresses', 'seen_at',    familiarSince],
  ['security_events',   'created_at', (now) => daysAgo(now, keptDays)],
]

export const accountDeletions = purges.map(
  ([table, until, before]): Deletion =>
    (now, size) =>
      sql`
      delete from ${raw(table)}
      where ctid = any(array(
        select ctid from ${raw(table)}
        where ${raw(until)} <= ${before(now)}
        limit ${size}
        for update skip locked))
      returning 1`,
)

export async function purgeAccounts(db: Database): Promise<void> {
  await runRounds(db, deletionRounds(batchSize, accountDeletions))
}
