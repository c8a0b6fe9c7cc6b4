import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import { customer } from '../../commerce/customers/customer.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { exportSchema, exportCustomer } from './export.ts'

const { get } = buildRouteVerbs<Store>('Customers')

export const routes = [
  get('/customers/{id}/data', {
    scope: 'read:customers',
    readsReplica: true,
    params: { id: customer },
    returns: exportSchema,
    summary: "Export a customer's personal data",
    run: async ({ db, store, params, scopes }) => json(await exportCustomer(db, store, params.id, scopes)),
  }),
]
