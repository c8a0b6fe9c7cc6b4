// The route table of /v1, every endpoint that there is, by noun; and the tables as the reference shows them.
import type { Route } from './kit/declare/route.ts'
import { routes as catalog } from './catalog/routes.ts'
import { routes as checkout } from './checkout/routes.ts'
import { storefrontRoutes } from './checkout/routes.ts'
import type { CheckoutTools } from './checkout/checkout.ts'
import type { CustomerTools } from './customers/operations.ts'
import { routes as customers } from './customers/routes.ts'
import { routes as discounts } from './discounts/routes.ts'
import type { Table } from './http/openapi.ts'
import { portalPrefix } from './http/portal.ts'
import { storefrontPrefix } from './http/storefront.ts'
import { routes as inventory } from './inventory/routes.ts'
import { routes as orders } from './orders/routes.ts'
import { portalRoutes } from './portal/routes.ts'
import { nouns } from './portal/workplace.ts'
import { routes as stores } from './stores/routes.ts'
import type { DomainTools } from './stores/domain.ts'
import type { Store } from './stores/store.ts'
import { routes as webhooks, type WebhookTools } from './webhooks/routes.ts'

/** What the operations of the table get beside the database. */
export type Tools = WebhookTools & CheckoutTools & CustomerTools & DomainTools

export const routes: readonly Route<Store, Tools>[] = [
  ...stores,
  ...catalog,
  ...customers,
  ...discounts,
  ...inventory,
  ...orders,
  ...checkout,
  ...webhooks,
]

export const tables: Table[] = [
  { prefix: '/v1', routes },
  {
    prefix: storefrontPrefix,
    routes: storefrontRoutes,
    isPublic: true,
    words: { slug: { description: 'The slug of the store', example: 'harbour-and-pine' } },
  },
  { prefix: portalPrefix, routes: portalRoutes, words: nouns },
]
