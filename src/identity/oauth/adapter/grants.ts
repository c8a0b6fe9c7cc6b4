import type { Adapter, AdapterPayload } from 'oidc-provider'
import { managers } from '../../accounts/user.ts'
import { recordSecurityEvent } from '../../../tenancy/audit/operations.ts'
import { endAppWebhooks } from '../../../tenancy/events/appwebhooks.ts'
import type { Actor } from '../../../kit/values/actor.ts'
import type { Database } from '../../../kit/database/database.ts'
import { sql } from '../../../kit/database/sql.ts'
import { toUuid } from '../../../kit/values/ids.ts'
import { errors } from '../library.ts'
import { readGrantStore, withoutId } from './ids.ts'
import { memoryOfRequest } from './request.ts'

export function grants(db: Database): Partial<Adapter> {
  return {
    async upsert(id, payload) {
      const scopes = (payload as { openid?: { scope?: string } }).openid?.scope?.split(' ') ?? []
      // Locks the member, so that someone who is being removed or demoted leaves no grant behind.
      const grantId = await db.transaction(async (tx) => {
        const grant = await tx.one(
          sql`
        insert into oauth_grants (store_id, id, client_id, user_id, scopes, payload, created_at)
        select store_id, ${id}, ${payload.clientId}, user_id, ${scopes}::text[],
               ${JSON.stringify(withoutId(payload))}::json, ${tx.now}::timestamptz
        from members
        where store_id = ${readGrantStore(id)}
          and user_id = ${toUuid('usr', payload.accountId ?? '')}
          and role = any(${managers})
        for share
        returning id`,
          { oauth_grants_client: () => new errors.InvalidClient('the client no longer exists', '') },
        )
        const actor: Actor = { kind: 'user', id: payload.accountId ?? null }
        const { clientId: subject = '' } = payload
        const store = readGrantStore(id)
        if (grant) recordSecurityEvent(tx, { event: 'grant_given', actor, store, subject, details: { scopes } })
        return grant
      })
      if (!grantId) throw new errors.AccessDenied('the account is not allowed to connect apps to the store')
    },
    async find(id) {
      const read = memoryOfRequest()?.grants.get(id)
      if (read) return { ...read, jti: id }
      const row = await db.one<{ payload: AdapterPayload }>(sql`
        select payload
        from oauth_grants
        where store_id = ${readGrantStore(id)}
          and id = ${id}`)
      return row && { ...row.payload, jti: id }
    },
    // The foreign keys delete its tokens.
    async destroy(id) {
      const store = readGrantStore(id)
      await db.transaction(async (tx) => {
        const grant = await tx.one<{ client_id: string }>(sql`
          delete from oauth_grants
          where store_id = ${store}
            and id = ${id}
          returning client_id`)
        if (!grant) return
        recordSecurityEvent(tx, {
          event: 'grant_ended',
          actor: { kind: 'client', id: grant.client_id },
          store,
          subject: grant.client_id,
        })
        await endAppWebhooks(tx, store)
      })
    },
  }
}
