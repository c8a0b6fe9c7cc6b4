import { email, id, text, time } from '../../kit/declare/scalars.ts'
import { resource } from '../../kit/declare/resource.ts'
import type { Actor, RequestOrigin } from '../../kit/values/actor.ts'
import { publicId } from '../../kit/values/ids.ts'
import { length } from './passwordrules.ts'

export const roles = ['owner', 'admin', 'staff'] as const

export type Role = (typeof roles)[number]

const nouns = ['products', 'categories', 'inventory', 'orders', 'customers', 'discounts']

/** The scope for inviting people and defining roles. Only roles have it, no keys. */
export const teamScope = 'write:team'

export const staffScopes: readonly string[] = [
  ...nouns.flatMap((noun) => [`read:${noun}`, `write:${noun}`, `propose:${noun}`]),
  'read:store',
  'read:checkout_drafts',
]

/** A role defined by the store. `scopes` includes all implied ones. */
export type CustomRole = { id: string; name: string; scopes: readonly string[] }

/** A member's role in a store. */
export type HeldRole = Role | CustomRole

/** A person as the actor of a write. */
export function userActor(userId: string, origin: RequestOrigin = {}): Actor {
  return { kind: 'user', id: publicId('usr', userId), ...origin }
}

/** Roles that are responsible for a store: they invite people and connect apps. */
export const managers = ['owner', 'admin'] as const satisfies Role[]

/** A built-in role, or the public ID of a custom role. */
export function roleName(role: HeldRole): string {
  return typeof role === 'string' ? role : publicId('role', role.id)
}

/** A person. Their rights in a store come from the role of their membership. */
// prettier-ignore
export const user = resource('users', {
  id:         id('usr').readonly(),
  email:      email().required(),
  name:       text({ max: 120 }).nullable(),
  created_at: time().readonly(),
  updated_at: time().readonly(),
}, {}, { noun: 'User' })

/** Long enough to be worth a hash, and limited because hashing reads all of it. */
const password = () => text({ min: length.minimum, max: length.maximum })

/** A new account. */
// prettier-ignore
export const newPerson = {
  email:    user.fields.email,
  password: password().required().describe('Current password'),
  name:     user.fields.name,
}
