// The records that a rule checks: all of them, or some orders and products of one store.
import { raw, sql, type Sql } from '../../kit/database/sql.ts'

export type LedgerScope = {
  /** A condition on the table of orders. */
  orders(): Sql
  /** Conditions on a table with store_id whose column names an order, or a product. */
  ordersOf(column: string): Sql
  productsOf(column: string): Sql
  /** The same for a column that names a payment of one of the orders. */
  paymentsOf(column: string): Sql
  /** A condition on any table with store_id. */
  storeOf(): Sql
}

const all = raw('true')

export const everywhere: LedgerScope = {
  orders: () => all,
  ordersOf: () => all,
  productsOf: () => all,
  paymentsOf: () => all,
  storeOf: () => all,
}

/** `after` and `last` bound a part of the store's orders, by number, and of its products, by id. */
export type LedgerPart = { orders: { after: number; last: number }; products: { after: string; last: string } }

/** Collects IDs first and then uses an index, even when the statistics of a grown table are stale. */
export function buildLedgerScope(storeId: string, { orders, products }: LedgerPart): LedgerScope {
  const ofStore = sql`store_id = ${storeId}`
  const isPart = sql`${ofStore} and order_number > ${orders.after} and order_number <= ${orders.last}`
  const buildIdCondition = (column: string, ids: Sql) => sql`${ofStore} and ${raw(column)} = any(array(${ids}))`
  const orderIds = sql`select id from orders where ${isPart}`
  const paymentIds = sql`select id from payment_sessions where ${buildIdCondition('order_id', orderIds)}`
  return {
    storeOf: () => ofStore,
    orders: () => isPart,
    ordersOf: (column) => buildIdCondition(column, orderIds),
    paymentsOf: (column) => buildIdCondition(column, paymentIds),
    productsOf: (column) =>
      sql`${ofStore} and ${raw(column)} > ${products.after}::uuid and ${raw(column)} <= ${products.last}::uuid`,
  }
}
