import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { verifyLedger } from './operations.ts'
import { verification, verificationQuery } from './verification.ts'

const { get } = buildRouteVerbs<Store>('Ledger')

export const routes = [
  get('/ledger/verify', {
    scope: 'read:orders',
    query: verificationQuery,
    returns: verification.entity,
    summary: 'Verify the ledger',
    operationId: 'verifyLedger',
    run: async ({ db, store, query }) => json(await verifyLedger(db, store.id, query.after)),
  }),
]
