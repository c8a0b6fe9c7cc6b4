// The records that a rule checks: all of them, or some orders and products of one store.
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import type { RuleScope } from '../../tenancy/tables/rule.ts'

const all = raw('true')

export const everywhere: RuleScope = {
  orders: () => all,
  ordersOf: () => all,
  productsOf: () => all,
  paymentsOf: () => all,
  storeOf: () => all,
}

/** `after` and `last` bound a part of the store's orders, by number, and of its products, by id. */
export type LedgerPart = { orders: { after: number; last: number }; products: { after: string; last: string } }

/** Collects IDs first and then uses an index, even when the statistics of a grown table are stale. */
export function buildLedgerScope(storeId: string, { orders, products }: LedgerPart): RuleScope {
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
