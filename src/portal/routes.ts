// The portal as JSON, under /oauth/portal/api, for people who are signed in: their sessions, the team of a store, the
// apps that were let into it, and a developer's own clients.
import type { Route, Table } from '../kit/declare/route.ts'
import { appRoutes } from './api/apps.ts'
import { clientRoutes } from './api/clients.ts'
import { sessionRoutes } from './api/sessions.ts'
import { teamRoutes } from './api/team.ts'
import type { PortalTools } from './operations.ts'
import { nouns, type Workplace } from './workplace.ts'

export const portalRoutes: Route<Workplace, PortalTools>[] = [
  ...sessionRoutes,
  ...teamRoutes,
  ...appRoutes,
  ...clientRoutes,
]

export const portal: Table = { prefix: '/oauth/portal/api', words: nouns, routes: portalRoutes }
