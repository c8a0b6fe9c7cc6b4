// Permissions of the roles of a store.
import type { Membership, UserSession } from './session.ts'
import type { TeamMember } from './team.ts'
import { managers, roles, staffScopes, teamScope, type HeldRole, type Role } from './user.ts'

/** The scope of the account API. Everybody has it; its routes name the roles that may call them. */
export const portalScope = 'portal'

/** True if the role grants a scope, of keys or of the account API; of several, one is enough. */
export function mayUse(role: HeldRole, roles: string | readonly string[]): boolean {
  if (isManagerRole(role)) return true
  return [roles].flat().some((scope) => scope === portalScope || listRoleScopes(role).includes(scope))
}

export function isManager({ role }: Pick<Membership, 'role'>): boolean {
  return isManagerRole(role)
}

function isManagerRole(role: HeldRole): boolean {
  return managers.some((manager) => manager === role)
}

function listRoleScopes(role: HeldRole): readonly string[] {
  return typeof role === 'string' ? staffScopes : role.scopes
}

/** Only an owner makes owners, and nobody grants more than they have. */
export function mayGrant(own: HeldRole, role: HeldRole): boolean {
  if (isManagerRole(role)) return own === 'owner' || (own === 'admin' && role === 'admin')
  return mayUse(own, teamScope) && grantsAll(own, listRoleScopes(role))
}

/** True if a role has all these scopes. */
export function grantsAll(role: HeldRole, scopes: readonly string[]): boolean {
  return scopes.every((scope) => mayUse(role, scope))
}

/** The built-in roles that this one may grant. */
export function grantableRoles({ role }: Pick<Membership, 'role'>): readonly Role[] {
  return roles.filter((other) => mayGrant(role, other))
}

/** Owners remove anyone, administrators and team managers remove those below them, and everyone may leave. */
export function mayRemove(
  session: UserSession,
  store: Pick<Membership, 'role'>,
  { user_id, role }: TeamMember,
): boolean {
  if (user_id === null) return mayUse(store.role, teamScope)
  return user_id === session.user_id || store.role === 'owner' || (!isManagerRole(role) && mayGrant(store.role, role))
}

/** A store keeps at least one owner. */
export function isLastOwner(person: TeamMember, team: readonly TeamMember[]): boolean {
  const isOwner = ({ user_id, role }: TeamMember) => user_id !== null && role === 'owner'
  return isOwner(person) && team.filter(isOwner).length === 1
}
