import { crudOf } from '../../kit/declare/crud.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { item } from './item.ts'
import { createOrder, updateOrder } from './operations.ts'
import { newOrder, order, orderChanges } from './order.ts'
import { routes as refunds } from './refunds/routes.ts'

const orders = crudOf<Store>('Orders')(order, { path: '/orders', read: 'read:orders', write: 'write:orders' })

export const routes = [
  orders.list(),
  orders.count(),
  orders.create(({ tx, store, body, actor }) => createOrder(tx, store, body, actor), { body: newOrder }),
  orders.get(),
  orders.update(({ tx, store, params, body, actor }) => updateOrder(tx, store, params.id, body, actor), {
    body: orderChanges,
  }),
  orders.children(item, { path: 'items', column: 'order_id' }),
  ...refunds,
]
