// Operations on the roles that a store defines. Nobody grants more than they have.
import { recordSecurityEvent, type NewSecurityEvent } from '../../tenancy/audit/operations.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Db, Tx } from '../../kit/database/database.ts'
import { findRecord } from '../../kit/declare/page.ts'
import { remove } from '../../kit/declare/remove.ts'
import { assignments, insertInto, type RecordOf } from '../../kit/declare/resource.ts'
import type { Create, Patch } from '../../kit/declare/field.ts'
import type { Actor } from '../../kit/values/actor.ts'
import { ApiError, conflict, invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import { newUuid, publicId } from '../../kit/values/ids.ts'
import type { RoleChoice } from '../accounts/operations.ts'
import { removeExpiredInvitations } from '../accounts/team.ts'
import { grantsAll, mayGrant } from '../accounts/roles.ts'
import type { Membership } from '../accounts/session.ts'
import type { HeldRole } from '../accounts/user.ts'
import { completeScopes, customRole, maxRoles, type RoleRecord } from './role.ts'

export async function createRole(
  tx: Tx,
  store: Membership,
  values: Create<typeof customRole.fields>,
  actor: Actor,
): Promise<RecordOf<RoleRecord>> {
  const scopes = completeScopes(values.scopes)
  requireHeld(store, scopes)
  const others = await lockRoles(tx, store.id)
  const full = { owner: 'a store', limit: maxRoles, things: 'custom roles' }
  if (others >= maxRoles) throw invalid(fault('name', generalFaults.one_too_many, full))
  const id = newUuid()
  const [row] = await tx.texts(
    sql`
    ${insertInto(customRole, { ...values, scopes }, { store_id: store.id, id, created_at: tx.now, updated_at: tx.now })}
    returning ${customRole.columns}`,
    nameTaken(values),
  )
  recordChange(tx, store, id, { event: 'role_created', actor, details: { scopes } })
  return customRole.record(row!)
}

/** Members have the role's new scopes from their next request on. */
export async function updateRole(
  tx: Tx,
  store: Membership,
  { id, patch }: { id: string; patch: Patch<typeof customRole.fields> },
  actor: Actor,
): Promise<RecordOf<RoleRecord>> {
  await lockRoles(tx, store.id)
  const before = await findRecord(tx, customRole, store.id, id)
  const changes = patch.scopes ? { ...patch, scopes: completeScopes(patch.scopes) } : patch
  requireHeld(store, [...before.entity.scopes, ...(changes.scopes ?? [])])
  if (Object.keys(patch).length === 0) return before
  const [row] = await tx.texts(
    sql`
    update roles
    set ${assignments(customRole, changes, { updated_at: tx.now })}
    where store_id = ${store.id}
      and id = ${id}
    returning ${customRole.columns}`,
    nameTaken(patch),
  )
  const after = customRole.record(row!)
  recordChange(tx, store, id, { event: 'role_updated', actor, details: { scopes: after.entity.scopes } })
  return after
}

export async function deleteRole(tx: Tx, store: Membership, id: string, actor: Actor): Promise<void> {
  const { entity } = await findRecord(tx, customRole, store.id, id)
  requireHeld(store, entity.scopes)
  removeExpiredInvitations(tx, store.id, id)
  const inUse = () => conflict('This role is in use: members or open invitations have it')
  await remove(tx, customRole, store.id, id, { members_role: inUse, invitations_role: inUse })
  recordChange(tx, store, id, { event: 'role_deleted', actor, details: { name: entity.name } })
}

/** Locks the role to grant. Throws if the person may not grant it. */
export async function requireGrantable(db: Db, store: Membership, choice: RoleChoice): Promise<void> {
  const role = await requireHeldRole(db, store.id, choice)
  if (mayGrant(store.role, role)) return
  const isOfManagers = role === 'owner' || role === 'admin'
  throw new ApiError(
    403,
    'SCOPE_INSUFFICIENT',
    isOfManagers ? 'Only an owner can make someone an owner' : 'This role grants more than yours',
  )
}

async function requireHeldRole(db: Db, storeId: string, choice: RoleChoice): Promise<HeldRole> {
  if (typeof choice === 'string') return choice
  const role = await db.one<Exclude<HeldRole, string>>(sql`
    select id, name, scopes
    from roles
    where store_id = ${storeId}
      and id = ${choice.id}`)
  if (!role) throw invalid(fault('role', generalFaults.does_not_exist))
  return role
}

function requireHeld({ role }: Membership, scopes: readonly string[]): void {
  if (grantsAll(role, scopes)) return
  throw new ApiError(403, 'SCOPE_INSUFFICIENT', 'A role cannot grant more than yours does')
}

/** Changes take turns, so that the count is exact. */
async function lockRoles(tx: Tx, storeId: string): Promise<number> {
  tx.later(sql`select from stores where id = ${storeId} for no key update`)
  const row = await tx.one<{ count: number }>(sql`select count(*)::int as count from roles where store_id = ${storeId}`)
  return row!.count
}

const nameTaken = ({ name }: { name?: string }) => ({
  roles_name: () => conflict(`A role named ${name} already exists`),
})

function recordChange(
  tx: Tx,
  { id: store }: Membership,
  id: string,
  event: Pick<NewSecurityEvent, 'event' | 'actor' | 'details'>,
): void {
  recordSecurityEvent(tx, { ...event, store, subject: publicId('role', id) })
}
