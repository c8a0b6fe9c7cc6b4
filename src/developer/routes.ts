// The route table of /v1: every endpoint, by noun.
import type { Route, RouteTable } from '../kit/declare/route.ts'
import { routes as catalog } from '../commerce/catalog/routes.ts'
import { routes as checkout } from '../storefront/checkout/routes.ts'
import { routes as changes } from './auditlog/routes.ts'
import type { SettlementDeps } from '../storefront/checkout/checkout.ts'
import type { CustomerDeps } from '../commerce/customers/operations.ts'
import type { MergeDeps } from '../commerce/customers/merges/operations.ts'
import { routes as customers } from '../commerce/customers/routes.ts'
import { routes as customerGroups } from '../commerce/customers/groups/routes.ts'
import { routes as discounts } from '../commerce/discounts/routes.ts'
import { routes as faces } from '../storefront/branding/routes.ts'
import { routes as redirects } from '../storefront/redirects/routes.ts'
import { routes as events, type FeedDeps } from './eventlog/routes.ts'
import { routes as fulfillments } from '../commerce/fulfillments/routes.ts'
import { routes as ledger } from '../money/ledger/routes.ts'
import { routes as inventory } from '../commerce/inventory/routes.ts'
import { routes as letters } from '../storefront/letters/routes.ts'
import { routes as mails } from '../tenancy/emails/routes.ts'
import type { MediaDeps } from '../commerce/media/operations.ts'
import { routes as media } from '../commerce/media/routes.ts'
import { routes as draftOrders } from '../commerce/draftorders/routes.ts'
import { routes as orders } from '../commerce/orders/routes.ts'
import { routes as payments } from '../commerce/payments/routes.ts'
import { routes as captures } from '../money/processing/routes.ts'
import { routes as draftOrderLinks } from '../storefront/checkout/draftorders/routes.ts'
import { routes as orderPayments } from '../storefront/checkout/orderpayments/routes.ts'
import type { ProposalTools } from './proposals/perform.ts'
import { routes as privacy } from './privacy/routes.ts'
import { routes as proposals } from './proposals/routes.ts'
import { routes as returns } from '../commerce/returns/routes.ts'
import { routes as reports } from '../money/reports/routes.ts'
import { routes as requests } from './requests/routes.ts'
import { routes as stores } from '../tenancy/stores/routes.ts'
import { extensions } from '../tenancy/extensions/loaded.ts'
import type { DomainDeps } from '../tenancy/stores/domain.ts'
import type { Store } from '../tenancy/stores/store.ts'
import { routes as tasks } from './tasks/routes.ts'
import { routes as taxes } from '../commerce/tax/routes.ts'
import { routes as webhooks, type WebhookDeps } from './webhooks/routes.ts'

/** The dependencies of operations in the table, beside the database. */
export type Deps = WebhookDeps &
  SettlementDeps &
  CustomerDeps &
  MergeDeps &
  DomainDeps &
  MediaDeps &
  FeedDeps &
  ProposalTools

const list: Route<Store, Deps>[] = [
  ...stores,
  ...taxes,
  ...faces,
  ...redirects,
  ...catalog,
  ...media,
  ...customers,
  ...customerGroups,
  ...discounts,
  ...inventory,
  ...orders,
  ...draftOrders,
  ...payments,
  ...captures,
  ...orderPayments,
  ...draftOrderLinks,
  ...fulfillments,
  ...returns,
  ...ledger,
  ...reports,
  ...mails,
  ...letters,
  ...checkout,
  ...webhooks,
  ...events,
  ...requests,
  ...changes,
  ...proposals,
  ...privacy,
  ...tasks,
  ...extensions.flatMap((extension) => extension.routes ?? []),
].map(addFiles)

/** Lists that an extension also sends as files. */
function addFiles(route: Route<Store, Deps>): Route<Store, Deps> {
  if (route.method !== 'GET') return route
  return Object.assign({}, route, ...extensions.map(({ files }) => files?.[route.path]))
}

for (const { lateRoutes } of extensions) for (const route of (await lateRoutes?.()) ?? []) addToGroup(route)

/** Adds an endpoint behind the others of its group. */
function addToGroup(route: Route): void {
  const place = list.findLastIndex(({ tag }) => tag === route.tag) + 1
  list.splice(place, 0, route)
}

export const routes: readonly Route<Store, Deps>[] = list

export const v1: RouteTable = { prefix: '/v1', routes, acceptsDryRuns: true }

export const addedTables = extensions.flatMap(({ routeTables = [] }) => routeTables)
