// The endpoints of the API that screens call, by method and path; and those of the portal, which only people may use.
import { oneRecord, type OneRecord } from '../../kit/declare/conditions.ts'
import type { Route } from '../../kit/declare/route.ts'
import { keyRoutes } from '../../identity/apikeys/routes.ts'
import { routes as catalog } from '../../commerce/catalog/routes.ts'
import { routes as changes } from '../../developer/auditlog/routes.ts'
import { routes as checkout } from '../../storefront/checkout/routes.ts'
import { routes as customers } from '../../commerce/customers/routes.ts'
import { routes as discounts } from '../../commerce/discounts/routes.ts'
import { routes as faces } from '../../storefront/branding/routes.ts'
import { routes as fulfillments } from '../../commerce/fulfillments/routes.ts'
import { routes as inventory } from '../../commerce/inventory/routes.ts'
import { routes as letters } from '../../storefront/letters/routes.ts'
import { routes as mails } from '../../tenancy/emails/routes.ts'
import { routes as orders } from '../../commerce/orders/routes.ts'
import { routes as media } from '../../commerce/media/routes.ts'
import { routes as payments } from '../../money/payments/routes.ts'
import { portalRoutes } from '../../identity/account/routes.ts'
import { routes as proposals } from '../../developer/proposals/routes.ts'
import { routes as stores } from '../../tenancy/stores/routes.ts'
import { savedViewRoutes } from '../savedviews/routes.ts'
import { routes as taxes } from '../../commerce/tax/routes.ts'
import { routes as webhooks } from '../../developer/webhooks/routes.ts'

const table: readonly Route<any, any>[] = [
  ...stores,
  ...taxes,
  ...faces,
  ...catalog,
  ...customers,
  ...discounts,
  ...inventory,
  ...orders,
  ...payments,
  ...fulfillments,
  ...mails,
  ...letters,
  ...media,
  ...checkout,
  ...webhooks,
  ...proposals,
  ...keyRoutes,
  ...savedViewRoutes,
  ...changes,
  ...portalRoutes,
]

/** `PATCH /orders/{id}` */
export function endpoint(name: string): Route<any, any> {
  const route = table.find(({ method, path }) => `${method} ${path}` === name)
  if (!route) throw new Error(`the API has no ${name}`)
  return route
}

/** What it has to do with one record. */
export function recordOf(route: Route): OneRecord {
  return oneRecord(route, table)
}
