import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { explain } from './explain.ts'
import { explanation } from './explanation.ts'
import { request, requestDetail } from './request.ts'

const { get } = buildRouteVerbs<Store>('Requests')

const scope = 'read:requests'
const requests = buildCrudRoutes<Store>('Requests')(request, { path: '/requests', read: scope })
const details = buildCrudRoutes<Store>('Requests')(requestDetail, { path: '/requests', read: scope })

export const routes = [
  requests.list({ summary: 'List API requests of the last 7 days' }),
  details.get(),
  get('/requests/{id}/explain', {
    scope,
    params: { id: request },
    returns: explanation,
    operationId: 'explainRequest',
    summary: 'Explain a request: checks, database work and effects',
    run: async ({ db, store, params }) => json(await explain(db, store.id, params.id)),
  }),
]
