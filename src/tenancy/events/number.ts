// Numbers events per store from 1 and without gaps. Writers never wait for a number: a commit takes the next one if
// the store's log is neither locked nor behind. Otherwise it leaves a row in unnumbered_events, which a batch removes
// after the commit under a lock on the log. Events committed while a number is taken get later ones, so no event ever
// appears before a number that has been read. An event comes after everything that was committed when it was written:
// its position is taken with the commit, after the locks of the change.
import type { Db, Tx } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { walk } from '../../kit/database/walk.ts'

/** The approximate number of events per statement. */
const batchSize = 2000
const minPerStore = 50

/** The statement for rows that a transaction writes with its commit, at most `limit` at once. */
export type CommitStatement<Row, Result> = {
  limit: number
  send(tx: Tx, storeId: string, rows: readonly Row[]): Promise<Result>
}
type CommitBatch<Row, Result> = { statement: CommitStatement<Row, Result>; rows: Row[]; result: Promise<Result> }

const batches = new WeakMap<Tx, Map<string, CommitBatch<any, any>>>()

/** Adds a row to the latest batch of the store, or begins one. Batches are sent in the order in which they begin. */
export function addToCommit<Row, Result>(
  tx: Tx,
  storeId: string,
  statement: CommitStatement<Row, Result>,
  row: Row,
): CommitBatch<Row, Result> {
  const own = batches.get(tx) ?? new Map<string, CommitBatch<any, any>>()
  batches.set(tx, own)
  const latest = own.get(storeId)
  const hasRoom = latest?.statement === statement && latest.rows.length < statement.limit
  const batch: CommitBatch<Row, Result> = hasRoom ? latest : beginBatch(tx, storeId, statement)
  own.set(storeId, batch)
  batch.rows.push(row)
  return batch
}

function beginBatch<Row, Result>(
  tx: Tx,
  storeId: string,
  statement: CommitStatement<Row, Result>,
): CommitBatch<Row, Result> {
  const { promise, resolve } = Promise.withResolvers<Result>()
  const batch: CommitBatch<Row, Result> = { statement, rows: [], result: promise }
  tx.beforeCommit(() => {
    const own = batches.get(tx)!
    if (own.get(storeId) === batch) own.delete(storeId)
    resolve(statement.send(tx, storeId, batch.rows))
  })
  // A failure fails the commit.
  promise.catch(() => {})
  return batch
}

/** The number that an event gets with the commit; null if it gets it later. */
export async function numberWithCommit(tx: Tx, storeId: string, id: string): Promise<number | null> {
  const batch = addToCommit(tx, storeId, numbers, id)
  const position = batch.rows.length
  return numberAt(position, batch.rows, await batch.result)
}

/** The number of a row of a batch, of which the last one has the number `last`. */
export function numberAt(position: number, { length }: readonly unknown[], last: number | null): number | null {
  return last === null ? null : last - length + position
}

const numbers: CommitStatement<string, number | null> = {
  limit: Infinity,
  async send(tx, storeId, ids) {
    const written = sql`written (event_uuid, position) as (select * from unnest(${ids}::uuid[]) with ordinality)`
    if (!tx.isDistributed) {
      const row = await tx.one<{ last: number }>(sql`
    with ${written}, ${takeNumbers(storeId, ids.length)}
    select last from log`)
      return row?.last ?? null
    }
    // One statement cannot take numbers and use them there.
    tx.later(sql`
    insert into unnumbered_events (store_id, event_uuid)
    select ${storeId}, event_uuid
    from unnest(${ids}::uuid[]) with ordinality as written (event_uuid, position)
    order by position`)
    return null
  },
}

/**
 * The parts of a `with` that number the events of `written (event_uuid, position)`, if that is possible now. In READ
 * COMMITTED, the update continues from the newest `last`; the snapshot may only make the log look behind.
 */
export function takeNumbers(storeId: string, count: number): Sql {
  return sql`log as (
      update event_logs
      set last = last + ${count}
      where store_id = ${storeId} and store_id = (
        select store_id
        from event_logs
        where store_id = ${storeId}
          and not exists (select from unnumbered_events where unnumbered_events.store_id = ${storeId})
        for update skip locked)
      returning last
    ), numbered as (
      insert into event_numbers (store_id, event_uuid, sequence)
      select ${storeId}, event_uuid, log.last - ${count} + position
      from log
      cross join written
    ), left_over as (
      insert into unnumbered_events (store_id, event_uuid)
      select ${storeId}, event_uuid
      from written
      where not exists (select from log)
      order by position
    )`
}

/**
 * Numbers the committed events of these stores. Returns whether a store may have more. The statements behind the lock
 * see everything that earlier lock holders have numbered.
 */
export async function numberEvents(tx: Tx, storeIds: readonly string[]): Promise<boolean> {
  const maxPerStore = Math.max(minPerStore, Math.floor(batchSize / storeIds.length))
  // The planner's statistics may show an empty queue, so that it would read all of it for each store.
  tx.later(sql`select set_config('enable_seqscan', 'off', true)`)
  const counts = [...storeIds].sort().map(async (storeId) => {
    tx.later(sql`
    select from event_logs
    where store_id = ${storeId}
    for update`)
    return numberLocked(tx, storeId, maxPerStore)
  })
  return (await Promise.all(counts)).some((count) => count >= maxPerStore)
}

/**
 * Fails if the store has no log, so that no rows are lost. Numbers are on disk before they can be read, even in
 * sessions that otherwise do not wait for the disk.
 */
async function numberLocked(tx: Tx, storeId: string, count: number): Promise<number> {
  const taken = await tx.rows<{ position: number; event_uuid: string }>(sql`
    delete from unnumbered_events
    where store_id = ${storeId}
      and position = any(array(
        select position
        from unnumbered_events
        where store_id = ${storeId}
        order by position
        limit ${count}))
    returning position, event_uuid`)
  if (taken.length === 0) return 0
  const ids = taken.toSorted((one, other) => one.position - other.position).map(({ event_uuid }) => event_uuid)
  tx.later(sql`
    insert into event_numbers (store_id, event_uuid, sequence)
    select event_logs.store_id, event_uuid, event_logs.last + position
    from event_logs
    cross join unnest(${ids}::uuid[]) with ordinality as taken (event_uuid, position)
    where event_logs.store_id = ${storeId}`)
  tx.later(sql`
    update event_logs
    set last = last + ${taken.length}
    where store_id = ${storeId}`)
  tx.later(sql`
    select set_config('synchronous_commit', 'on', true)
    where current_setting('synchronous_commit') = 'off'`)
  return taken.length
}

/** The next stores with unnumbered events, and whether there may be more. */
export async function unnumberedStores(db: Db): Promise<{ stores: string[]; hasMore: boolean }> {
  const { rows, hasMore } = await walk<{ store_id: string }>(db, {
    columns: 'store_id',
    table: 'unnumbered_events',
    where: 'true',
    by: 'store_id',
    after: null,
  })
  return { stores: [...new Set(rows.map(({ store_id }) => store_id))], hasMore }
}

/** The log of a new store. */
export function insertEventLog(tx: Tx, storeId: string): void {
  tx.later(sql`insert into event_logs (store_id) values (${storeId})`)
}
