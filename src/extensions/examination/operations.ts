import type { StoreDatabase } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { notFound } from '../../kit/values/errors.ts'
import type { EventType } from '../../developer/webhooks/events.ts'
import type { GuardedFetch } from '../../platform/outbound/fetch.ts'
import { requireQuota, type RateLimiter } from '../../platform/ratelimit/ratelimit.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { Vault } from '../../kit/values/secrets.ts'
import { openSecret } from '../../developer/webhooks/secrets.ts'
import { webhook } from '../../developer/webhooks/webhook.ts'
import { examine, type Examination, type PostProbe } from './examine.ts'

export type ExaminationDeps = { vault: Vault; guardedFetch: GuardedFetch; limiter: RateLimiter }

/** Each examination makes about twenty calls to an address that a merchant chose. */
const examinationsPerMinute = 6

/** Calls the receiver, and changes nothing: its deliveries and health are not affected. */
export async function examineWebhook(
  db: StoreDatabase,
  store: Store,
  id: string,
  { vault, guardedFetch, limiter }: ExaminationDeps,
): Promise<Examination> {
  const row = await db.one<{ url: string; secret: string; events: EventType[] }>(sql`
    select url, secret, events
    from webhooks
    where store_id = ${store.id}
      and id = ${id}`)
  if (!row) throw notFound(webhook.noun)
  const now = db.clock.now()
  requireQuota(await limiter.hit(`examinations ${store.id}`, examinationsPerMinute), now)
  const secret = openSecret(vault, store.id, id, row.secret)
  return examine({ secret, events: row.events, store, now }, through(guardedFetch, row.url, id))
}

function through(guardedFetch: GuardedFetch, url: string, id: string): PostProbe {
  return async (shot, timeoutMs) => {
    const options = { ...shot, timeoutMs, lane: `examination ${id}`, maxResponseBytes: 1024 }
    const outcome = await guardedFetch.post(url, options)
    const { durationMs } = outcome
    if (!outcome.ok) return { status: null, error: outcome.error, reason: outcome.message, durationMs }
    return { status: outcome.status, error: null, durationMs, date: outcome.headers.date }
  }
}
