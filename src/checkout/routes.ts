import { countSchema, routesOf } from '../kit/declare/route.ts'
import type { Store } from '../stores/store.ts'
import { countDrafts, draft, findDraft, listDrafts } from './draft.ts'
import type { CheckoutTools } from './operations.ts'

const { get } = routesOf<Store, CheckoutTools>()

const access = { scope: 'read:checkout_drafts', feature: 'abandoned_checkouts' }

export const routes = [
  get('/checkout-drafts', {
    ...access,
    query: draft.query,
    returns: draft.entity,
    list: true,
    summary: 'List checkout drafts',
    run: ({ db, store, query, ...tools }) => listDrafts(db, store, query, tools),
  }),
  get('/checkout-drafts/count', {
    ...access,
    query: draft.countQuery,
    returns: countSchema,
    summary: 'Count checkout drafts',
    run: ({ db, store, query }) => countDrafts(db, store, query),
  }),
  get('/checkout-drafts/{id}', {
    ...access,
    params: { id: draft },
    returns: draft.entity,
    summary: 'Get a checkout draft',
    run: ({ db, store, params, ...tools }) => findDraft(db, store, params.id, tools),
  }),
]
