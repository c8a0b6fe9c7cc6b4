// What the roles of a store may do, and what to its people.
import type { Membership, UserSession } from './session.ts'
import type { TeamMember } from './team.ts'
import { managers, roles, type Role } from './user.ts'

const nouns = ['products', 'categories', 'inventory', 'orders', 'customers', 'discounts']
/** For what is a person's own, or of the team: everybody has it, and whoever may do what is said there. */
export const portalScope = 'portal'

const staffScopes = new Set([
  portalScope,
  ...nouns.flatMap((noun) => [`read:${noun}`, `write:${noun}`, `propose:${noun}`]),
  'read:store',
  'read:checkout_drafts',
])

/** Whether somebody of this role may do what a key needs the scope for, or what people alone do. */
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
