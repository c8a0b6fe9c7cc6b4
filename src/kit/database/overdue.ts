// The stores that a retention job visits next. Their column `oldest` has an id with a time: nothing that the store has
// is older. So a run does not look at the stores that keep everything.
import { inReach, raw, sql, type Sql } from './sql.ts'
import { firstUuidAt } from '../values/ids.ts'

/** At most `count` stores whose oldest is before `until`, or in the future, as after a clock was set back. */
export function overdueStores(table: string, until: string, now: Date, count: number): Sql {
  const next = (condition: Sql, order: string) => sql`
      (select store_id
       from ${raw(table)}
       where ${condition}
         and ${inReach('store_id')}
       order by oldest ${raw(order)}
       limit ${raw(String(count))})`
  return sql`${next(sql`oldest < ${until}`, 'asc')}
      union all
      ${next(sql`oldest > ${firstUuidAt(now)}`, 'desc')}
      limit ${raw(String(count))}`
}
