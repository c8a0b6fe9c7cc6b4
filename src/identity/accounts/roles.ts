// Permissions of the roles of a store.
import type { Membership, UserSession } from './session.ts'
import type { TeamMember } from './team.ts'
import { managers, roles, type Role } from './user.ts'

const nouns = ['products', 'categories', 'inventory', 'orders', 'customers', 'discounts']
/** The scope of the account API. Everybody has it; its routes name the roles that may call them. */
export const portalScope = 'portal'

const staffScopes = new Set([
  portalScope,
  ...nouns.flatMap((noun) => [`read:${noun}`, `write:${noun}`, `propose:${noun}`]),
  'read:store',
  'read:checkout_drafts',
])

/** True if the role grants a scope, of keys or of the account API. */
export function mayUse(role: Role, scope: string): boolean {
  return managers.some((manager) => manager === role) || staffScopes.has(scope)
}

export function isManager({ role }: Pick<Membership, 'role'>): boolean {
  return managers.some((manager) => manager === role)
}

/** Only an owner makes owners. */
export function grantableRoles({ role }: Pick<Membership, 'role'>): readonly Role[] {
  return role === 'owner' ? roles : roles.filter((other) => other !== 'owner')
}

/** Owners remove anybody, administrators staff and invitations, and everybody may leave. */
export function mayRemove(
  session: UserSession,
  store: Pick<Membership, 'role'>,
  { user_id, role }: TeamMember,
): boolean {
  if (user_id === null) return isManager(store)
  return user_id === session.user_id || store.role === 'owner' || (isManager(store) && role === 'staff')
}

/** A store keeps at least one owner. */
export function isLastOwner(person: TeamMember, team: readonly TeamMember[]): boolean {
  const isOwner = ({ user_id, role }: TeamMember) => user_id !== null && role === 'owner'
  return isOwner(person) && team.filter(isOwner).length === 1
}
