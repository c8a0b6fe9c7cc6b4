// Deletes the oldest events of a log, in order and without gaps. An event is kept as long as any event before it,
// whatever its own time. The scan of a log ends at the first that is kept.
import type { Tx } from '../../kit/database/database.ts'
import { sql } from '../../kit/database/sql.ts'

/** Deletes up to `size` events with IDs below `until` from the logs of these stores, and answers how many. */
export async function dropOldest(
  tx: Tx,
  { stores, until, size }: { stores: string[]; until: string; size: number },
): Promise<number> {
  const [batch] = await tx.rows<{ count: number }>(sql`
    with due as (
      select store_id
      from unnest(${stores}::text[]) as logs (store_id)
      where (
        select event_uuid < ${until}
        from event_numbers
        where event_numbers.store_id = logs.store_id
        order by sequence
        limit 1)
    ), fronts as (
      select store_id, (
        select sequence
        from (
          select sequence, event_uuid
          from event_numbers
          where event_numbers.store_id = due.store_id
          order by sequence
          limit ${size}) as first
        where event_uuid >= ${until}
        order by sequence
        limit 1) as kept
      from due
    ), old as (
      select found.*
      from fronts
      cross join lateral (
        select store_id, event_uuid, sequence
        from event_numbers
        where event_numbers.store_id = fronts.store_id
          and sequence < coalesce(kept, ${Number.MAX_SAFE_INTEGER})
        order by sequence
        limit ${size}) as found
      order by found.store_id, found.sequence
      limit ${size}
    ), unnumbered as (
      delete from event_numbers
      using old
      where event_numbers.store_id = old.store_id
        and event_numbers.event_uuid = old.event_uuid
    ), gone as (
      delete from events
      using old
      where events.store_id = old.store_id
        and events.id = old.event_uuid
    )
    select count(*) as count from old`)
  return batch!.count
}
