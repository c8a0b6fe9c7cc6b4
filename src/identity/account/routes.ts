// Endpoints for people who are signed in, as JSON under /oauth/portal/api: their account and sessions,
// the team of a store, the apps connected to it, a developer's own clients.
import type { RouteTable } from '../../kit/declare/route.ts'
import { accountRoutes } from './api/account.ts'
import { appRoutes } from './api/apps.ts'
import { clientRoutes } from './api/clients.ts'
import { factorRoutes } from './api/factors.ts'
import { roleRoutes } from './api/roles.ts'
import { sessionRoutes } from './api/sessions.ts'
import { teamRoutes } from './api/team.ts'
import { nouns, type PortalRoute } from './portal.ts'

export const portalRoutes: PortalRoute[] = [
  ...accountRoutes,
  ...factorRoutes,
  ...sessionRoutes,
  ...teamRoutes,
  ...roleRoutes,
  ...appRoutes,
  ...clientRoutes,
]

export const portal: RouteTable = { prefix: '/oauth/portal/api', words: nouns, routes: portalRoutes }
