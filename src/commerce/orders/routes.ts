import { count, find, page } from '../../kit/declare/page.ts'
import { countSchema, routesOf } from '../../kit/declare/route.ts'
import { sql } from '../../kit/database/sql.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { item } from './item.ts'
import { createOrder, updateOrder } from './operations.ts'
import { newOrder, order, orderChanges } from './order.ts'
import { routes as refunds } from './refunds/routes.ts'

const { get, post, patch } = routesOf<Store>('Orders')

export const routes = [
  get('/orders', {
    scope: 'read:orders',
    query: order.query,
    returns: order.entity,
    list: true,
    summary: 'List orders',
    run: ({ db, store, query }) => page(db, order, store, query),
  }),
  get('/orders/count', {
    scope: 'read:orders',
    query: order.countQuery,
    returns: countSchema,
    summary: 'Count orders',
    run: ({ db, store, query }) => count(db, order, store, query),
  }),
  post('/orders', {
    scope: 'write:orders',
    body: newOrder,
    returns: order.entity,
    summary: 'Create an order',
    run: ({ tx, store, body, actor }) => createOrder(tx, store, body, actor),
  }),
  get('/orders/{id}', {
    scope: 'read:orders',
    params: { id: order },
    returns: order.entity,
    summary: 'Get an order',
    run: ({ db, store, params }) => find(db, order, store.id, params.id),
  }),
  patch('/orders/{id}', {
    scope: 'write:orders',
    params: { id: order },
    body: orderChanges,
    returns: order.entity,
    summary: 'Update an order',
    run: ({ tx, store, params, body, actor }) => updateOrder(tx, store, params.id, body, actor),
  }),
  get('/orders/{id}/items', {
    scope: 'read:orders',
    params: { id: order },
    query: item.query,
    returns: item.entity,
    list: true,
    summary: "List an order's items",
    async run({ db, store, params, query }) {
      await find(db, order, store.id, params.id)
      return page(db, item, store, query, sql`order_items.order_id = ${params.id}`)
    },
  }),
  ...refunds,
]
