// Requests that wait for a person.
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type { Database } from '../../../kit/database/database.ts'
import { currentTime, sql } from '../../../kit/database/sql.ts'
import { hashSecret } from '../../../kit/values/secrets.ts'
import { withoutId } from './ids.ts'

export function interactions(db: Database): Partial<Adapter> {
  return {
    async upsert(uid, payload, ttlSeconds) {
      // The address to return to holds the uid, which opens the request.
      const entry = { ...withoutId(payload), returnTo: payload.returnTo?.replace(uid, '{uid}') }
      await db.transaction((tx) =>
        tx.rows(sql`
        insert into oauth_interactions (id, payload, expires_at)
        values (${hashSecret(uid)}, ${JSON.stringify(entry)}, ${new Date(tx.now.getTime() + ttlSeconds! * 1000)})
        on conflict (id) do update set payload = excluded.payload`),
      )
    },
    async find(uid) {
      const row = await db.one<{ payload: AdapterPayload }>(sql`
        select payload
        from oauth_interactions
        where id = ${hashSecret(uid)}
          and expires_at > ${currentTime}`)
      return row && { ...row.payload, jti: uid, returnTo: row.payload.returnTo?.replace('{uid}', uid) }
    },
    async destroy(uid) {
      await db.transaction((tx) => tx.rows(sql`delete from oauth_interactions where id = ${hashSecret(uid)}`))
    },
  }
}
