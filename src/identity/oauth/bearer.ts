// Bearer tokens on the REST API: the store and the scopes come from the token. Every request asks the database, so that
// a revocation is seen at once on every node; those that arrive together ask together.
import type { Database } from '../../kit/database/database.ts'
import { batchLoader } from '../../kit/database/batchloader.ts'
import { unauthenticated } from '../../kit/values/errors.ts'
import { hashSecret } from '../../kit/values/secrets.ts'
import { sql } from '../../kit/database/sql.ts'
import { grants } from '../apikeys/scopes.ts'
import type { CredentialPolicy } from '../../tenancy/dispatch/policy.ts'
import { loadStore, storeColumns, type Store } from '../../tenancy/stores/store.ts'
import { isForMcp, isForThisApi, type Issuer } from './issuer.ts'
import { live, tokenColumns, tokenTables, touchGrant, type TokenRecord } from './tokens.ts'

export type BearerAccess = {
  store: Store
  scopes: ReadonlySet<string>
  actor: { kind: 'client'; id: string; user: string }
  policy: CredentialPolicy | null
  quota: { name: string; limit: number }
  bearer: true
}

/** The protected resource that a token is sent to. */
export type TokenUse = 'api' | 'mcp'

const perMinute = 1000

export function bearerCheck(
  db: Database,
  ...issuers: Issuer[]
): (token: string, use?: TokenUse) => Promise<BearerAccess> {
  const find = batchLoader((hashes: Buffer[]) => findAll(db, hashes))
  return async (value, use = 'api') => {
    const token = await find(hashSecret(value))
    if (!token) throw unauthenticated('The access token is unknown, expired or revoked')
    const { clientId, accountId, scope = '', aud } = token.payload
    const isFor = use === 'mcp' ? isForMcp : isForThisApi
    if (!issuers.some((issuer) => isFor(aud, issuer))) throw unauthenticated('The access token is for another audience')
    touchGrant(db, token)
    return {
      store: token.store,
      scopes: grants(scope.split(' ')),
      actor: { kind: 'client', id: clientId!, user: accountId! },
      policy: token.policy,
      quota: { name: `client:${clientId}:${token.store_id}`, limit: perMinute },
      bearer: true,
    }
  }
}

type AccessToken = TokenRecord & { store: Store; policy: CredentialPolicy | null }

async function findAll(db: Database, hashes: Buffer[]): Promise<(AccessToken | undefined)[]> {
  const names = hashes.map((hash) => hash.toString('hex'))
  const store = db.isDistributed ? sql`null` : sql`(select row_to_json(store) from (select ${storeColumns}) as store)`
  const rows = await db.rows<AccessToken & { hash: string }>(sql`
      select encode(oauth_tokens.id, 'hex') as hash, ${tokenColumns}, ${store} as store, (
          select policy
          from app_policies
          where app_policies.store_id = oauth_tokens.store_id
            and app_policies.client_id = oauth_grants.client_id) as policy
      from ${tokenTables}
      join plans on plans.id = stores.plan_id
      where oauth_tokens.id = any(${[...new Set(names)].map((name) => Buffer.from(name, 'hex'))}::bytea[])
        and oauth_tokens.kind = 'AccessToken'
        and ${live}`)
  if (db.isDistributed) for (const row of rows) row.store = (await loadStore(db, row.store_id))!
  const byHash = new Map(rows.map((row) => [row.hash, row]))
  return names.map((name) => byHash.get(name))
}
