import type { Tx } from '../../../kit/database/database.ts'
import type { Actor } from '../../../kit/declare/route.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import { sql } from '../../../kit/database/sql.ts'
import { emailHash } from '../../../tenancy/tables/person.ts'
import { type ConsentInput, type ConsentSource, type MarketingConsent } from './consent.ts'

type Consenting = { id: string; email: string | null; accepts: boolean; before: MarketingConsent | null }

/** Records that a customer agreed to marketing, or withdrew that. Returns what their record shows of it. */
export function recordConsent(
  tx: Tx,
  storeId: string,
  { id, email, accepts, before }: Consenting,
  { source = getOwnSource(tx.cause.actor), text = null, consented_at }: ConsentInput = {},
): MarketingConsent {
  const state = accepts ? 'subscribed' : 'unsubscribed'
  tx.later(sql`
    insert into marketing_consents (store_id, id, customer_id, email_hash, state, source, text, created_at)
    values (${storeId}, ${newUuid()}, ${id}, ${emailHash(sql`${email}::text`)},
      ${state}, ${source}, ${text}, ${tx.now})`)
  const now = tx.now.toISOString()
  return {
    state,
    source,
    text,
    consented_at: accepts ? earlier(consented_at, now) : (before?.consented_at ?? null),
    changed_at: now,
  }
}

/** Who changes it without saying where the customer agreed. */
function getOwnSource({ kind }: Pick<Actor, 'kind'>): ConsentSource {
  if (kind === 'user') return 'staff'
  return kind === 'key' || kind === 'client' ? 'api' : 'other'
}

/** Nobody agrees in the future. ISO timestamps sort as their times do. */
function earlier(time: string | null | undefined, now: string): string {
  return time && time < now ? time : now
}
