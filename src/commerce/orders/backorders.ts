// What is owed: lines of open orders that wait for an item whose stock is below zero.
import { derive } from '../../kit/declare/field.ts'
import { joinableList, object } from '../../kit/declare/composites.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { id, integer, text, time, uuid } from '../../kit/declare/scalars.ts'
import { bindStore, hasRow, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { isUuid, toUuid } from '../../kit/values/ids.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { maxBundleItems } from '../catalog/bundle.ts'
import { item } from './item.ts'
import { fulfillable, unsentUnits } from './unsent.ts'

const ofOrder = (column: 'order_number' | 'customer_name'): Sql => sql`(
      select ${raw(`orders.${column}`)}
      from orders
      where orders.store_id = ${bindStore('order_items.store_id')}
        and orders.id = order_items.order_id)`

const ofStore = bindStore('order_items.store_id')

/** The parts of the bundle in order_items that are short, and of which units are still to be sent. */
const waitingParts = sql`
      from (
        select position, part, (part ->> 'quantity')::int as in_one
        from jsonb_array_elements(order_items.parts) with ordinality as one (part, position)) as each_part
      cross join lateral (
        select ${unsentUnits({ part: sql`each_part.position - 1`, in_one: sql`in_one` })} as units) as to_send
      join products on products.store_id = ${ofStore}
        and products.id = (part ->> 'product_id')::uuid
      left join variants on variants.store_id = ${ofStore}
        and variants.id = (part ->> 'variant_id')::uuid
      cross join lateral (
        select - case
          when part ->> 'variant_id' is null then
            case when products.track_inventory and products.variant_count = 0 then products.stock_quantity end
          when variants.manage_inventory then variants.stock_quantity end as shortage) as stock
      where units > 0
        and shortage > 0`

const parts = sql`(case when order_items.parts is not null then (
      select jsonb_agg(jsonb_build_object('product_id', part -> 'product_id', 'variant_id', part -> 'variant_id',
        'product_name', part -> 'product_name', 'variant_name', part -> 'variant_name', 'sku', part -> 'sku',
        'quantity', units, 'shortage', shortage) order by each_part.position)
      ${waitingParts}) end)`

const shortage = sql`(case when order_items.parts is null then (
      select - coalesce(variants.stock_quantity, products.stock_quantity)
      from products
      left join variants on variants.store_id = ${ofStore}
        and variants.id = order_items.variant_id
      where products.store_id = ${ofStore}
        and products.id = order_items.product_id)
    else (
      select max(ceil(shortage::numeric / in_one))::int
      ${waitingParts}) end)`

// prettier-ignore
const waitingPart = object({
  product_id:   id('prod').required(),
  variant_id:   uuid().nullable().required(),
  product_name: text().required().describe('Name of the part when it was sold'),
  variant_name: text().nullable().required(),
  sku:          text().nullable().required(),
  quantity:     integer().required().describe('Units of the part that are not fulfilled'),
  shortage:     integer().required().describe('Pieces of the part that are missing for all orders'),
})

/** True if the item, or a part that the bundle waits for, has this ID. */
const hasItem = (column: 'product_id' | 'variant_id', uuid: string | null): Sql =>
  sql`(order_items.${raw(column)} = ${uuid}::uuid
      or ${parts} @> ${JSON.stringify([{ [column]: uuid ?? '' }])}::jsonb)`

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
  shortage:      derive(integer(), shortage)
    .describe('Pieces of the item that are missing for all of its orders; of a bundle, those that wait for a part'),
  parts:         derive(joinableList(waitingPart, { max: maxBundleItems }), parts).nullable()
    .describe('Parts of the bundle that are missing; null if the product is not a bundle'),
  available_on:  item.fields.available_on,
  created_at:    time().readonly().sortable(),
}, {
  product_id: filter(text({ max: 100 }), (input) => hasItem('product_id', toUuid('prod', input))),
  variant_id: filter(text({ max: 64 }), (input) => hasItem('variant_id', isUuid(input) ? input : null)),
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
  const short = items('products.id', 'variants.id')
  return sql`(order_items.parts is null
        and order_items.product_id = any(${items('products.id', 'variants.product_id')})
        and coalesce(order_items.variant_id, order_items.product_id) = any(${short})
      or order_items.parts is not null
        and store_tags(order_items.store_id, part_items(order_items.parts)) && store_tags(${storeId}, ${short}::text[])
        and ${hasRow(waitingParts)})
      and ${fulfillable} > 0
      and ${hasRow(sql`
        from orders
        where orders.store_id = ${storeId}
          and orders.id = order_items.order_id
          and orders.status not in ('cancelled', 'returned')`)}`
}
