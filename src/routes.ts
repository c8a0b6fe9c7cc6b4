// The route table of /v1, every endpoint that there is, by noun; and the tables as the reference shows them.
import type { Route, Table } from './kit/declare/route.ts'
import { routes as catalog } from './catalog/routes.ts'
import { routes as checkout } from './checkout/routes.ts'
import { routes as changes } from './changes/routes.ts'
import type { PayingTools } from './checkout/checkout.ts'
import type { CustomerTools } from './customers/operations.ts'
import { routes as customers } from './customers/routes.ts'
import { routes as discounts } from './discounts/routes.ts'
import { routes as faces } from './face/routes.ts'
import { storefront } from './face/storefront.ts'
import { routes as events, type FeedTools } from './feed/routes.ts'
import { routes as fulfillments } from './fulfillments/routes.ts'
import { routes as ledger } from './ledger/routes.ts'
import { routes as inventory } from './inventory/routes.ts'
import { routes as letters } from './letters/routes.ts'
import { routes as mails } from './mails/routes.ts'
import type { MediaTools } from './media/operations.ts'
import { routes as media } from './media/routes.ts'
import { routes as orders } from './orders/routes.ts'
import { routes as payments } from './payments/routes.ts'
import { portal } from './portal/routes.ts'
import type { ProposalTools } from './proposals/perform.ts'
import { routes as privacy } from './privacy/routes.ts'
import { routes as proposals } from './proposals/routes.ts'
import { routes as requests } from './requests/routes.ts'
import { routes as stores } from './stores/routes.ts'
import type { DomainTools } from './stores/domain.ts'
import type { Store } from './stores/store.ts'
import { routes as taxes } from './tax/routes.ts'
import { routes as webhooks, type WebhookTools } from './webhooks/routes.ts'

/** What the operations of the table get beside the database. */
export type Tools = WebhookTools & PayingTools & CustomerTools & DomainTools & MediaTools & FeedTools & ProposalTools

export const routes: readonly Route<Store, Tools>[] = [
  ...stores,
  ...taxes,
  ...faces,
  ...catalog,
  ...media,
  ...customers,
  ...discounts,
  ...inventory,
  ...orders,
  ...payments,
  ...fulfillments,
  ...ledger,
  ...mails,
  ...letters,
  ...checkout,
  ...webhooks,
  ...events,
  ...requests,
  ...changes,
  ...proposals,
  ...privacy,
]

export const v1: Table = { prefix: '/v1', routes, rehearses: true }

export const tables: readonly Table[] = [v1, storefront, portal]
