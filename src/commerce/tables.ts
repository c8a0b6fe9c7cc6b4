// The tables of the catalog, customers, discounts and orders.
import { raw, sql } from '../kit/database/sql.ts'
import type { AnyResource } from '../kit/declare/resource.ts'
import { withoutPersonal } from '../kit/declare/row.ts'
import { readAt, table, undoBy, type Erase } from '../tenancy/tables/table.ts'
import { undoSetting } from '../tenancy/tables/setting.ts'
import { createCategory, deleteCategory, updateCategory } from './catalog/categories.ts'
import { category } from './catalog/category.ts'
import { collection } from './catalog/collection.ts'
import { createCollection, deleteCollection, updateCollection } from './catalog/collections.ts'
import { product } from './catalog/product.ts'
import { variant } from './catalog/variant.ts'
import { endAccess } from './customers/access.ts'
import { customer } from './customers/customer.ts'
import { customerGroup } from './customers/groups/group.ts'
import { createGroup, deleteGroup, updateGroup } from './customers/groups/operations.ts'
import { deleteCustomer, updateCustomer } from './customers/operations.ts'
import { discount } from './discounts/discount.ts'
import { createDiscount, deleteDiscount, updateDiscount } from './discounts/operations.ts'
import { draftOrder } from './draftorders/draftorder.ts'
import { deleteDraftOrder, updateDraftOrder } from './draftorders/operations.ts'
import { fulfillment } from './fulfillments/fulfillment.ts'
import { media } from './media/media.ts'
import { orderComment } from './orders/comments/comment.ts'
import { deleteComment, orderOfComment, updateComment } from './orders/comments/operations.ts'
import { item } from './orders/item.ts'
import { updateOrder } from './orders/operations.ts'
import { order, orderChanges } from './orders/order.ts'
import { refund } from './orders/refunds/refund.ts'
import { reopenReturn } from './returns/operations.ts'
import { orderReturn, returnItem } from './returns/return.ts'
import type { ReturnStatus } from './returns/states.ts'
import { taxZone, taxZones } from './tax/taxzone.ts'

const follows = (what: string) => ({ audit: `what follows from ${what}` })

export const taxZoneTable = table(taxZone, { audit: { noun: 'tax_zone', undo: undoSetting(taxZones) } })

export const mediaTable = table(media, { audit: { noun: 'picture', scope: 'products' } })
export const mediaUses = table('media_uses', follows('writes'))
export const mediaChanges = table('media_changes', {
  ...follows('writes'),
  unforked: 'what files the original removes',
})
export const mediaLeftovers = table('media_leftovers', {
  audit: 'files to remove',
  stays: 'files that are about to be deleted',
})

export const inventoryTransactions = table('inventory_transactions', { audit: 'a log of its own, never changed' })
export const scarceProducts = table('scarce_products', follows('products'))

export const categories = table(category, {
  counters: { categories: '' },
  audit: {
    noun: 'category',
    scope: 'categories',
    undo: {
      ...undoBy(category, { create: createCategory, update: updateCategory, remove: deleteCategory }),
      users: (storeId, id, own) => sql`
      select from products
      where store_id = ${storeId}
        and category_id = ${id}
        and id <> all(${own}::uuid[])
      limit 1`,
    },
  },
})
export const categorySlugs = table('category_slugs', { audit: { noun: 'category_slug', scope: 'categories' } })

export const products = table(product, {
  audit: { noun: 'product', scope: 'products' },
  counters: {
    products_active: `product_status = 'active'`,
    products_draft: `product_status = 'draft'`,
    products_archived: `product_status = 'archived'`,
  },
})
export const productSlugs = table('product_slugs', { audit: { noun: 'product_slug', scope: 'products' } })
export const productWords = table('product_words', follows('products'))
export const variants = table(variant, { audit: { noun: 'variant', scope: 'products' } })

export const collections = table(collection, {
  counters: { collections: '' },
  audit: {
    noun: 'collection',
    scope: 'products',
    undo: {
      ...undoBy(collection, { create: createCollection, update: updateCollection, remove: deleteCollection }),
      users: (storeId, id, own) => sql`
      select from collection_products
      where store_id = ${storeId}
        and collection_id = ${id}
        and product_id <> all(${own}::uuid[])
      limit 1`,
    },
  },
})
export const collectionSlugs = table('collection_slugs', { audit: { noun: 'collection_slug', scope: 'products' } })
export const collectionProducts = table('collection_products', {
  audit: { noun: 'collection_product', scope: 'products', prefix: 'prod' },
})

export const customers = table(customer, {
  counters: { customers: '' },
  erasure: 'the record itself: its row is deleted',
  replaced: ({ name, email, phone, address, searchText }) => ({
    name: name('name'),
    email: email('email'),
    phone: phone('phone'),
    phone_key: phone('phone'),
    search_text: searchText(name('name'), email('email'), phone('phone')),
    addresses: `coalesce((select json_agg(${address('one')} order by position)
        from json_array_elements(addresses) with ordinality as own (one, position)), '[]')`,
    notes: 'null',
    tags: `'{}'`,
    tax_id: 'null',
  }),
  audit: {
    noun: 'customer',
    scope: 'customers',
    undo: {
      ...undoBy(customer, { update: updateCustomer }),
      follows: [
        'orders_count',
        'total_spent',
        'last_order_at',
        'last_order_id',
        'last_country_code',
        'last_province_code',
      ],
      companions: ['marketing_changed_at'],
      remove: ({ tx, store, tools }, id) => deleteCustomer(tx, store, id, tools),
      users: (storeId, id) => sql`select from orders where store_id = ${storeId} and customer_id = ${id} limit 1`,
    },
  },
})

export const customerGroups = table(customerGroup, {
  audit: {
    noun: 'customer_group',
    scope: 'customers',
    undo: {
      ...undoBy(customerGroup, { create: createGroup, update: updateGroup, remove: deleteGroup }),
      users: (storeId, id, own) => sql`
      (select from customers
      where store_id = ${storeId}
        and group_ids <> '{}'
        and group_ids @> array[${id}::uuid]
        and id <> all(${own}::uuid[])
      limit 1)
      union all
      (select from discounts
      where store_id = ${storeId}
        and customer_group_ids @> array[${id}::uuid]
        and id <> all(${own}::uuid[])
      limit 1)`,
    },
  },
})

const signIn = { audit: 'how customers sign in to the shop', unforked: 'how customers sign in' }

export const shopperSessions = table('shopper_sessions', {
  ...signIn,
  erasure: (tx, storeId, { id }) => endAccess(tx, storeId, id),
})
export const shopperPasskeys = table('shopper_passkeys', { ...signIn, erasure: 'they go with the sessions' })

export const discounts = table(discount, {
  counters: { discounts: '' },
  audit: {
    noun: 'discount',
    scope: 'discounts',
    undo: {
      ...undoBy(discount, { update: updateDiscount, remove: deleteDiscount }),
      follows: ['current_uses'],
      users: (storeId, id) => sql`
      select from discounts where store_id = ${storeId} and id = ${id} and current_uses > 0`,
      restore: ({ tx, store }, past, before) =>
        createDiscount(tx, store, discount.create.read(before, readAt(tx, store)), {
          ...past,
          current_uses: Number(before.current_uses),
        }),
    },
  },
})
export const discountUses = table('discount_uses', follows('orders'))

// Undoing an order does not undo its side effects, such as stock movements and payments.
export const orders = table(order, {
  counters: { orders: '', orders_archived: 'is_archived' },
  erasure: 'invoices are printed from this snapshot',
  replaced: ({ buyer, nameOrNull, email, searchText }) => ({
    ...buyer,
    internal_notes: 'null',
    tags: `'{}'`,
    custom_fields: `'[]'`,
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
export const orderItems = table(item, {
  audit: { noun: 'order_item', scope: 'orders' },
  // Lines without a product are named for their buyer.
  replaced: () => ({ product_name: `case when product_id is null then 'Custom item' else product_name end` }),
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

/** Clears the personal fields in the rows of the person's orders. */
function clearForOrders({ table, fields }: AnyResource): Erase {
  return (tx, storeId, { orderIds }) =>
    tx.later(sql`
    update ${raw(table)}
    set ${withoutPersonal(fields)}
    where store_id = ${storeId}
      and order_id = any(${orderIds}::uuid[])`)
}

export const refunds = table(refund, {
  audit: { noun: 'refund', scope: 'orders' },
  erasure: clearForOrders(refund),
  replaced: () => ({ reason: 'null' }),
})
export const refundItems = table('refund_items', { audit: { noun: 'refund_item', scope: 'orders', prefix: 'item' } })

/** Ends their links: no one is left to pay them. */
const eraseDraftOrders: Erase = (tx, storeId, { draftOrderIds }) =>
  tx.later(sql`
    update draft_orders
    set ${withoutPersonal(draftOrder.fields)},
        customer_id = null, search_text = '', checkout_id = null, link_expires_at = null
    where store_id = ${storeId}
      and id = any(${draftOrderIds}::uuid[])`)

// An undo keeps the link and the order, and does not restore personal data.
export const draftOrders = table(draftOrder, {
  erasure: eraseDraftOrders,
  replaced: ({ buyer, nameOrNull, email, searchText }) => ({
    ...buyer,
    internal_notes: 'null',
    search_text: searchText(nameOrNull('customer_name'), email('customer_email')),
    checkout_id: 'null',
    link_expires_at: 'null',
  }),
  audit: {
    noun: 'draft_order',
    scope: 'orders',
    undo: {
      ...undoBy(draftOrder, { update: updateDraftOrder, remove: deleteDraftOrder }),
      follows: [
        ...['item_count', 'subtotal', 'discount_amount', 'shipping_cost', 'tax_amount', 'included_tax', 'total'],
        ...['checkout_id', 'link_sent_at', 'link_expires_at', 'blocked_at', 'order_id', 'completed_at'],
      ],
    },
  },
})

export const fulfillments = table(fulfillment, {
  audit: { noun: 'fulfillment', scope: 'orders' },
  erasure: 'fulfillments of these orders',
  replaced: () => ({ carrier: 'null', tracking_number: 'null', tracking_url: 'null' }),
})
export const fulfillmentItems = table('fulfillment_items', {
  audit: { noun: 'fulfillment_item', scope: 'orders', prefix: 'item' },
})

// Received units and refunds are not undone.
export const returns = table(orderReturn, {
  erasure: clearForOrders(orderReturn),
  replaced: () => ({ instructions: 'null', decline_reason: 'null' }),
  audit: {
    noun: 'return',
    scope: 'orders',
    undo: {
      moves: ['status'],
      follows: ['approved_at', 'instructions', 'declined_at', 'decline_reason', 'cancelled_at', 'closed_at'],
      change: ({ tx, store }, id, { status }) => reopenReturn(tx, store, id, status as ReturnStatus),
    },
  },
})
export const returnItems = table(returnItem, {
  audit: { noun: 'return_item', scope: 'orders', prefix: 'item' },
  erasure: clearForOrders(returnItem),
  replaced: () => ({ note: 'null' }),
})

export const notificationSettings = table('notification_settings', {
  placement: 'local',
  audit: 'what a person is notified about and has read',
  stays: 'they are of a member',
})
