import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { buildRouteVerbs } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { order } from '../orders/order.ts'
import { draftQuoteSchema, findDraftQuote } from './changes.ts'
import { completeDraftOrder, completion } from './complete.ts'
import { draftOrder } from './draftorder.ts'
import { createDraftOrder, deleteDraftOrder, duplicateDraftOrder, updateDraftOrder } from './operations.ts'

const { get, act } = buildRouteVerbs<Store>('Draft orders')

const drafts = buildCrudRoutes<Store>('Draft orders')(draftOrder, {
  path: '/draft-orders',
  read: 'read:orders',
  write: 'write:orders',
})

export const routes = [
  drafts.list(),
  drafts.count(),
  drafts.create(({ tx, store, body }) => createDraftOrder(tx, store, body)),
  drafts.get(),
  drafts.update(({ tx, store, params, body }) => updateDraftOrder(tx, store, params.id, body)),
  drafts.remove(({ tx, store, params }) => deleteDraftOrder(tx, store, params.id)),
  get('/draft-orders/{id}/quote', {
    scope: 'read:orders',
    params: { id: draftOrder },
    returns: draftQuoteSchema,
    summary: 'Price a draft order as of now',
    run: ({ db, store, params }) => findDraftQuote(db, store, params.id),
  }),
  act('/draft-orders/{id}/duplicate', {
    scope: 'write:orders',
    params: { id: draftOrder },
    returns: draftOrder.entity,
    summary: 'Duplicate a draft order',
    run: ({ tx, store, params }) => duplicateDraftOrder(tx, store, params.id),
  }),
  act('/draft-orders/{id}/complete', {
    scope: 'write:orders',
    params: { id: draftOrder },
    body: completion,
    returns: order.entity,
    summary: 'Create the order of a draft order',
    run: ({ tx, store, params, body, actor }) => completeDraftOrder(tx, store, params.id, body, actor),
  }),
]
