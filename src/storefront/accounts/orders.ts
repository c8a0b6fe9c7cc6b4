// The orders of a verified email, including guest orders. A phone proves nothing: anyone can type
// someone else's.
import type { Db } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'
import type { FulfillmentStatus, OrderStatus, PaymentStatus } from '../../commerce/orders/states.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { Shopper } from './session.ts'

export type OwnOrder = {
  id: string
  order_number: number
  status: OrderStatus
  payment_status: PaymentStatus
  fulfillment_status: FulfillmentStatus
  total: string
  currency: string
  created_at: Date
}

const perPage = 10
const maxPage = 100

export type OwnOrders = { orders: OwnOrder[]; page: number; total_pages: number }

export async function listOwnOrders(db: Db, store: Store, { email }: Shopper, page: number): Promise<OwnOrders> {
  const current = Math.min(Math.max(1, page), maxPage)
  const [orders, countRow] = await Promise.all([
    db.rows<OwnOrder>(sql`
      select id, order_number, status, payment_status, fulfillment_status, total, currency, created_at
      from orders
      where store_id = ${store.id}
        and lower(customer_email) = ${email}
      order by created_at desc, id desc
      limit ${perPage}
      offset ${(current - 1) * perPage}`),
    db.one<{ count: number }>(sql`
      select count(*) as count
      from (
        select from orders
        where store_id = ${store.id}
          and lower(customer_email) = ${email}
        limit ${perPage * maxPage}) as own`),
  ])
  return { orders, page: current, total_pages: Math.max(1, Math.ceil(countRow!.count / perPage)) }
}
