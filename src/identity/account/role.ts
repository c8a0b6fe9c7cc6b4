// The roles that a store defines, made of scopes.
import { set } from '../../kit/declare/composites.ts'
import type { Entity } from '../../kit/declare/field.ts'
import { choice, id, text, time } from '../../kit/declare/scalars.ts'
import { resource } from '../../kit/declare/resource.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { toUuid } from '../../kit/values/ids.ts'
import type { RoleChoice } from '../accounts/operations.ts'
import { newPerson, roles, teamScope, type Role } from '../accounts/user.ts'
import { grants, scopes } from '../apikeys/scopes.ts'

/** Scopes that a role can grant. API keys, apps and owners' settings stay with owners and administrators. */
export const roleScopes: readonly string[] = [...scopes, teamScope]

export const maxRoles = 50

// prettier-ignore
export const customRole = resource('roles', {
  id:          id('role').readonly(),
  name:        text({ min: 1, max: 60 }).required().example('Warehouse')
    .describe('Name of the role, unique in the store'),
  description: text({ max: 200 }).nullable().example('Packs and ships orders').describe('What the role is for'),
  scopes:      set(choice(roleScopes), { max: roleScopes.length }).required().example(['read:store', 'write:orders'])
    .describe('Scopes that the role grants, with all that they imply; read:store is always among them'),
  created_at:  time().readonly(),
  updated_at:  time().readonly(),
}, {}, { noun: 'Role', defaultSort: 'created_at', defaultOrder: 'asc' })

export type RoleRecord = Entity<typeof customRole.fields>

/** In the order of `roleScopes`. Every page of the dashboard shows the store. */
export function completeScopes(some: readonly string[]): string[] {
  const scopes = grants(['read:store', ...some])
  return roleScopes.filter((scope) => scopes.has(scope))
}

const digits = '[0-7][0-9a-hjkmnp-tv-z]{25}'

/** The field of a body that names the role of a person. */
export const roleField = text({ max: 40, pattern: `^(${roles.join('|')}|role_${digits})$` })
  .becomes((name): RoleChoice => {
    const id = toUuid('role', name)
    return id ? { id } : (name as Role)
  })
  .example('staff')
  .describe('owner, admin, staff, or the ID of a custom role')

/** A new account together with its first membership. */
export const newMember = createBody({ ...newPerson, role: roleField.required() })
