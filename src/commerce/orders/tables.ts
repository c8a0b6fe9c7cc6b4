import { sql } from '../../kit/database/sql.ts'
import { unlike } from '../../tenancy/tables/rule.ts'
import { clearForOrders, table, readAt, type Erase } from '../../tenancy/tables/table.ts'
import { orderComment } from './comments/comment.ts'
import { updateComment, orderOfComment, deleteComment } from './comments/operations.ts'
import { item } from './item.ts'
import { updateOrder } from './operations.ts'
import { order, orderChanges } from './order.ts'
import { refund } from './refunds/refund.ts'
import { orderRules } from './rules.ts'
import { refundRules } from './refunds/rules.ts'

// Undoing an order does not undo its side effects, such as stock movements and payments.
export const orders = table(order, {
  merge: 'follow',
  rules: orderRules,
  counters: { orders: '', orders_archived: 'is_archived' },
  erasure: 'invoices are printed from this snapshot',
  replaced: ({ buyer, nameOrNull, email, searchText }) => ({
    ...buyer,
    internal_notes: 'null',
    tags: `'{}'`,
    custom_fields: `'[]'`,
    metadata: `'{}'`,
    search_text: `left(${searchText(nameOrNull('customer_name'), email('customer_email'))}, 200)`,
  }),
  audit: {
    noun: 'order',
    scope: 'orders',
    undo: {
      companions: ['archived_at'],
      change: ({ tx, store, actor }, id, before) =>
        updateOrder(tx, store, id, orderChanges.read(before, readAt(tx, store)), actor),
    },
  },
})

export const listedOrders = table('listed_orders', {
  audit: 'what follows from orders',
  // As the address of the order: a province without a code is what someone typed.
  replaced: () => ({
    province: `(
      select listed_orders.province
      from orders
      where orders.store_id = listed_orders.store_id
        and orders.id = listed_orders.id
        and shipping_address ->> 'province_code' is not null)`,
  }),
  rules: [
    {
      name: 'the narrow rows of orders match the orders',
      broken: unlike(
        sql`store_id, id, created_at, updated_at, status, payment_status, fulfillment_status, is_archived,
          order_number, total, country_code, province, country, channel, agent`,
        sql`orders`,
        sql`listed_orders`,
      ),
    },
  ],
})

export const orderItems = table(item, {
  audit: { noun: 'order_item', scope: 'orders' },
  // Lines without a product are named for their buyer.
  replaced: () => ({
    product_name: `case when product_id is null then 'Custom item' else product_name end`,
    metadata: `'{}'`,
  }),
})

export const orderEdits = table('order_edits', { audit: 'what follows from changes of orders, for reports' })

/** Erases the staff's comments on the orders; the audit log loses them too. */
const eraseComments: Erase = (tx, storeId, { orderIds }) =>
  tx.later(sql`
    delete from order_comments
    where store_id = ${storeId}
      and order_id = any(${orderIds}::uuid[])`)

export const orderComments = table(orderComment, {
  unforked: 'what staff wrote about people',
  erasure: eraseComments,
  audit: {
    noun: 'order_comment',
    scope: 'orders',
    undo: {
      companions: ['edited_at', 'mentions'],
      change: async ({ tx, store, actor }, id, before) => {
        const changes = orderComment.patch.read(before, readAt(tx, store))
        return updateComment(tx, store, await orderOfComment(tx, store.id, id), id, changes, actor)
      },
      remove: async ({ tx, store, actor }, id) =>
        deleteComment(tx, store, await orderOfComment(tx, store.id, id), id, actor),
    },
  },
})

export const refunds = table(refund, {
  rules: refundRules,
  audit: { noun: 'refund', scope: 'orders' },
  erasure: clearForOrders(refund),
  replaced: () => ({ reason: 'null' }),
})

export const refundItems = table('refund_items', { audit: { noun: 'refund_item', scope: 'orders', prefix: 'item' } })
