// Numbers events per store from 1 and without gaps. Writers never wait for a number: a commit takes the next one if
// the store's log is neither locked nor behind. Otherwise it leaves a row in unnumbered_events, which a batch removes
// after the commit under a lock on the log. Events committed while a number is taken get later ones, so no event ever
// appears before a number that has been read. An event comes after everything that was committed when it was written:
// its position is taken with the commit, after the locks of the change.
import type { Db, Tx } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'

/** The approximate number of events per statement. */
const batchSize = 2000
const minPerStore = 50

type CommitBatch = { ids: string[]; last: Promise<number | null> }

const batches = new WeakMap<Tx, Map<string, CommitBatch>>()

/** The number that an event gets with the commit; null if it gets it later. */
export async function numberWithCommit(tx: Tx, storeId: string, id: string): Promise<number | null> {
  const own = batches.get(tx) ?? new Map<string, CommitBatch>()
  batches.set(tx, own)
  const batch = own.get(storeId) ?? beginBatch(tx, storeId)
  own.set(storeId, batch)
  const index = batch.ids.push(id)
  const last = await batch.last
  return last === null ? null : last - batch.ids.length + index
}

function beginBatch(tx: Tx, storeId: string): CommitBatch {
  const { promise, resolve } = Promise.withResolvers<number | null>()
  const ids: string[] = []
  tx.beforeCommit(() =>
    resolve(
      tx.one<{ last: number }>(takeNumbers(storeId, ids)).then(
        (row) => row?.last ?? null,
        () => null,
      ),
    ),
  )
  return { ids, last: promise }
}

/** In READ COMMITTED, the update continues from the newest `last`; the snapshot may only make the log look behind. */
function takeNumbers(storeId: string, ids: readonly string[]): Sql {
  return sql`
    with log as (
      update event_logs
      set last = last + ${ids.length}
      where store_id = ${storeId} and store_id = (
        select store_id
        from event_logs
        where store_id = ${storeId}
          and not exists (select from unnumbered_events where unnumbered_events.store_id = ${storeId})
        for update skip locked)
      returning last
    ), numbered as (
      insert into event_numbers (store_id, event_uuid, sequence)
      select ${storeId}, event_uuid, log.last - ${ids.length} + position
      from log
      cross join unnest(${ids}::uuid[]) with ordinality as written (event_uuid, position)
    ), left_over as (
      insert into unnumbered_events (store_id, event_uuid)
      select ${storeId}, event_uuid
      from unnest(${ids}::uuid[]) with ordinality as written (event_uuid, position)
      where not exists (select from log)
      order by position
    )
    select last from log`
}

/**
 * Numbers the committed events of these stores. Returns whether a store may have more. The statements are sent
 * together. The last one runs once the locks are held, so it sees everything that earlier lock holders have numbered.
 */
export async function numberEvents(tx: Tx, storeIds: readonly string[]): Promise<boolean> {
  const maxPerStore = Math.max(minPerStore, Math.floor(batchSize / storeIds.length))
  // The planner's statistics may show an empty queue, so that it would read all of it for each store.
  tx.later(sql`select set_config('enable_seqscan', 'off', true)`)
  tx.later(sql`
    select from event_logs
    where store_id = any(${storeIds}::text[])
    order by store_id
    for update`)
  const logs = await tx.rows<{ count: number }>(numberLocked(storeIds, maxPerStore))
  return logs.some(({ count }) => count >= maxPerStore)
}

/**
 * Fails if a store has no log, so that no rows are lost. Numbers are on disk before they can be read, even in sessions
 * that otherwise do not wait for the disk.
 */
function numberLocked(storeIds: readonly string[], maxPerStore: number): Sql {
  return sql`
    with taken as (
      delete from unnumbered_events
      using (
        select waiting.store_id, waiting.position
        from unnest(${storeIds}::text[]) as wanted (store_id)
        cross join lateral (
          select store_id, position
          from unnumbered_events
          where unnumbered_events.store_id = wanted.store_id
          order by position
          limit ${maxPerStore}) as waiting) as next
      where unnumbered_events.store_id = next.store_id
        and unnumbered_events.position = next.position
      returning unnumbered_events.store_id, unnumbered_events.position, unnumbered_events.event_uuid
    ), numbered as (
      insert into event_numbers (store_id, event_uuid, sequence)
      select store_id, event_uuid, (
        select last
        from event_logs
        where event_logs.store_id = taken.store_id) + row_number() over (partition by store_id order by position)
      from taken
    ), counted as (
      select store_id, count(*) as count
      from taken
      group by store_id
    ), moved as (
      update event_logs
      set last = last + (select count from counted where counted.store_id = event_logs.store_id)
      where store_id = any(array(select store_id from counted))
    )
    select count, case current_setting('synchronous_commit')
      when 'off' then set_config('synchronous_commit', 'on', true) end as is_durable
    from counted`
}

/** The next stores after `after` with unnumbered events. */
export async function unnumberedStores(db: Db, limit: number): Promise<string[]> {
  const rows = await db.rows<{ store_id: string }>(sql`
    with recursive waiting as (
      (select store_id, 1 as position
       from unnumbered_events
       order by store_id
       limit 1)
      union all
      select next.store_id, waiting.position + 1
      from waiting
      cross join lateral (
        select store_id
        from unnumbered_events
        where store_id > waiting.store_id
        order by store_id
        limit 1) as next
      where waiting.position < ${limit}
    )
    select store_id from waiting`)
  return rows.map(({ store_id }) => store_id)
}
