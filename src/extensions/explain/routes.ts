import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import { request } from '../../developer/requests/request.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { explain } from './explain.ts'
import { explanation } from './explanation.ts'

const { get } = buildRouteVerbs<Store>('Requests')

export const routes = [
  get('/requests/{id}/explain', {
    scope: 'read:requests',
    params: { id: request },
    returns: explanation,
    operationId: 'explainRequest',
    summary: 'Explain a request: checks, database work and effects',
    run: async ({ db, store, params }) => json(await explain(db, store.id, params.id)),
  }),
]
