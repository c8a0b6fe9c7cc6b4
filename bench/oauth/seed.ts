// Clients, grants, tokens and codes straight in the tables, as the library would have written them.
import { createHash, randomBytes } from 'node:crypto'
import type { ClientMetadata } from 'oidc-provider'
import { addMember, createUser } from '../../src/identity/accounts/operations.ts'
import type { Database } from '../../src/kit/database/database.ts'
import { publicId } from '../../src/kit/values/ids.ts'
import { hashSecret } from '../../src/kit/values/secrets.ts'
import { sql } from '../../src/kit/database/sql.ts'
import { createClient } from '../../src/identity/oauth/operations.ts'
import { insertClient } from '../../src/identity/oauth/clients.ts'
import { createStore } from '../../src/tenancy/stores/operations.ts'
import { loadStore } from '../../src/tenancy/stores/store.ts'

export type App = { client_id: string; client_secret: string }
export type Code = { app: App; code: string; verifier: string }
export const redirect_uri = 'https://printer.example/callback'

const scope = 'read:orders read:products'

export type Merchant = { storeId: string; userId: string }

export async function newMerchant(db: Database): Promise<Merchant> {
  return db.transaction(async (tx) => {
    const storeId = await createStore(tx, {
      name: 'Bench',
      currency: 'USD',
      country_code: 'US',
      timezone: 'UTC',
      slug: `b-${randomBytes(6).toString('hex')}`,
    } as never)
    const store = await loadStore(tx, storeId)
    const userId = await createUser(tx, {
      email: `${randomBytes(6).toString('hex')}@example.com`,
      password: 'correct horse',
    })
    await addMember(tx, store!, userId, 'owner')
    return { storeId, userId }
  })
}

export async function newApps(db: Database, count: number): Promise<App[]> {
  return db.transaction(async (tx) => {
    const apps: App[] = []
    for (let n = 0; n < count; n++) {
      apps.push((await createClient(tx, null, { name: `App ${n}`, redirectUris: [redirect_uri], scope })) as App)
    }
    return apps
  })
}

/** A grant of the app with one token of the kind; answers the token's value. */
export async function newToken(
  db: Database,
  { storeId, userId }: Merchant,
  { client_id }: App,
  kind: 'AccessToken' | 'AuthorizationCode',
  more: object = {},
): Promise<string> {
  const grantId = `${storeId}.${randomBytes(16).toString('base64url')}`
  const value = randomBytes(32).toString('base64url')
  const iat = Math.floor(Date.now() / 1000)
  const common = { iat, exp: iat + 3600, accountId: publicId('usr', userId), clientId: client_id }
  const grant = { ...common, exp: iat + 10 ** 9, kind: 'Grant', openid: { scope } }
  const token = {
    ...common,
    kind,
    grantId,
    scope,
    gty: 'authorization_code',
    extra: { service_store_id: storeId },
    ...more,
  }
  await db.transaction(async (tx) => {
    const inAnHour = new Date(tx.now.getTime() + 3600_000)
    tx.later(sql`
      insert into oauth_grants (store_id, id, client_id, user_id, scopes, payload, created_at)
      values (${storeId}, ${grantId}, ${client_id}, ${userId}, ${scope.split(' ')}, ${JSON.stringify(grant)},
        ${tx.now})`)
    tx.later(sql`
      insert into oauth_tokens (id, kind, store_id, grant_id, payload, created_at, expires_at)
      values (${hashSecret(value)}, ${kind}, ${storeId}, ${grantId}, ${JSON.stringify(token)}, ${tx.now},
        ${inAnHour})`)
  })
  return value
}

export async function newCodes(db: Database, merchant: Merchant, apps: App[], count: number): Promise<Code[]> {
  const codes: Code[] = []
  for (let n = 0; n < count; n += 50) {
    codes.push(
      ...(await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const app = apps[(n + index) % apps.length]!
          const verifier = randomBytes(32).toString('base64url')
          const codeChallenge = createHash('sha256').update(verifier).digest('base64url')
          const code = await newToken(db, merchant, app, 'AuthorizationCode', {
            codeChallenge,
            codeChallengeMethod: 'S256',
            redirectUri: redirect_uri,
          })
          return { app, code, verifier }
        }),
      )),
    )
  }
  return codes
}

/** Clients that have expired, each with a grant and two tokens. */
export async function newExpired(db: Database, { storeId, userId }: Merchant, count: number): Promise<void> {
  const metadata = { client_name: 'Old', redirect_uris: [redirect_uri], client_id: 'old' } as ClientMetadata
  await db.transaction((tx) => insertClient(tx, { id: 'old', origin: 'dynamic', metadata }))
  for (let from = 0; from < count; from += 10_000) {
    await db.transaction(async (tx) => {
      const past = new Date(tx.now.getTime() - 1000)
      const future = new Date(tx.now.getTime() + 10 ** 9)
      tx.later(sql`
        insert into oauth_clients (id, origin, name, metadata, secret_hash, created_at, expires_at)
        select 'old' || n, 'dynamic', 'Old', ${JSON.stringify(metadata)}, sha256(n::text::bytea), ${past}, ${past}
        from generate_series(${from + 1}::int, ${from + 10_000}::int) as n`)
      tx.later(sql`
        insert into oauth_grants (store_id, id, client_id, user_id, scopes, payload, created_at)
        select ${storeId}, ${storeId} || '.' || n, 'old' || n, ${userId}, '{read:orders}', '{}', ${past}
        from generate_series(${from + 1}::int, ${from + 10_000}::int) as n`)
      tx.later(sql`
        insert into oauth_tokens (id, kind, store_id, grant_id, payload, created_at, expires_at)
        select sha256((kind || n)::bytea), kind, ${storeId}, ${storeId} || '.' || n, '{}', ${past}, ${future}
        from generate_series(${from + 1}::int, ${from + 10_000}::int) as n,
          unnest('{AccessToken,RefreshToken}'::text[]) as kind`)
    })
  }
}
