import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { json, buildRouteVerbs } from '../../kit/declare/route.ts'
import { order } from '../orders/order.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { exchangeReturn } from './exchange.ts'
import { newExchange } from './exchangeorder.ts'
import { approveReturn, cancelReturn, closeReturn, createReturn, declineReturn, updateReturn } from './operations.ts'
import { receiveReturn } from './receive.ts'
import { refundReturn } from './refund.ts'
import {
  newReturn,
  orderReturn,
  returnApproval,
  returnChanges,
  returnReceipt,
  returnRefund,
  returnRefusal,
} from './return.ts'
import { readReturnable, returnable, toReturnableResponse } from './returnable.ts'

const { get, post, act } = buildRouteVerbs<Store>('Orders')

const returns = buildCrudRoutes<Store>('Orders')(orderReturn, {
  path: '/returns',
  read: 'read:orders',
  write: 'write:orders',
})
const scope = 'write:orders'
const params = { id: orderReturn }
const answer = { scope, params, returns: orderReturn.entity } as const

export const routes = [
  returns.list(),
  returns.get(),
  returns.update(({ tx, store, params, body }) => updateReturn(tx, store, params.id, body), { body: returnChanges }),
  get('/orders/{id}/returnable', {
    scope: 'read:orders',
    params: { id: order },
    returns: returnable.entity,
    summary: "Get an order's returnable items",
    run: async ({ db, store, params }) =>
      json(toReturnableResponse(await readReturnable(db, store, params.id, db.clock.now()))),
  }),
  post('/orders/{id}/returns', {
    scope,
    params: { id: order },
    body: newReturn,
    returns: orderReturn.entity,
    summary: 'Create a return',
    run: ({ tx, store, params, body }) => createReturn(tx, store, params.id, body),
  }),
  act('/returns/{id}/approve', {
    ...answer,
    body: returnApproval,
    summary: 'Approve a requested return',
    run: ({ tx, store, params, body }) => approveReturn(tx, store, params.id, body),
  }),
  act('/returns/{id}/decline', {
    ...answer,
    body: returnRefusal,
    summary: 'Decline a requested return',
    run: ({ tx, store, params, body }) => declineReturn(tx, store, params.id, body),
  }),
  act('/returns/{id}/receive', {
    ...answer,
    body: returnReceipt,
    summary: 'Receive the units of a return',
    run: ({ tx, store, params, body, actor }) => receiveReturn(tx, store, params.id, body, actor),
  }),
  act('/returns/{id}/refund', {
    ...answer,
    body: returnRefund,
    summary: 'Refund what was received of a return',
    run: ({ tx, store, params, body, actor }) => refundReturn(tx, store, params.id, body, actor),
  }),
  act('/returns/{id}/exchange', {
    ...answer,
    body: newExchange,
    summary: 'Exchange what was received for other items',
    run: ({ tx, store, params, body, actor }) => exchangeReturn(tx, store, params.id, body, actor),
  }),
  act('/returns/{id}/close', {
    ...answer,
    summary: 'Close a received return without a refund',
    run: ({ tx, store, params }) => closeReturn(tx, store, params.id),
  }),
  act('/returns/{id}/cancel', {
    ...answer,
    summary: 'Cancel a return that has not arrived',
    run: ({ tx, store, params }) => cancelReturn(tx, store, params.id),
  }),
]
