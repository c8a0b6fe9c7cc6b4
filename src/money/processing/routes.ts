import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { buildRouteVerbs } from '../../kit/declare/route.ts'
import { batchReport } from '../../commerce/orders/batch.ts'
import { order } from '../../commerce/orders/order.ts'
import { payment } from '../../commerce/payments/payment.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { captureBatch, captureOrders } from './capturebatch.ts'
import { capturePayment, newCapture } from './capture.ts'

const { act } = buildRouteVerbs<Store>('Payments')
const orders = buildCrudRoutes<Store>('Payments')(order, { path: '/orders', read: 'read:orders' })

export const routes = [
  orders.children(
    payment,
    { path: 'payments', column: 'order_id' },
    { summary: "List an order's payments and their events" },
  ),
  act('/captures/batch', {
    scope: 'write:orders',
    body: captureBatch,
    operationId: 'batchCreateCaptures',
    returns: batchReport,
    summary: 'Capture the payments of many orders at once',
    run: ({ tx, store, body }) => captureOrders(tx, store, body.orders),
  }),
  act('/orders/{id}/capture', {
    scope: 'write:orders',
    params: { id: order },
    body: newCapture,
    returns: payment.entity,
    summary: 'Capture an authorized payment',
    run: ({ tx, store, params, body }) => capturePayment(tx, store, params.id, body),
  }),
]
