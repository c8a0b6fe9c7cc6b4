import type { Database, Db, Tx } from '../../kit/database/database.ts'
import { isUuid, newUuidAt, readUuidTime } from '../../kit/values/ids.ts'
import { and, sql, type Sql } from '../../kit/database/sql.ts'
import type { RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import type { NewSecurityEvent } from './securityevent.ts'

export type { NewSecurityEvent }

const maxAgent = 200
const failuresAMinute = 120

export const keptDays = 365

/** Committed together with the change that it records. */
export function recordSecurityEvent(tx: Tx, { event, actor, store = '', subject, details }: NewSecurityEvent): void {
  tx.later(sql`
    insert into security_events
      (store_id, id, event, actor_kind, actor_id, ip, user_agent, subject, details, created_at)
    values (${store}, ${newUuidAt(tx.now)}, ${event}, ${actor.kind}, ${actor.id}, ${actor.ip ?? null},
            ${actor.userAgent === undefined ? null : shortenUserAgent(actor.userAgent)}, ${subject ?? null},
            ${details === undefined ? null : JSON.stringify(details)}, ${tx.now})`)
}

/**
 * A failure has no transaction of its own. Recording it does not delay the response, and the number of recorded
 * failures per minute is limited.
 */
export async function recordFailure(db: Database, limiter: RateLimiter, failure: NewSecurityEvent): Promise<void> {
  const { allowed } = await limiter.hit('account:failures noted', failuresAMinute)
  if (!allowed) return
  await db.transaction(async (tx) => recordSecurityEvent(tx, failure)).catch(() => {})
}

function shortenUserAgent(userAgent: string): string {
  return userAgent
    .slice(0, maxAgent)
    .replaceAll(/\p{Cc}/gu, ' ')
    .toWellFormed()
}

export type SecurityEvent = {
  id: string
  store_id: string | null
  event: string
  actor: { kind: string; id: string | null; ip: string | null; user_agent: string | null }
  subject: string | null
  details: Record<string, unknown> | null
  created_at: Date
}

type SecurityEventQuery = {
  store?: string | undefined
  subject?: string | undefined
  /** The ID of the last event on the previous page. */
  before?: string | undefined
  limit: number
}

/** Newest first. */
export function listSecurityEvents(
  db: Db,
  { store, subject, before, limit }: SecurityEventQuery,
): Promise<SecurityEvent[]> {
  const conditions: Sql[] = [
    ...(store === undefined ? [] : [sql`store_id = ${store}`]),
    ...(subject === undefined ? [] : [sql`subject = ${subject}`]),
    ...(before && isUuid(before) ? [sql`(created_at, id) < (${readUuidTime(before)}, ${before}::uuid)`] : []),
  ]
  return db.rows<SecurityEvent>(sql`
    select id, nullif(store_id, '') as store_id, event, subject, details, created_at,
           json_build_object('kind', actor_kind, 'id', actor_id, 'ip', ip, 'user_agent', user_agent) as actor
    from security_events
    where ${and(conditions)}
    order by created_at desc, id desc
    limit ${limit}`)
}

/** Marks entries as undone by a write. If the write undoes an undo, the entries of that undo lose their mark. */
export function noteUndo(
  tx: Tx,
  storeId: string,
  { ids, undone, undoer }: { ids: readonly string[]; undone: string | null; undoer: string | null },
): void {
  tx.later(sql`
    update audit_log
    set reverted_by = null
    where store_id = ${storeId}
      and reverted_by = ${undone}`)
  tx.later(sql`
    update audit_log
    set reverted_by = ${undoer}
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
}
