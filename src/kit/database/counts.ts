// Counts that stop at a limit.
import { raw, sql, type Sql } from './sql.ts'

/** The number of rows of `source`, a table with its conditions, but no further than the limit. */
export function countAtMost(limit: number, source: Sql): Sql {
  return sql`
      select count(*)
      from (select from ${source} limit ${raw(String(limit))}) as counted`
}
