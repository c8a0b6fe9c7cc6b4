import { buildRouteVerbs } from '../../../kit/declare/route.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { order } from '../order.ts'
import { orderEdit } from './edit.ts'
import { editOrder } from './operations.ts'

const { act } = buildRouteVerbs<Store>('Orders')

export const routes = [
  act('/orders/{id}/edits', {
    scope: 'write:orders',
    params: { id: order },
    body: orderEdit,
    returns: order.entity,
    summary: 'Edit items and amounts of a placed order',
    run: ({ tx, store, params, body, actor }) => editOrder(tx, store, params.id, body, actor),
  }),
]
