// The endpoints that screens call: those of the API, and those for signed-in people only.
import { oneRecord, type OneRecord } from '../../kit/declare/conditions.ts'
import type { Route } from '../../kit/declare/route.ts'
import { keyRoutes } from '../../identity/apikeys/routes.ts'
import { portalRoutes } from '../../identity/account/routes.ts'
import { routes } from '../../developer/routes.ts'
import { notificationRoutes } from '../notifications/routes.ts'
import { savedViewRoutes } from '../savedviews/routes.ts'

const table: readonly Route<any, any>[] = [
  ...routes,
  ...keyRoutes,
  ...savedViewRoutes,
  ...notificationRoutes,
  ...portalRoutes,
]

const routesByName = new Map(table.map((route) => [`${route.method} ${route.path}`, route]))

/** `PATCH /orders/{id}` */
export function endpoint(name: string): Route<any, any> {
  const route = routesByName.get(name)
  if (!route) throw new Error(`the API has no ${name}`)
  return route
}

/** The record that the endpoint reads or changes, for its ETag. */
export function getRouteRecord(route: Route): OneRecord {
  return oneRecord(route, table)
}
