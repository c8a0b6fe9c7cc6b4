// Compares sums with their parts.
import { sql, type Sql } from '../../kit/database/sql.ts'

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
