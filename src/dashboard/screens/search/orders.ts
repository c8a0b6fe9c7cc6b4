// Orders in the search: by number or ID, by the phone of the customer (also a guest's), and by SKU or product. Each
// part reads a few rows of an index, however many orders there are.
import type { Db } from '../../../kit/database/database.ts'
import { entityPage } from '../../../kit/declare/page.ts'
import { join, sql, type Sql } from '../../../kit/database/sql.ts'
import { uuidOf } from '../../../kit/values/ids.ts'
import { order, type Order } from '../../../commerce/orders/order.ts'
import type { Store } from '../../../tenancy/stores/store.ts'

/** Fewer digits end too many phone numbers. */
const minDigits = 7

/** The newest that match, by one statement. `productIds` are public IDs of products that match. */
export async function findOrdersBy(
  { db, store }: { db: Db; store: Store },
  text: string,
  productIds: readonly string[],
  limit: number,
): Promise<Order[]> {
  const parts = [
    ...byNumber(store.id, text),
    ...byPhone(store.id, text, limit),
    ...bySku(store.id, text, limit),
    ...productIds.map((id) => withProduct(store.id, uuidOf('prod', id)!, limit)),
  ]
  if (parts.length === 0) return []
  const isFound = sql`orders.id in (${join(
    parts.map((part) => sql`(${part})`),
    ' union all ',
  )})`
  const query = { page: 1, per_page: limit, sort: 'created_at', order: 'desc' } as const
  return (await entityPage(db, order, store, query, isFound)).data
}

function byNumber(storeId: string, text: string): Sql[] {
  const [, number] = /^#?(\d{1,15})$/.exec(text) ?? []
  const id = uuidOf('ord', text)
  return [
    ...(number ? [sql`select id from orders where store_id = ${storeId} and order_number = ${number}`] : []),
    ...(id ? [sql`select id from orders where store_id = ${storeId} and id = ${id}`] : []),
  ]
}

/** Notations of a number differ in front: the last eight digits are the same. */
function byPhone(storeId: string, text: string, limit: number): Sql[] {
  const digits = /^[\d\s()+./-]+$/.test(text) ? text.replace(/\D/g, '') : ''
  if (digits.length < minDigits) return []
  return [
    sql`select id
      from orders
      where store_id = ${storeId}
        and right(phone_digits, 8) = right(${digits}, 8)
        and phone_digits is not null
      order by created_at desc
      limit ${limit}`,
  ]
}

/** IDs of orders grow with time, so the last ones are the newest. */
function bySku(storeId: string, text: string, limit: number): Sql[] {
  if (text.length < 2 || text.startsWith('#')) return []
  return [
    sql`select order_id
      from order_items
      where store_id = ${storeId}
        and lower(sku) = lower(${text})
        and sku is not null
      order by order_id desc
      limit ${limit}`,
  ]
}

function withProduct(storeId: string, productId: string, limit: number): Sql {
  return sql`select order_id
      from order_items
      where store_id = ${storeId}
        and product_id = ${productId}
      order by order_id desc
      limit ${limit}`
}
