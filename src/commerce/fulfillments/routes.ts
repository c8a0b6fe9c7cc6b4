import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { buildRouteVerbs } from '../../kit/declare/route.ts'
import { batchReport } from '../orders/batch.ts'
import { lockOrder } from '../orders/changes.ts'
import { order } from '../orders/order.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { fulfillmentBatch, fulfillOrders } from './batch.ts'
import { fulfillment, fulfillmentChanges, newFulfillment } from './fulfillment.ts'
import { createFulfillment, findFulfillment, updateFulfillment } from './operations.ts'

const { get, post, act, patch } = buildRouteVerbs<Store>('Orders')

const orders = buildCrudRoutes<Store>('Orders')(order, { path: '/orders', read: 'read:orders' })
const ofOrder = { id: order }
const oneOfOrder = { id: order, fulfillment_id: fulfillment }

export const routes = [
  orders.children(fulfillment, { path: 'fulfillments', column: 'order_id' }),
  post('/orders/{id}/fulfillments', {
    scope: 'write:orders',
    params: ofOrder,
    body: newFulfillment,
    returns: fulfillment.entity,
    summary: 'Create a fulfillment',
    run: ({ tx, store, params, body }) => createFulfillment(tx, store, params.id, body),
  }),
  act('/fulfillments/batch', {
    scope: 'write:orders',
    body: fulfillmentBatch,
    operationId: 'batchCreateFulfillments',
    returns: batchReport,
    summary: 'Fulfill many orders at once',
    run: ({ tx, store, body }) => fulfillOrders(tx, store, body.orders),
  }),
  get('/orders/{id}/fulfillments/{fulfillment_id}', {
    scope: 'read:orders',
    params: oneOfOrder,
    returns: fulfillment.entity,
    summary: 'Get a fulfillment',
    run: async ({ db, store, params }) => (await findFulfillment(db, store.id, params.id, params.fulfillment_id)).json,
  }),
  patch('/orders/{id}/fulfillments/{fulfillment_id}', {
    scope: 'write:orders',
    params: oneOfOrder,
    body: fulfillmentChanges,
    lock: ({ tx, store, params }) => lockOrder(tx, store.id, params.id!),
    returns: fulfillment.entity,
    summary: 'Update a fulfillment',
    run: ({ tx, store, params, body }) => updateFulfillment(tx, store, params.id, params.fulfillment_id, body),
  }),
]
