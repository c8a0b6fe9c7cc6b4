// The apps that one person connected, in all stores: shown after a password reset, which does not disconnect them.
import { recordSecurityEvent } from '../../tenancy/audit/operations.ts'
import { endAppWebhooks } from '../../tenancy/events/appwebhooks.ts'
import type { Actor } from '../../kit/values/actor.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import { isConnected } from './apps.ts'

export type UserApp = { client_id: string; name: string; stores: string[]; last_used_at: Date | null }

/** Lists each app once, however many stores it is connected to. */
export function listAppsOfUser(db: Db, userId: string): Promise<UserApp[]> {
  return db.rows<UserApp>(sql`
    select oauth_clients.id as client_id, oauth_clients.name,
           array_agg(distinct stores.name) as stores,
           max(oauth_grants.last_used_at) as last_used_at
    from members
    join oauth_grants on oauth_grants.store_id = members.store_id and oauth_grants.user_id = members.user_id
    join oauth_clients on oauth_clients.id = oauth_grants.client_id
    join stores on stores.id = members.store_id
    where members.user_id = ${userId}
      and ${isConnected}
    group by oauth_clients.id, oauth_clients.name
    order by oauth_clients.name, oauth_clients.id
    limit 200`)
}

/** Ends all grants of a person, with their tokens, at once. */
export async function endGrantsOfUser(tx: Tx, userId: string, actor: Actor): Promise<void> {
  const rows = await tx.rows<{ store_id: string; client_id: string }>(sql`
    delete from oauth_grants
    using members
    where members.user_id = ${userId}
      and oauth_grants.store_id = members.store_id
      and oauth_grants.user_id = members.user_id
    returning oauth_grants.store_id, oauth_grants.client_id`)
  for (const { store_id, client_id } of rows) {
    recordSecurityEvent(tx, { event: 'grant_ended', actor, store: store_id, subject: client_id })
  }
  const stores = new Set(rows.map(({ store_id }) => store_id))
  for (const storeId of [...stores].toSorted()) await endAppWebhooks(tx, storeId)
}
