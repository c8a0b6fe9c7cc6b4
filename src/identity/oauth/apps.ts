// Connected apps of a store: who connected them, with which scopes, and when they were last active.
import { recordSecurityEvent } from '../../tenancy/audit/operations.ts'
import { endAppWebhooks } from '../../tenancy/events/appwebhooks.ts'
import type { Actor } from '../../kit/values/actor.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { notFound } from '../../kit/values/errors.ts'
import { currentTime, sql } from '../../kit/database/sql.ts'
import { effectivePolicy, type CredentialPolicy } from '../../tenancy/dispatch/policy.ts'

export type ConnectedApp = {
  client_id: string
  name: string
  scopes: string[]
  granted_by: string[]
  connected_at: Date
  last_used_at: Date | null
  /** Its active webhooks. */
  webhooks: number
}

/** True for a row of oauth_grants, joined with its client, that has a usable token. */
export const isConnected = sql`(
      (oauth_clients.expires_at is null or oauth_clients.expires_at > ${currentTime})
      and exists (
        select from oauth_tokens
        where oauth_tokens.store_id = oauth_grants.store_id
          and oauth_tokens.grant_id = oauth_grants.id
          and oauth_tokens.expires_at > ${currentTime}))`

/** Lists each client once, however many grants it has. */
export async function listApps(db: Db, storeId: string): Promise<ConnectedApp[]> {
  const apps = db.rows<Omit<ConnectedApp, 'webhooks'>>(sql`
    select oauth_grants.client_id, oauth_clients.name,
           array(select distinct unnest(scope.list) order by 1) as scopes,
           array_agg(distinct users.email) as granted_by,
           min(oauth_grants.created_at) as connected_at,
           max(oauth_grants.last_used_at) as last_used_at
    from oauth_grants
    join oauth_clients on oauth_clients.id = oauth_grants.client_id
    join users on users.id = oauth_grants.user_id
    cross join lateral (
      select array_agg(word) as list
      from oauth_grants as same, unnest(same.scopes) as word
      where same.store_id = oauth_grants.store_id
        and same.client_id = oauth_grants.client_id
    ) as scope
    where oauth_grants.store_id = ${storeId}
      and ${isConnected}
    group by oauth_grants.client_id, oauth_clients.name, scope.list
    order by max(oauth_grants.last_used_at) desc nulls last, oauth_clients.name
    limit 200`)
  const counts = db.rows<{ client_id: string; count: number }>(sql`
    select client_id, count(*) as count
    from webhooks
    where store_id = ${storeId}
      and client_id is not null
      and is_active
    group by client_id`)
  const webhooks = new Map((await counts).map(({ client_id, count }) => [client_id, count]))
  return (await apps).map((app) => ({ ...app, webhooks: webhooks.get(app.client_id) ?? 0 }))
}

/** Ends all grants of the client in the store, with their tokens, at once. */
export async function disconnectApp(tx: Tx, storeId: string, clientId: string, actor: Actor): Promise<void> {
  const rows = await tx.rows(sql`
    delete from oauth_grants
    where store_id = ${storeId}
      and client_id = ${clientId}
    returning id`)
  if (rows.length === 0) throw notFound('App')
  recordSecurityEvent(tx, { event: 'grant_ended', actor, store: storeId, subject: clientId })
  await endAppWebhooks(tx, storeId)
}

/** Sets the policy that limits the app within its scopes; null removes it. */
export async function limitApp(
  tx: Tx,
  storeId: string,
  clientId: string,
  policy: CredentialPolicy | null,
): Promise<void> {
  const client = await tx.one(sql`select from oauth_clients where id = ${clientId}`)
  if (!client) throw notFound('Client')
  const effective = effectivePolicy(policy)
  tx.later(
    effective === null
      ? sql`delete from app_policies where store_id = ${storeId} and client_id = ${clientId}`
      : sql`
      insert into app_policies (store_id, client_id, policy)
      values (${storeId}, ${clientId}, ${JSON.stringify(effective)}::json)
      on conflict (store_id, client_id) do update set policy = excluded.policy`,
  )
}
