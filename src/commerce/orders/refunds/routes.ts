import { buildCrudRoutes } from '../../../kit/declare/crud.ts'
import { json, buildRouteVerbs } from '../../../kit/declare/route.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { order } from '../order.ts'
import { readAccount, toRefundableResponse } from './account.ts'
import { createRefund, findRefund } from './operations.ts'
import { newRefund, refund, refundable } from './refund.ts'

const { get, post } = buildRouteVerbs<Store>('Orders')

const orders = buildCrudRoutes<Store>('Orders')(order, { path: '/orders', read: 'read:orders' })
const ofOrder = { id: order }

export const routes = [
  get('/orders/{id}/refundable', {
    scope: 'read:orders',
    params: ofOrder,
    returns: refundable.entity,
    summary: "Get an order's refundable amounts",
    run: async ({ db, store, params }) => json(toRefundableResponse(await readAccount(db, store.id, params.id))),
  }),
  orders.children(refund, { path: 'refunds', column: 'order_id' }),
  post('/orders/{id}/refunds', {
    scope: 'write:orders',
    params: ofOrder,
    body: newRefund,
    returns: refund.entity,
    summary: 'Refund an order',
    run: ({ tx, store, params, body, actor }) => createRefund(tx, store, params.id, body, actor),
  }),
  get('/orders/{id}/refunds/{refund_id}', {
    scope: 'read:orders',
    params: { ...ofOrder, refund_id: refund },
    returns: refund.entity,
    summary: 'Get a refund',
    run: async ({ db, store, params }) => (await findRefund(db, store.id, params.id, params.refund_id)).json,
  }),
]
