// Rules that the rows of every store obey after each commit, each declared with its table. `stoa doctor` checks all
// stores, and the API checks a part of one.
import { sql, type Sql } from '../../kit/database/sql.ts'

export const ledgerRecords = ['order', 'item', 'payment', 'product', 'variant'] as const
export type LedgerRecord = (typeof ledgerRecords)[number]

/** `broken` selects store_id and, as `wrong`, the name of each row that breaks the rule, cheaply for whole tables. */
export type RowRule = { name: string; broken: Sql }

/** A rule that the API checks too: `wrong` is the id of a record of this kind. */
export type LedgerRule = { name: string; of: LedgerRecord; broken: (scope: RuleScope) => Sql }

export type TableRule = RowRule | LedgerRule

/** The records that a rule checks: all of them, or some orders and products of one store. */
export type RuleScope = {
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

/**
 * Selects records whose number and amount are not the sums of their parts; both select store_id, id, number, amount.
 * It reads each row once and joins nothing: with stale statistics a join may compare each row with each.
 */
export function unequal(records: Sql, parts: Sql): Sql {
  return sql`
      select store_id, id::text as wrong
      from (
        select 1 as side, records.* from (${records}) as records (store_id, id, number, amount)
        union all
        select -1, parts.* from (${parts}) as parts
      ) as both_sides
      group by store_id, id
      having max(side) = 1
        and (sum(side * number) <> 0 or sum(side * amount) <> 0)`
}

/** Selects records that are in one of two tables, or have other values there. */
export function unlike(columns: Sql, one: Sql, other: Sql): Sql {
  return sql`
      select store_id, id::text as wrong
      from (
        select ${columns} from ${one}
        union all
        select ${columns} from ${other}
      ) as both_sides
      group by ${columns}
      having count(*) <> 2`
}
