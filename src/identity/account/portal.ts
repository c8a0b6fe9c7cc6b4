// Shared by the routes of the account API: permissions, schemas and the nouns of the paths.
import type { JsonSchema } from '../../kit/declare/field.ts'
import { notFoundResponse } from '../../kit/declare/errorresponse.ts'
import { json, buildRouteVerbs, type Route } from '../../kit/declare/route.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Membership, UserSession } from '../accounts/session.ts'
import { portalScope } from '../accounts/roles.ts'
import { roleName, type HeldRole, type Role } from '../accounts/user.ts'
import type { PortalDeps } from './operations.ts'

/** Context of operations beside the membership in the store of the path. */
export type SignedIn = { session: UserSession; language: Language }

/** Placeholder store for paths without one. No amount and no date is read there. */
export const nowhere: Membership = {
  id: '*',
  name: '',
  slug: '',
  role: 'staff',
  status: 'active',
  currency: 'USD',
  timezone: 'UTC',
  country_code: 'US',
  second_factor_required: false,
  notifications: { joined_at: '1970-01-01T00:00:00Z', kinds: null, mailed_kinds: null, read_until: null, read_ids: [] },
}

export const { get, post, patch, act, del } = buildRouteVerbs<Membership, PortalDeps & SignedIn>('Portal')

export type PortalRoute = Route<Membership, PortalDeps & SignedIn>

export const anybody = { scope: portalScope, session: {} }
export const lately = { scope: portalScope, session: { isRecent: true } }
type Allowed = { roles?: readonly Role[]; scope?: string }
/** By default, every member may call it. */
export const inStore = (access: Allowed = {}) => ({ scope: portalScope, session: access, refuses: [notFoundResponse] })
export const inStoreLately = (access: Allowed = {}) => ({
  scope: portalScope,
  session: { ...access, isRecent: true },
  refuses: [notFoundResponse],
})

export const done = json({ done: true })

// Schemas

/** A schema of which every field is required. */
export function record(title: string | null, properties: Record<string, JsonSchema>): JsonSchema {
  return { ...(title ? { title } : {}), type: 'object', properties, required: Object.keys(properties) }
}

export const buildListSchema = (items: JsonSchema): JsonSchema => ({ type: 'array', items })

export const words: JsonSchema = { type: 'string' }
export const flag: JsonSchema = { type: 'boolean' }
export const moment: JsonSchema = { type: 'string', format: 'date-time' }
export const roleSchema: JsonSchema = {
  type: 'string',
  description: 'owner, admin, staff, or the ID of a custom role',
  examples: ['staff'],
}

/** A role in responses. */
export function publicRole(role: HeldRole): { role: string; role_name: string | null } {
  return { role: roleName(role), role_name: typeof role === 'string' ? null : role.name }
}

export const doneSchema = record(null, { done: { type: 'boolean', const: true } })

/** {name} of a path → the noun that it identifies. */
export const nouns = {
  store: { description: 'ID of the store', example: 'SH-4K7QW2ZD' },
  session: { description: 'ID of the session', example: '01912d68-783e-7a03-8467-5661c1243ad4' },
  person: { description: 'ID of the member or invitation', example: 'usr_01j4pvgy1yf81rgs5pcr9r4fpm' },
  role: { description: 'ID of the role', example: 'role_01j4pvgy1yf81rgs5pcr9r4fpm' },
  app: { description: 'client_id of the app', example: 'client_4XbFqM1s7LwTn2cRzVdKp8Hy' },
  client: { description: 'client_id of the client', example: 'client_4XbFqM1s7LwTn2cRzVdKp8Hy' },
  passkey: { description: 'ID of the passkey', example: '01912d68-783e-7a03-8467-5661c1243ad4' },
}

export function readPathId(params: object, noun: keyof typeof nouns): string {
  return (params as Record<string, string>)[noun]!
}
