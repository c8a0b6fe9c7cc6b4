// What is owed: lines of open orders that wait for an item whose stock is below zero.
import { derive } from '../../kit/declare/field.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { id, integer, text, time, uuid } from '../../kit/declare/scalars.ts'
import { bindStore, hasRow, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { isUuid, toUuid } from '../../kit/values/ids.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { item } from './item.ts'
import { fulfillable } from './unsent.ts'

const ofOrder = (column: 'order_number' | 'customer_name'): Sql => sql`(
      select ${raw(`orders.${column}`)}
      from orders
      where orders.store_id = ${bindStore('order_items.store_id')}
        and orders.id = order_items.order_id)`

const shortage = sql`(
      select - coalesce(variants.stock_quantity, products.stock_quantity)
      from products
      left join variants on variants.store_id = ${bindStore('order_items.store_id')}
        and variants.id = order_items.variant_id
      where products.store_id = ${bindStore('order_items.store_id')}
        and products.id = order_items.product_id)`

// prettier-ignore
export const backorder = resource('order_items', {
  id:            id('item').readonly().describe('ID of the order item'),
  order_id:      id('ord').readonly(),
  order_number:  derive(integer(), ofOrder('order_number')).describe('Number of the order'),
  customer_name: derive(text(), ofOrder('customer_name')).nullable().describe('Name of the customer'),
  product_id:    id('prod').readonly(),
  variant_id:    uuid().nullable().readonly(),
  product_name:  text().readonly().example('Canvas backpack').describe('Name of the product when it was sold'),
  variant_name:  text().nullable().readonly().example('Red / M'),
  sku:           text().nullable().readonly(),
  quantity:      derive(integer(), fulfillable).describe('Quantity of the order that is not fulfilled'),
  shortage:      derive(integer(), shortage).describe('Pieces of the item that are missing for all of its orders'),
  available_on:  item.fields.available_on,
  created_at:    time().readonly().sortable(),
}, {
  product_id: filter(text({ max: 100 }), (input) => sql`order_items.product_id = ${toUuid('prod', input)}::uuid`),
  variant_id: filter(text({ max: 64 }), (input) => sql`order_items.variant_id = ${isUuid(input) ? input : null}::uuid`),
}, { noun: 'Backorder', defaultOrder: 'asc' })

/** The products and variants of a store that are short come first, since they are few. */
export function isOwed({ id: storeId }: Pick<Store, 'id'>): Sql {
  const items = (productId: string, variantId: string) => sql`array(
        select ${raw(productId)}
        from products
        where products.store_id = ${storeId}
          and products.stock_quantity < 0
          and products.track_inventory
          and products.variant_count = 0
        union all
        select ${raw(variantId)}
        from variants
        where variants.store_id = ${storeId}
          and variants.stock_quantity < 0
          and variants.manage_inventory)`
  return sql`order_items.product_id = any(${items('products.id', 'variants.product_id')})
      and coalesce(order_items.variant_id, order_items.product_id) = any(${items('products.id', 'variants.id')})
      and ${fulfillable} > 0
      and ${hasRow(sql`
        from orders
        where orders.store_id = ${storeId}
          and orders.id = order_items.order_id
          and orders.status not in ('cancelled', 'returned')`)}`
}
