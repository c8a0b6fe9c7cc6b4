// The webhooks of apps end with the app's access to the store. Code that ends a grant calls endAppWebhooks in the same
// transaction; the job finds those whose client or grant has expired.
import type { Db, Tx } from '../../kit/database/database.ts'
import { advisoryLock } from '../../kit/database/advisorylock.ts'
import { byStore } from '../../kit/database/bystore.ts'
import { inReach, currentTime, raw, sql } from '../../kit/database/sql.ts'
import type { JobWork } from '../../platform/process/jobs.ts'
import { declaredEvent } from './event.ts'

type AppWebhook = { store_id: string; id: string; client_id: string; events: string[] }
type AppGrant = { store_id: string; client_id: string; scopes: string[] }

/**
 * Keeps others from changing the store's subscriptions until the commit. All code locks this first, then the
 * webhook, its deliveries, its health, and last the counters, which every order waits for.
 */
export function lockSubscriptions(tx: Tx, storeId: string): void {
  advisoryLock(tx, `webhooks ${storeId}`)
}

/** Disables the store's webhooks whose app may no longer read what they receive, and drops what is queued. */
export async function endAppWebhooks(tx: Tx, storeId: string): Promise<void> {
  lockSubscriptions(tx, storeId)
  const webhooks = await tx.rows<AppWebhook>(sql`
    select store_id, id, client_id, events
    from webhooks
    where store_id = ${storeId}
      and client_id is not null
      and is_active
    order by id
    for update`)
  const endedWebhooks = await withoutAccess(tx, webhooks)
  if (endedWebhooks.length === 0) return
  disable(
    tx,
    storeId,
    endedWebhooks.map(({ id }) => id),
  )
}

/** True if the app has a grant of the store that covers the webhook's events. */
export async function hasAccess(db: Db, webhook: Omit<AppWebhook, 'id'>): Promise<boolean> {
  return (await withoutAccess(db, [webhook])).length === 0
}

const batchSize = 1000

/** Each round looks at the next webhooks of apps. */
export function appWebhooksJob(): JobWork {
  let after: string | null = null
  return {
    name: 'disable webhooks of apps',
    async run(tx) {
      const webhooks: AppWebhook[] = await tx.rows<AppWebhook>(sql`
        select store_id, id, client_id, events
        from webhooks
        where client_id is not null
          and is_active
          and ${inReach('store_id')}
          and ${after === null ? sql`true` : sql`id > ${after}`}
        order by id
        limit ${raw(String(batchSize))}`)
      after = webhooks.length < batchSize ? null : webhooks.at(-1)!.id
      for (const [storeId] of byStore(await withoutAccess(tx, webhooks))) await endAppWebhooks(tx, storeId)
      return { more: after !== null }
    },
  }
}

/** Webhooks without a grant, from a client that has not expired, that has all scopes. */
async function withoutAccess<W extends Omit<AppWebhook, 'id'>>(db: Db, webhooks: readonly W[]): Promise<W[]> {
  if (webhooks.length === 0) return []
  const [stores, clients] = (['store_id', 'client_id'] as const).map((name) => [
    ...new Set(webhooks.map((webhook) => webhook[name])),
  ])
  const grants = await db.rows<AppGrant>(sql`
    select oauth_grants.store_id, oauth_grants.client_id, oauth_grants.scopes
    from oauth_grants
    join oauth_clients on oauth_clients.id = oauth_grants.client_id
    where oauth_grants.store_id = any(${stores}::text[])
      and oauth_grants.client_id = any(${clients}::text[])
      and (oauth_clients.expires_at is null or oauth_clients.expires_at > ${currentTime})`)
  const scopes = Map.groupBy(grants, ({ store_id, client_id }) => `${store_id} ${client_id}`)
  return webhooks.filter(({ store_id, client_id, events }) => {
    const nouns = new Set(scopes.get(`${store_id} ${client_id}`)?.flatMap((grant) => grant.scopes.map(readScopeNoun)))
    return !nouns.has('webhooks') || events.some((event) => !nouns.has(readScopeNoun(declaredEvent(event).scope)))
  })
}

/** Each scope over a noun includes reading it. */
function readScopeNoun(scope: string): string {
  return scope.slice(scope.indexOf(':') + 1)
}

function disable(tx: Tx, storeId: string, ids: readonly string[]): void {
  tx.later(sql`
    update webhooks
    set is_active = false, paused_at = null, disabled_at = ${tx.now}, disabled_reason = 'access_revoked',
      updated_at = ${tx.now}
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
  tx.later(sql`
    update deliveries
    set status = 'skipped', error = 'access_revoked', urgent = false, completed_at = ${tx.now}
    where store_id = ${storeId}
      and webhook_id = any(${ids}::uuid[])
      and status = 'pending'`)
  tx.later(sql`
    update webhook_health
    set probe_at = null
    where store_id = ${storeId}
      and webhook_id = any(${ids}::uuid[])`)
}
