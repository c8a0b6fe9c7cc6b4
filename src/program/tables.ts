// The route tables of the service, in the order of the reference.
import type { RouteTable } from '../kit/declare/route.ts'
import { storefront } from '../http/storefrontroutes.ts'
import { portal } from '../identity/account/routes.ts'
import { addedTables, v1 } from '../developer/routes.ts'

export const tables: readonly RouteTable[] = [v1, ...addedTables, storefront, portal]
