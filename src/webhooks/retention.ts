// The log is kept for 30 days: older events, deliveries and attempts go in small batches, store by store, by the time in
// their ids, which their primary keys are sorted by. What deleted webhooks left in the queue goes sooner.
import type { Database } from '../kit/database.ts'
import { raw, sql } from '../kit/sql.ts'

export const keptDays = 30

const batchSize = 1000
const storesPerBatch = 200
const mutex = 1_937_010_532

// A delivery goes before its event; the times in their ids are the same.
const logs = [
  { table: 'attempts',   key: 'delivery_id' },
  { table: 'deliveries', key: 'id' },
  { table: 'events',     key: 'id' },
]

/** Stops when it is done, or when another process is at it. Answers how many rows went. */
export async function dropOld(db: Database): Promise<number> {
  const until = firstIdAt(new Date(db.clock.now().getTime() - keptDays * 86_400_000))
  let count = 0
  for (const { table, key } of logs) {
    let after: string | null = ''
    while (after !== null) {
      const batch = await dropBatch(db, raw(table), raw(key), until, after)
      if (!batch) return count
      count += batch.count
      if (batch.count === 0) after = batch.last
    }
  }
  return count
}

type Batch = { count: number; last: string | null }

/** Of the next stores behind `after`; `last` is the last one that was looked at, null when there is no other. */
function dropBatch(db: Database, table: ReturnType<typeof raw>, key: typeof table, until: string, after: string): Promise<Batch | null> {
  return db.transaction(async (tx) => {
    const lock = await tx.one<{ taken: boolean }>(sql`select pg_try_advisory_xact_lock(${mutex}) as taken`)
    if (!lock!.taken) return null
    const batch = await tx.one<Batch>(sql`
      with recursive owners as (
        (select store_id, 1 as position from ${table} where store_id > ${after} order by store_id limit 1)
        union all
        select next.store_id, owners.position + 1
        from owners
        cross join lateral (
          select store_id from ${table} where store_id > owners.store_id order by store_id limit 1) as next
        where owners.position < ${storesPerBatch}
      ), old as (
        select found.*
        from owners
        cross join lateral (
          select ctid as place
          from ${table}
          where store_id = owners.store_id
            and ${key} < ${until}
          order by store_id, ${key}
          limit ${batchSize}) as found
        limit ${batchSize}
      ), gone as (
        delete from ${table}
        using old
        where ${table}.ctid = old.place
        returning 1
      )
      select (select count(*) from gone) as count, (select max(store_id) from owners) as last`)
    return batch!
  })
}

/** A UUIDv7 begins with its milliseconds. */
function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** Answers how many rows went; with a full batch there may be more. */
export async function dropOrphans(db: Database): Promise<number> {
  const gone = await db.one<{ count: number }>(sql`
    with recursive waiting as (
      (select webhook_id from deliveries where status = 'pending' order by webhook_id limit 1)
      union all
      select next.webhook_id
      from waiting
      cross join lateral (
        select webhook_id
        from deliveries
        where status = 'pending'
          and webhook_id > waiting.webhook_id
        order by webhook_id
        limit 1) as next
    ), orphans as (
      select found.*
      from waiting
      cross join lateral (
        select ctid as place
        from deliveries
        where webhook_id = waiting.webhook_id
          and status = 'pending'
        order by urgent desc, run_at
        limit ${batchSize}
        for update skip locked) as found
      where not exists (select from webhooks where webhooks.id = waiting.webhook_id)
      limit ${batchSize}
    ), gone as (
      delete from deliveries
      using orphans
      where deliveries.ctid = orphans.place
      returning 1
    )
    select count(*) as count from gone`)
  return gone!.count
}
