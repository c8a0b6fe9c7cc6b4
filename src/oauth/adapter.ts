// What oidc-provider keeps, in PostgreSQL: clients, grants, tokens, and requests that wait for a person. Values that
// open something are known by their SHA-256; the one clock decides what has expired.
import { LRUCache } from 'lru-cache'
import type { Adapter, AdapterPayload, ClientMetadata } from 'oidc-provider'
import { errors, Provider } from './library.ts'
import { note } from '../audit/operations.ts'
import type { Doer } from '../audit/securityevent.ts'
import type { Database } from '../kit/database/database.ts'
import { measuredBy } from '../kit/values/clock.ts'
import { uuidOf } from '../kit/values/ids.ts'
import { hashSecret } from '../kit/values/secrets.ts'
import { currentTime, sql } from '../kit/database/sql.ts'
import { managers } from '../accounts/user.ts'
import { findClient, insertClient, type ClientRecord } from './clients.ts'
import { findToken, touchGrant, type TokenRecord } from './tokens.ts'
import { writeToken } from './tokenwrites.ts'

export function adapters(db: Database): (name: string) => Adapter {
  const models: Record<string, Partial<Adapter>> = {
    Client: clients(db),
    Grant: grants(db),
    AuthorizationCode: tokens(db, 'AuthorizationCode'),
    AccessToken: tokens(db, 'AccessToken'),
    RefreshToken: tokens(db, 'RefreshToken'),
    Interaction: interactions(db),
  }
  // Session is not among them: the dashboard's session is the only one, and every authorization asks for consent.
  return (name) => ({ ...keepsNothing, ...models[name] })
}

const keepsNothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
}

const introspectionCacheMs = 10_000
const maximumCached = 1000

function clients(db: Database): Partial<Adapter> {
  const cache = new LRUCache<string, ClientRecord>({
    max: maximumCached,
    ttl: introspectionCacheMs,
    ...measuredBy(db.clock),
  })

  // A resource server asks often and with the same few clients; only there may a client be up to 10 s old. Tokens of a
  // client that is gone are gone with it.
  const find = async (id: string): Promise<ClientRecord | undefined> => {
    if (route() !== 'introspection') return findClient(db, id)
    const entry = cache.get(id)
    if (entry && (entry.expires_at?.getTime() ?? Infinity) > db.clock.now().getTime()) return entry
    const record = await findClient(db, id)
    if (record) cache.set(id, record)
    else cache.delete(id)
    return record
  }
  return {
    async upsert(id, payload) {
      const metadata = payload as ClientMetadata
      await db.transaction((tx) => {
        note(tx, { event: 'client_created', by: { kind: 'stranger' }, subject: id })
        return insertClient(tx, { id, origin: 'dynamic', metadata, expiresAt: expiryOf(metadata, tx.now) })
      })
    },
    async find(id) {
      const record = await find(id)
      // A document is read anew for every authorization; for its tokens, what it said then holds.
      const isForTokens = ['token', 'revocation', 'introspection'].includes(route())
      if (!record || (record.origin === 'document' && !isForTokens)) return undefined
      return record.secret_hash
        ? { ...record.metadata, client_secret: comparable(record.secret_hash) }
        : record.metadata
    },
  }
}

/** The library announces times of its own clock. */
function expiryOf({ client_secret_expires_at: expiry }: ClientMetadata, now: Date): Date | null {
  return expiry ? new Date(expiry * 1000 + now.getTime() - Date.now()) : null
}

function comparable(hash: Buffer): string {
  return `sha256:${hash.toString('hex')}`
}

/** The library compares the secret of a request with what find() answered. */
export function compareSecret(answer: string | undefined, secret: string): boolean {
  return answer !== undefined && Buffer.from(answer).equals(Buffer.from(comparable(hashSecret(secret))))
}

/** Asked of the database when a client that was kept in memory says no: its secret may be a newer one. */
export async function isSecretOf(db: Database, clientId: string, secret: string): Promise<boolean> {
  const hash = (await findClient(db, clientId))?.secret_hash
  return !!hash && compareSecret(comparable(hash), secret)
}

function grants(db: Database): Partial<Adapter> {
  return {
    async upsert(id, payload) {
      const scopes = (payload as { openid?: { scope?: string } }).openid?.scope?.split(' ') ?? []
      // The member is locked: who is being removed or demoted at this moment leaves no grant behind.
      const granted = await db.transaction(async (tx) => {
        const grant = await tx.one(
          sql`
        insert into oauth_grants (store_id, id, client_id, user_id, scopes, payload, created_at)
        select store_id, ${id}, ${payload.clientId}, user_id, ${scopes}::text[],
               ${JSON.stringify(withoutId(payload))}::json, ${tx.now}::timestamptz
        from members
        where store_id = ${storeOf(id)}
          and user_id = ${uuidOf('usr', payload.accountId ?? '')}
          and role = any(${managers})
        for share
        returning id`,
          { oauth_grants_client: () => new errors.InvalidClient('the client is gone', '') },
        )
        const by: Doer = { kind: 'user', id: payload.accountId ?? null }
        const { clientId: subject = '' } = payload
        if (grant) note(tx, { event: 'grant_given', by, store: storeOf(id), subject, details: { scopes } })
        return grant
      })
      if (!granted) throw new errors.AccessDenied('the account may not let apps into the store')
    },
    async find(id) {
      const read = remembered()?.grants.get(id)
      if (read) return { ...read, jti: id }
      const row = await db.one<{ payload: AdapterPayload }>(sql`
        select payload
        from oauth_grants
        where store_id = ${storeOf(id)}
          and id = ${id}`)
      return row && { ...row.payload, jti: id }
    },
    // The foreign keys take its tokens along.
    async destroy(id) {
      const store = storeOf(id)
      await db.transaction(async (tx) => {
        const grant = await tx.one<{ client_id: string }>(sql`
          delete from oauth_grants
          where store_id = ${store}
            and id = ${id}
          returning client_id`)
        if (!grant) return
        note(tx, { event: 'grant_ended', by: { kind: 'client', id: grant.client_id }, store, subject: grant.client_id })
      })
    },
  }
}

type TokenKind = 'AuthorizationCode' | 'AccessToken' | 'RefreshToken'

function tokens(db: Database, kind: TokenKind): Partial<Adapter> {
  return {
    async upsert(value, payload, ttlSeconds) {
      const grantId = payload.grantId!
      await writeToken(db, (tx) =>
        tx.rows(
          sql`
        insert into oauth_tokens (id, kind, store_id, grant_id, payload, created_at, expires_at)
        values (${hashSecret(value)}, ${kind}, ${storeOf(grantId)}, ${grantId}, ${JSON.stringify(withoutId(payload))},
                ${tx.now}, ${new Date(tx.now.getTime() + ttlSeconds! * 1000)})`,
          { oauth_tokens_grant: () => new errors.InvalidGrant('the grant was revoked') },
        ),
      )
    },
    async find(value) {
      const token = await readOnce(db, value)
      if (token?.kind !== kind) return undefined
      if (token.consumed_at && route() === 'token') refuseTwin(token.consumed_at)
      if (kind !== 'AuthorizationCode' && route() !== 'revocation') touchGrant(db, token)
      return { ...token.payload, jti: value, ...(token.consumed_at ? { consumed: true } : {}) }
    },
    // Of any number of requests that come with the same value, on any node, one gets past this statement.
    async consume(value) {
      await writeToken(db, async (tx) => {
        const consumed = await tx.one(sql`
          update oauth_tokens
          set consumed_at = ${tx.now}
          where id = ${hashSecret(value)}
            and consumed_at is null
          returning id`)
        if (!consumed) throw new errors.InvalidGrant('already used')
      })
    },
    async destroy(value) {
      await db.transaction((tx) => tx.rows(sql`delete from oauth_tokens where id = ${hashSecret(value)}`))
    },
    // The library destroys the grant at the same time, and all of its tokens go with it.
    revokeByGrantId: async () => {},
  }
}

/**
 * A request that was already here when another one used the value is its twin (a double click, a hasty retry): it gets
 * nothing. One that comes later is a replay, and the library revokes the grant.
 */
function refuseTwin(consumedAt: Date): void {
  const { arrivedAt } = Provider.ctx!.req as { arrivedAt?: Date }
  if (arrivedAt && arrivedAt <= consumedAt) throw new errors.InvalidGrant('already used')
}

type Remembered = { tokens: Map<string, Promise<TokenRecord | undefined>>; grants: Map<string, AdapterPayload> }
const byRequest = new WeakMap<object, Remembered>()

/** What the request has read: the library looks for a token under every kind, and then for its grant. */
function remembered(): Remembered | undefined {
  const context = Provider.ctx
  if (!context) return undefined
  let memory = byRequest.get(context)
  if (!memory) byRequest.set(context, (memory = { tokens: new Map(), grants: new Map() }))
  return memory
}

function readOnce(db: Database, value: string): Promise<TokenRecord | undefined> {
  const memory = remembered()
  const promise = memory?.tokens.get(value)
  if (promise) return promise
  const reading = findToken(db, value).then((token) => {
    if (token) memory?.grants.set(token.grant_id, token.grant)
    return token
  })
  memory?.tokens.set(value, reading)
  return reading
}

function interactions(db: Database): Partial<Adapter> {
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

function withoutId(payload: AdapterPayload): AdapterPayload {
  const { jti: _, ...rest } = payload
  return rest
}

export function storeOf(grantId: string): string {
  return grantId.slice(0, grantId.indexOf('.'))
}

function route(): string {
  return Provider.ctx?.oidc?.route ?? ''
}
