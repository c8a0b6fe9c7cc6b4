import { find, page } from '../../kit/declare/page.ts'
import { json, routesOf } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { explain } from './explain.ts'
import { explanation } from './explanation.ts'
import { request, requestDetail } from './request.ts'

const { get } = routesOf<Store>('Requests')

const scope = 'read:requests'

export const routes = [
  get('/requests', {
    scope,
    query: request.query,
    returns: request.entity,
    list: true,
    summary: 'List API requests (last 7 days)',
    run: ({ db, store, query }) => page(db, request, store, query),
  }),
  get('/requests/{id}', {
    scope,
    params: { id: request },
    returns: requestDetail.entity,
    summary: 'Get a request',
    run: ({ db, store, params }) => find(db, requestDetail, store.id, params.id),
  }),
  get('/requests/{id}/explain', {
    scope,
    params: { id: request },
    returns: explanation,
    operationId: 'explainRequest',
    summary: 'Explain a request: checks, database work and effects',
    run: async ({ db, store, params }) => json(await explain(db, store.id, params.id)),
  }),
]
