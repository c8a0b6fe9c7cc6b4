// The roles that a store defines.
import { buildCrudRoutes } from '../../../kit/declare/crud.ts'
import { notFoundResponse, type ErrorResponse } from '../../../kit/declare/errorresponse.ts'
import { conflict } from '../../../kit/values/errors.ts'
import { portalScope } from '../../accounts/roles.ts'
import { teamScope } from '../../accounts/user.ts'
import type { Membership } from '../../accounts/session.ts'
import type { PortalDeps } from '../operations.ts'
import { inStore, inStoreLately, type PortalRoute, type SignedIn } from '../portal.ts'
import { customRole } from '../role.ts'
import { createRole, deleteRole, updateRole } from '../roles.ts'

const roleConflict: ErrorResponse = {
  name: 'RoleConflict',
  description: 'Another role has this name, or the role is in use.',
  examples: {
    name: conflict('A role named Warehouse already exists'),
    inUse: conflict('This role is in use: members or open invitations have it'),
  },
}

const roles = buildCrudRoutes<Membership, PortalDeps & SignedIn>('Portal')(customRole, {
  path: '/stores/{store}/roles',
  read: portalScope,
  id: 'role',
})

const manage = { ...inStoreLately({ scope: teamScope }), refuses: [notFoundResponse, roleConflict] }

export const roleRoutes: PortalRoute[] = [
  roles.list({ ...inStore(), operationId: 'listRoles', summary: "List a store's custom roles" }),
  roles.get({ ...inStore(), operationId: 'getRole' }),
  roles.create(async ({ tx, store, actor, body }) => createRole(tx, store, body, actor), {
    ...manage,
    operationId: 'createRole',
    summary: 'Create a custom role',
  }),
  roles.update(
    async ({ tx, store, actor, params, body }) => updateRole(tx, store, { id: params.role, patch: body }, actor),
    { ...manage, operationId: 'updateRole' },
  ),
  roles.remove(async ({ tx, store, actor, params }) => deleteRole(tx, store, params.role, actor), {
    ...manage,
    operationId: 'deleteRole',
    summary: 'Delete a role that nobody has',
  }),
]
