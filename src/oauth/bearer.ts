// Bearer tokens on the REST API: the store and the scopes come from the token. Every request asks the database, so that
// a revocation is seen at once on every node.
import type { Database } from '../kit/database/database.ts'
import { unauthenticated } from '../kit/values/errors.ts'
import { hashSecret } from '../kit/values/secrets.ts'
import { sql } from '../kit/database/sql.ts'
import { grants } from '../apikeys/scopes.ts'
import { storeColumns, type Store } from '../stores/store.ts'
import { isForUs, type Issuer } from './issuer.ts'
import { live, tokenColumns, tokenTables, touchGrant, type TokenRecord } from './tokens.ts'

export type BearerAccess = {
  store: Store
  scopes: ReadonlySet<string>
  actor: { kind: 'client'; id: string }
  quota: { name: string; limit: number }
  bearer: true
}

const perMinute = 1000

export function bearerCheck(db: Database, issuer: Issuer): (token: string) => Promise<BearerAccess> {
  return async (value) => {
    const token = await db.one<TokenRecord & { store: Store }>(sql`
      select ${tokenColumns}, (select row_to_json(store) from (select ${storeColumns}) as store) as store
      from ${tokenTables}
      join plans on plans.id = stores.plan_id
      where oauth_tokens.id = ${hashSecret(value)}
        and oauth_tokens.kind = 'AccessToken'
        and ${live}`)
    if (!token) throw unauthenticated('The access token is unknown, expired or revoked')
    const { clientId, scope = '', aud } = token.payload
    if (!isForUs(aud, issuer)) throw unauthenticated('The access token is for another audience')
    touchGrant(db, token)
    return {
      store: token.store,
      scopes: grants(scope.split(' ')),
      actor: { kind: 'client', id: clientId! },
      quota: { name: `client:${clientId}:${token.store_id}`, limit: perMinute },
      bearer: true,
    }
  }
}
