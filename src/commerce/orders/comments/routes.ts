import { buildCrudRoutes } from '../../../kit/declare/crud.ts'
import { deleted, deletedSchema, buildRouteVerbs } from '../../../kit/declare/route.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { order } from '../order.ts'
import { orderComment } from './comment.ts'
import { createComment, deleteComment, findComment, lockComment, updateComment } from './operations.ts'

const { get, post, patch, del } = buildRouteVerbs<Store>('Orders')

const orders = buildCrudRoutes<Store>('Orders')(order, { path: '/orders', read: 'read:orders' })
const ofOrder = { id: order }
const oneOfOrder = { id: order, comment_id: orderComment }
const oneComment = '/orders/{id}/comments/{comment_id}'

export const routes = [
  orders.children(orderComment, { path: 'comments', column: 'order_id' }),
  post('/orders/{id}/comments', {
    scope: 'write:orders',
    params: ofOrder,
    body: orderComment.create,
    returns: orderComment.entity,
    summary: 'Comment on an order',
    run: ({ tx, store, params, body, actor }) => createComment(tx, store, params.id, body, actor),
  }),
  get(oneComment, {
    scope: 'read:orders',
    params: oneOfOrder,
    returns: orderComment.entity,
    summary: 'Get a comment',
    run: async ({ db, store, params }) => (await findComment(db, store.id, params.id, params.comment_id)).json,
  }),
  patch(oneComment, {
    scope: 'write:orders',
    params: oneOfOrder,
    body: orderComment.patch,
    lock: ({ tx, store, params }) => lockComment(tx, store.id, params.id!, params.comment_id!),
    returns: orderComment.entity,
    summary: 'Edit a comment',
    run: ({ tx, store, params, body, actor }) => updateComment(tx, store, params.id, params.comment_id, body, actor),
  }),
  del(oneComment, {
    scope: 'write:orders',
    params: oneOfOrder,
    returns: deletedSchema,
    summary: 'Delete a comment',
    run: ({ tx, store, params, actor }) =>
      deleteComment(tx, store, params.id, params.comment_id, actor).then(() => deleted),
  }),
]
