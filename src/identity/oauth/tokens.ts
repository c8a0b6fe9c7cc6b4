// Finds tokens by their value: one query also checks that grant, client and store still exist.
import type { AdapterPayload } from 'oidc-provider'
import type { Database, Db } from '../../kit/database/database.ts'
import { hashSecret } from '../../kit/values/secrets.ts'
import { currentTime, raw, sql } from '../../kit/database/sql.ts'

export type TokenRecord = {
  kind: string
  payload: AdapterPayload
  consumed_at: Date | null
  /** For a refresh token: the sealed response that replaced it (successors.ts). */
  successor: string | null
  store_id: string
  grant_id: string
  grant: AdapterPayload
  last_used_at: Date | null
}

/** Select list and joins of every token query; `live` is its condition. */
export const tokenColumns = raw(`
  oauth_tokens.kind, oauth_tokens.payload, oauth_tokens.consumed_at, oauth_tokens.successor, oauth_tokens.store_id,
  oauth_tokens.grant_id,
  oauth_grants.payload as grant, oauth_grants.last_used_at`)

export const tokenTables = raw(`
    oauth_tokens
    join oauth_grants on oauth_grants.store_id = oauth_tokens.store_id and oauth_grants.id = oauth_tokens.grant_id
    join oauth_clients on oauth_clients.id = oauth_grants.client_id
    join stores on stores.id = oauth_tokens.store_id`)

export const live = sql`
      oauth_tokens.expires_at > ${currentTime}
      and (oauth_clients.expires_at is null or oauth_clients.expires_at > ${currentTime})
      and stores.status <> 'closed'`

export function findToken(db: Db, value: string): Promise<TokenRecord | undefined> {
  return db.one<TokenRecord>(sql`
    select ${tokenColumns}
    from ${tokenTables}
    where oauth_tokens.id = ${hashSecret(value)}
      and ${live}`)
}

const touchEveryMs = 60_000
// Grants that this process is updating: a thousand simultaneous requests cause one update.
const touches = new Set<string>()

/** Records that the grant is in use, at most once a minute. Bookkeeping: no request waits or fails for it. */
export function touchGrant(db: Database, token: Omit<TokenRecord, 'payload' | 'grant' | 'successor'>): void {
  const { store_id, grant_id, last_used_at } = token
  const now = db.clock.now()
  if (last_used_at && last_used_at.getTime() > now.getTime() - touchEveryMs) return
  if (touches.has(grant_id)) return
  touches.add(grant_id)
  db.transaction((tx) =>
    tx.rows(sql`
    update oauth_grants
    set last_used_at = ${now}
    where store_id = ${store_id}
      and id = ${grant_id}
      and (last_used_at is null or last_used_at <= ${new Date(now.getTime() - touchEveryMs)})`),
  )
    .catch(() => {})
    .finally(() => touches.delete(grant_id))
}
