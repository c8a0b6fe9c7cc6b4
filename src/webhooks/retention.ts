// The log is kept for 30 days: older events, deliveries and attempts go in small batches, store by store, by the time
// in their ids, which their primary keys are sorted by. What deleted webhooks left in the queue goes sooner.
import type { Tx } from '../kit/database.ts'
import { raw, sql, type Sql } from '../kit/sql.ts'
import type { Job, Round } from '../platform/jobs.ts'
import { waitingBehind } from './claim.ts'

const keptDays = 30
const everySeconds = 600
const batchSize = 1000
const storesPerBatch = 200

// A delivery goes before its event; the times in their ids are the same.
const logs = [
  { table: raw('attempts'),   key: raw('delivery_id') },
  { table: raw('deliveries'), key: raw('id') },
  { table: raw('events'),     key: raw('id') },
]

/** Each round is one batch; where it was goes on in the next, and begins anew after the last. */
export function retentionJob(): Job {
  let [log, after] = [0, '']
  return {
    name: 'drop old deliveries',
    everySeconds,
    async run(tx): Promise<Round> {
      if (log === 0 && after === '' && await dropOrphans(tx) === batchSize) return { more: true }
      const { count, last } = await dropOld(tx, logs[log]!, after)
      if (count > 0) return { more: true }
      ;[log, after] = last === null ? [(log + 1) % logs.length, ''] : [log, last]
      return { more: log > 0 || after !== '' }
    },
  }
}

/** Of the next stores behind `after`; `last` is the last one that was looked at, null when there is no other. */
async function dropOld(
  tx: Tx, { table, key }: { table: Sql; key: Sql }, after: string,
): Promise<{ count: number; last: string | null }> {
  const until = firstIdAt(new Date(tx.now.getTime() - keptDays * 86_400_000))
  const batch = await tx.one<{ count: number; last: string | null }>(sql`
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
}

/** A UUIDv7 begins with its milliseconds. */
function firstIdAt(time: Date): string {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** Answers how many rows went: with a full batch there may be more. */
async function dropOrphans(tx: Tx): Promise<number> {
  const gone = await tx.one<{ count: number }>(sql`
    with recursive ${waitingBehind(null)}, orphans as (
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
