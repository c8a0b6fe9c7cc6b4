// The route tables of the service, in the order of the reference.
import type { Table } from './kit/declare/route.ts'
import { storefront } from './http/storefrontroutes.ts'
import { portal } from './identity/account/routes.ts'
import { v1 } from './routes.ts'

export const tables: readonly Table[] = [v1, storefront, portal]
