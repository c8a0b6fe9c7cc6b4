import { LRUCache } from 'lru-cache'
import type { Adapter, ClientMetadata } from 'oidc-provider'
import { recordSecurityEvent } from '../../../tenancy/audit/operations.ts'
import type { Database } from '../../../kit/database/database.ts'
import { measuredBy } from '../../../kit/values/clock.ts'
import { hashSecret } from '../../../kit/values/secrets.ts'
import { findClient, insertClient, type ClientRecord } from '../clients.ts'
import { route } from './request.ts'
import { stranger } from '../../../kit/values/actor.ts'

const introspectionCacheMs = 10_000
const maxCached = 1000

export function clients(db: Database): Partial<Adapter> {
  const cache = new LRUCache<string, ClientRecord>({
    max: maxCached,
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
        recordSecurityEvent(tx, { event: 'client_created', actor: stranger(), subject: id })
        return insertClient(tx, { id, origin: 'dynamic', metadata, expiresAt: toSecretExpiry(metadata, tx.now) })
      })
    },
    async find(id) {
      const record = await find(id)
      // A document is fetched for every authorization, and its tokens keep the version of that time.
      const isForTokens = ['token', 'revocation', 'introspection'].includes(route())
      if (!record || (record.origin === 'document' && !isForTokens)) return undefined
      return record.secret_hash
        ? { ...record.metadata, client_secret: comparable(record.secret_hash) }
        : record.metadata
    },
  }
}

/** Converts our time to the system's clock, which the library uses. */
function toSecretExpiry({ client_secret_expires_at: expiry }: ClientMetadata, now: Date): Date | null {
  return expiry ? new Date(expiry * 1000 + now.getTime() - Date.now()) : null
}

function comparable(hash: Buffer): string {
  return `sha256:${hash.toString('hex')}`
}

/** The library compares the secret of a request with what find() answered. */
export function compareSecret(answer: string | undefined, secret: string): boolean {
  return answer !== undefined && Buffer.from(answer).equals(Buffer.from(comparable(hashSecret(secret))))
}

/** Checks the database when a cached client does not match: the secret may be newer. */
export async function isClientSecret(db: Database, clientId: string, secret: string): Promise<boolean> {
  const hash = (await findClient(db, clientId))?.secret_hash
  return !!hash && compareSecret(comparable(hash), secret)
}
