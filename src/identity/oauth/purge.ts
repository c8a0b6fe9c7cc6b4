// Deletes ended records: tokens, requests that nobody answered, grants without a token, and clients with all their
// records. Every statement touches at most 100 rows that nobody can use any more, so that no call waits for it:
// `node bench/oauth.ts` purges 100,000 expired clients beside introspections.
import { deletionRounds, runRounds, type Deletion, type Walk } from '../../kit/database/batches.ts'
import type { Database } from '../../kit/database/database.ts'
import { hasRow, sql } from '../../kit/database/sql.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import { accountDeletions } from '../accounts/purge.ts'
import { slugDeletion } from '../../tenancy/stores/slugs.ts'

const batchSize = 100

/** Each round is its own transaction: no lock is held for long, and two nodes that purge at once share the work. */
export function purgeJob(): JobWork {
  return {
    name: 'purge what has ended',
    run: deletionRounds(batchSize, [...oauthDeletions, ...accountDeletions, slugDeletion]),
  }
}

/** Purges the OAuth tables to the end. */
export function purgeOauth(db: Database): Promise<{ longestMs: number }> {
  return runRounds(db, deletionRounds(batchSize, oauthDeletions))
}

const hoursAgo = (now: Date, hours: number) => new Date(now.getTime() - hours * 3600_000)

// A request that found its token alive has time to finish before the grant goes with the last one: a minute.
// Rows that refer to others are deleted first, so that no delete cascades far.
const oauthDeletions: readonly (Deletion | Walk)[] = [
  (now, size) => sql`
    with gone as (
      delete from oauth_tokens
      where id = any(array(
        select id from oauth_tokens where expires_at <= ${hoursAgo(now, 1 / 60)} order by expires_at limit ${size}
        for update skip locked))
      returning id, store_id, grant_id
    ), grants as (
      delete from oauth_grants
      using (select distinct store_id, grant_id from gone) as ended
      where oauth_grants.store_id = ended.store_id
        and oauth_grants.id = ended.grant_id
        and not exists (
          select from oauth_tokens
          where oauth_tokens.store_id = ended.store_id
            and oauth_tokens.grant_id = ended.grant_id
            and oauth_tokens.id not in (select id from gone)
        )
    )
    select 1 from gone`,
  (now, size) => sql`
    delete from oauth_grants
    where ctid = any(array(
      select place
      from oauth_clients
      cross join lateral (
        select ctid as place
        from oauth_grants
        where client_id = oauth_clients.id
        limit ${size}
        for update skip locked) as own
      where expires_at <= ${now}
      order by expires_at
      limit ${size}))
    returning 1`,
  (now, size) => sql`
    delete from oauth_clients
    where id = any(array(
      select id from oauth_clients where expires_at <= ${now} order by expires_at limit ${size}
      for update skip locked))
    returning 1`,
  // Allowed, but the browser never came back for the code.
  {
    table: 'oauth_grants',
    among: (now) => sql`created_at <= ${hoursAgo(now, 1)}`,
    hasEnded: sql`not ${hasRow(sql`
      from oauth_tokens
      where oauth_tokens.store_id = oauth_grants.store_id
        and oauth_tokens.grant_id = oauth_grants.id`)}`,
  },
  {
    table: 'oauth_clients',
    among: (now) => sql`origin = 'document' and created_at < ${hoursAgo(now, 24)}`,
    hasEnded: sql`not ${hasRow(sql`from oauth_grants where oauth_grants.client_id = oauth_clients.id`)}`,
  },
  (now, size) => sql`
    delete from oauth_interactions
    where id = any(array(
      select id from oauth_interactions where expires_at <= ${now} limit ${size} for update skip locked))
    returning 1`,
]
