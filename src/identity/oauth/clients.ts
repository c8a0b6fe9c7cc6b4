// Clients: rows of oauth_clients, in the form that the protocol's library and the portal use.
import type { ClientMetadata } from 'oidc-provider'
import type { Db, Tx } from '../../kit/database/database.ts'
import { hashSecret, randomBase62 } from '../../kit/values/secrets.ts'
import { currentTime, sql } from '../../kit/database/sql.ts'

/** dynamic: registered itself, expires. portal: made by hand, does not. document: its id is the URL of its metadata. */
export type Origin = 'dynamic' | 'portal' | 'document'

export type ClientRecord = {
  id: string
  origin: Origin
  metadata: ClientMetadata
  secret_hash: Buffer | null
  expires_at: Date | null
}

const maxIdLength = 2048

export function newClientId(): string {
  return `client_${randomBase62(24)}`
}

export function newClientSecret(): string {
  return `stoa_secret_${randomBase62(40)}`
}

/** Ignores expired clients, purged or not. */
export async function findClient(db: Db, id: string): Promise<ClientRecord | undefined> {
  if (id.length > maxIdLength || id.includes('\0')) return undefined
  return db.one<ClientRecord>(sql`
    select id, origin, metadata, secret_hash, expires_at
    from oauth_clients
    where id = ${id}
      and (expires_at is null or expires_at > ${currentTime})`)
}

export async function insertClient(
  tx: Tx,
  client: {
    id: string
    origin: Origin
    /** True if a secret may be stored: only its hash is kept. */
    metadata: ClientMetadata
    ownerId?: string | null
    expiresAt?: Date | null
  },
): Promise<void> {
  const { client_secret, ...metadata } = client.metadata
  await tx.rows(sql`
    insert into oauth_clients (id, origin, owner_id, name, metadata, secret_hash, created_at, expires_at)
    values (${client.id}, ${client.origin}, ${client.ownerId ?? null}, ${metadata.client_name ?? client.id},
            ${JSON.stringify(metadata)}, ${client_secret ? hashSecret(client_secret) : null}, ${tx.now},
            ${client.expiresAt ?? null})
    on conflict (id) do update
    set name = excluded.name, metadata = excluded.metadata
    where oauth_clients.origin = 'document'`)
}
