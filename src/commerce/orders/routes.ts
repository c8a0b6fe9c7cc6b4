import { buildCrudRoutes } from '../../kit/declare/crud.ts'
import { page } from '../../kit/declare/page.ts'
import { buildRouteVerbs } from '../../kit/declare/route.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { backorder, isOwed } from './backorders.ts'
import { batchReport } from './batch.ts'
import { item } from './item.ts'
import { labelBatch, labelOrders } from './labels.ts'
import { createOrder, updateOrder } from './operations.ts'
import { newOrder, order, orderChanges } from './order.ts'
import { routes as comments } from './comments/routes.ts'
import { routes as edits } from './edits/routes.ts'
import { routes as refunds } from './refunds/routes.ts'

const { act } = buildRouteVerbs<Store>('Orders')
const { get } = buildRouteVerbs<Store>('Inventory')

const orders = buildCrudRoutes<Store>('Orders')(order, { path: '/orders', read: 'read:orders', write: 'write:orders' })

export const routes = [
  get('/inventory/backorders', {
    scope: 'read:orders',
    query: backorder.query,
    returns: backorder.entity,
    list: true,
    summary: 'List order items that wait for stock',
    run: ({ db, store, query }) => page(db, backorder, store, query, isOwed(store)),
  }),
  orders.list(),
  orders.count(),
  orders.create(({ tx, store, body, actor }) => createOrder(tx, store, body, actor), { body: newOrder }),
  orders.get(),
  orders.update(({ tx, store, params, body, actor }) => updateOrder(tx, store, params.id, body, actor), {
    runsUnchanged: true,
    body: orderChanges,
  }),
  act('/orders/batch', {
    scope: 'write:orders',
    body: labelBatch,
    operationId: 'batchUpdateOrders',
    returns: batchReport,
    summary: 'Tag or archive many orders at once',
    run: ({ tx, store, body }) => labelOrders(tx, store, body.orders),
  }),
  orders.children(item, { path: 'items', column: 'order_id' }),
  ...comments,
  ...edits,
  ...refunds,
]
