import { find, page } from '../kit/declare/page.ts'
import { json, routesOf } from '../kit/declare/route.ts'
import type { Store } from '../stores/store.ts'
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
    summary: 'List the requests of the last 7 days; total says 10000 when there are more',
    run: ({ db, store, query }) => page(db, request, store, query),
  }),
  get('/requests/{id}', {
    scope,
    params: { id: request },
    returns: requestDetail.entity,
    summary: 'Get a request with what was sent and answered',
    run: ({ db, store, params }) => find(db, requestDetail, store.id, params.id),
  }),
  get('/requests/{id}/explain', {
    scope,
    params: { id: request },
    returns: explanation,
    operationId: 'explainRequest',
    summary:
      'What was checked, what the database was asked, and every event, delivery, attempt, mail and job that came of it',
    run: async ({ db, store, params }) => json(await explain(db, store.id, params.id)),
  }),
]
