// Clients made by hand, by a developer in the portal or by the operator. They never expire.
import type { ClientMetadata } from 'oidc-provider'
import { recordSecurityEvent } from '../../tenancy/audit/operations.ts'
import { endAppWebhooks } from '../../tenancy/events/appwebhooks.ts'
import { operator, type Actor } from '../../kit/values/actor.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { invalid, notFound } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { hashSecret } from '../../kit/values/secrets.ts'
import { sql } from '../../kit/database/sql.ts'
import { insertClient, newClientId, newClientSecret } from './clients.ts'
import { checkMetadata, InvalidMetadata, registrationAnswer } from './registration.ts'
import { userActor } from '../accounts/user.ts'

export const authMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const

export type NewClient = {
  name: string
  redirectUris: string[]
  scope: string
  authMethod?: string
  softwareId?: string
}

const maxClients = 100

/** Only this response has the secret; a public client has none. Null as owner means the operator. */
export async function createClient(
  tx: Tx,
  ownerId: string | null,
  { name, redirectUris, scope, softwareId, authMethod = 'client_secret_basic' }: NewClient,
): Promise<{ client_id: string; client_secret?: string }> {
  if (!authMethods.some((method) => method === authMethod)) {
    throw invalid(fault('token_endpoint_auth_method', generalFaults.not_one_of, { choices: authMethods.join(', ') }))
  }
  const secret = authMethod === 'none' ? undefined : newClientSecret()
  const metadata = {
    client_id: newClientId(),
    client_id_issued_at: Math.floor(tx.now.getTime() / 1000),
    client_secret_expires_at: 0,
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope,
    token_endpoint_auth_method: authMethod,
    ...(softwareId ? { software_id: softwareId } : {}),
  }
  check(metadata as ClientMetadata)
  if (ownerId !== null) await requireRoomForClient(tx, ownerId)
  const credentials = { client_id: metadata.client_id, ...(secret ? { client_secret: secret } : {}) }
  await insertClient(tx, {
    id: credentials.client_id,
    origin: 'portal',
    ownerId,
    metadata: { ...metadata, ...credentials } as ClientMetadata,
  })
  recordSecurityEvent(tx, { event: 'client_created', actor: toOwnerActor(ownerId), subject: credentials.client_id })
  return credentials
}

/** The rules of registration, with the errors of this API. */
function check(metadata: ClientMetadata): void {
  try {
    checkMetadata(metadata as never)
  } catch (error) {
    throw error instanceof InvalidMetadata ? invalid(error.fault) : error
  }
}

async function requireRoomForClient(tx: Tx, ownerId: string): Promise<void> {
  // The lock serialises inserts, so that the count is exact.
  await tx.rows(sql`select id from users where id = ${ownerId} for no key update`)
  const [row] = await tx.rows<{ count: number }>(sql`
    select count(*) as count
    from oauth_clients
    where owner_id = ${ownerId}`)
  if (row!.count < maxClients) return
  throw invalid(
    fault('client_name', generalFaults.one_too_many, { owner: 'a developer', limit: maxClients, things: 'clients' }),
  )
}

export type OwnClient = Record<string, unknown> & { client_id: string; client_name: string; created_at: Date }

export async function listClients(db: Db, ownerId: string): Promise<OwnClient[]> {
  const rows = await db.rows<{ metadata: ClientMetadata; created_at: Date }>(sql`
    select metadata, created_at
    from oauth_clients
    where owner_id = ${ownerId}
    order by created_at desc, id desc
    limit ${maxClients}`)
  return rows.map(({ metadata, created_at }) => ({ ...registrationAnswer(metadata), created_at }) as OwnClient)
}

/** The old secret stops working at once; nodes that know the client from introspections take up to 10 s. */
export async function rotateSecret(
  tx: Tx,
  ownerId: string,
  clientId: string,
): Promise<{ client_id: string; client_secret: string }> {
  const secret = newClientSecret()
  const client = await tx.one(sql`
    update oauth_clients
    set secret_hash = ${hashSecret(secret)}
    where id = ${clientId}
      and owner_id = ${ownerId}
      and secret_hash is not null
    returning id`)
  if (!client) throw notFound('Client')
  recordSecurityEvent(tx, { event: 'client_secret_rotated', actor: toOwnerActor(ownerId), subject: clientId })
  return { client_id: clientId, client_secret: secret }
}

/** Deletes the client together with all its grants. */
export async function deleteClient(tx: Tx, ownerId: string, clientId: string): Promise<void> {
  const stores = await tx.rows<{ store_id: string }>(sql`
    select distinct store_id
    from oauth_grants
    where client_id = ${clientId}
    order by store_id`)
  const client = await tx.one(sql`
    delete from oauth_clients
    where id = ${clientId}
      and owner_id = ${ownerId}
    returning id`)
  if (!client) throw notFound('Client')
  recordSecurityEvent(tx, { event: 'client_deleted', actor: toOwnerActor(ownerId), subject: clientId })
  for (const { store_id } of stores) await endAppWebhooks(tx, store_id)
}

function toOwnerActor(ownerId: string | null): Actor {
  return ownerId === null ? operator : userActor(ownerId)
}
