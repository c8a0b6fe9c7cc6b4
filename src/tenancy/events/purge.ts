// The oldest events of a log go, in order and without gaps. An event is kept as long as any event before it, whatever
// its own time. The scan of a log ends at the first that is kept.
import { raw, sql, type Sql } from '../../kit/database/sql.ts'

/** At most `size` events of the store's log with ids below `until`, as store_id and event_uuid. */
export function oldestEvents(storeId: string, until: string, size: number): Sql {
  return sql`
    select store_id, event_uuid
    from event_numbers
    where store_id = ${storeId}
      and sequence < coalesce((
        select sequence
        from (
          select sequence, event_uuid
          from event_numbers
          where store_id = ${storeId}
          order by sequence
          limit ${size}) as first
        where event_uuid >= ${until}
        order by sequence
        limit 1), ${raw(String(Number.MAX_SAFE_INTEGER))})
    order by sequence
    limit ${size}`
}
