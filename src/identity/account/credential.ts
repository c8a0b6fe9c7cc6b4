// The current rights of the credential that began some work: the work ends with the key, the app or the person.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Actor } from '../../kit/values/actor.ts'
import { toUuid } from '../../kit/values/ids.ts'
import type { CredentialPolicy } from '../../tenancy/dispatch/policy.ts'
import { mayUse } from '../accounts/roles.ts'
import { heldRole } from '../accounts/session.ts'
import type { HeldRole } from '../accounts/user.ts'
import { grants, scopes } from '../apikeys/scopes.ts'
import { isConnected } from '../oauth/apps.ts'

export type Credential = { scopes: ReadonlySet<string>; policy: CredentialPolicy | null }

/** Null if it has ended. The operator and the service itself may do everything. */
export async function findCredential(db: Db, storeId: string, actor: Actor): Promise<Credential | null> {
  switch (actor.kind) {
    case 'key':
      return ofKey(db, storeId, actor)
    case 'client':
      return ofApp(db, storeId, actor)
    case 'user':
      return ofMember(db, storeId, actor)
    default:
      return { scopes: new Set(scopes), policy: null }
  }
}

type Granted = { scopes: string[]; policy: CredentialPolicy | null }

function toCredential(row: Granted | undefined): Credential | null {
  return row ? { scopes: grants(row.scopes), policy: row.policy } : null
}

async function ofKey(db: Db, storeId: string, { id }: Actor): Promise<Credential | null> {
  return toCredential(
    await db.one<Granted>(sql`
      select scopes, policy
      from api_keys
      where store_id = ${storeId}
        and id = ${toUuid('key', id ?? '')}
        and is_active
        and (expires_at is null or expires_at > ${db.clock.now()})`),
  )
}

async function ofApp(db: Db, storeId: string, { id, user }: Actor): Promise<Credential | null> {
  const rows = await db.rows<Granted>(sql`
    select oauth_grants.scopes, (
      select policy
      from app_policies
      where app_policies.store_id = ${storeId}
        and app_policies.client_id = oauth_grants.client_id) as policy
    from oauth_grants
    join oauth_clients on oauth_clients.id = oauth_grants.client_id
    where oauth_grants.store_id = ${storeId}
      and oauth_grants.client_id = ${id}
      and oauth_grants.user_id = ${toUuid('usr', user ?? '')}
      and ${isConnected}
    limit 100`)
  const [first] = rows
  return toCredential(first && { scopes: rows.flatMap((row) => row.scopes), policy: first.policy })
}

async function ofMember(db: Db, storeId: string, { id }: Actor): Promise<Credential | null> {
  const member = await db.one<{ role: HeldRole }>(sql`
    select ${heldRole} as role
    from members
    left join roles on roles.store_id = ${storeId} and roles.id = members.role_id
    where members.store_id = ${storeId}
      and members.user_id = ${toUuid('usr', id ?? '')}`)
  return member ? { scopes: new Set(scopes.filter((scope) => mayUse(member.role, scope))), policy: null } : null
}
