// The endpoints of the API that screens call, by method and path; and those of the portal, which only people may use.
import { oneRecord, type OneRecord } from '../kit/declare/conditions.ts'
import type { Route } from '../kit/declare/route.ts'
import { keyRoutes } from '../apikeys/routes.ts'
import { routes as catalog } from '../catalog/routes.ts'
import { routes as changes } from '../changes/routes.ts'
import { routes as checkout } from '../checkout/routes.ts'
import { routes as customers } from '../customers/routes.ts'
import { routes as discounts } from '../discounts/routes.ts'
import { routes as faces } from '../face/routes.ts'
import { routes as fulfillments } from '../fulfillments/routes.ts'
import { routes as inventory } from '../inventory/routes.ts'
import { routes as letters } from '../letters/routes.ts'
import { routes as mails } from '../mails/routes.ts'
import { routes as orders } from '../orders/routes.ts'
import { routes as media } from '../media/routes.ts'
import { routes as payments } from '../payments/routes.ts'
import { portalRoutes } from '../portal/routes.ts'
import { routes as proposals } from '../proposals/routes.ts'
import { routes as stores } from '../stores/routes.ts'
import { viewRoutes } from '../views/routes.ts'
import { routes as taxes } from '../tax/routes.ts'
import { routes as webhooks } from '../webhooks/routes.ts'

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
  ...viewRoutes,
  ...changes,
  ...portalRoutes,
]

/** `PATCH /orders/{id}` */
export function endpoint(name: string): Route<any, any> {
  const found = table.find(({ method, path }) => `${method} ${path}` === name)
  if (!found) throw new Error(`the API has no ${name}`)
  return found
}

/** What it has to do with one record. */
export function recordOf(route: Route): OneRecord {
  return oneRecord(route, table)
}
