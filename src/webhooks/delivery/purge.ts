// The log is kept for 30 days: older events, deliveries and attempts go in small batches, owner by owner, by the time
// in their ids, which their primary keys are sorted by. What deleted webhooks left in the queue goes sooner.
import type { Tx } from '../../kit/database/database.ts'
import { firstUuidAt } from '../../kit/values/ids.ts'
import { and, join, raw, sql } from '../../kit/database/sql.ts'
import type { Job, Round } from '../../platform/process/jobs.ts'
import { waitingBehind } from './claim.ts'

const keptDays = 30
const everySeconds = 600
const batchSize = 1000
const ownersPerBatch = 200

/** The columns of a table's primary key: `id` sorts what one owner has by time. */
type LogTable = { table: string; owner: string[]; id: string }

// A delivery goes before its event; the times in their ids are the same.
// prettier-ignore
const logs: LogTable[] = [
  { table: 'attempts',   owner: ['store_id'],               id: 'delivery_id' },
  { table: 'deliveries', owner: ['store_id', 'webhook_id'], id: 'id' },
  { table: 'events',     owner: ['store_id'],               id: 'id' },
]
const beforeAll = ['', '00000000-0000-0000-0000-000000000000']

/** Each round is one batch; where it was goes on in the next, and begins anew after the last. */
export function retentionJob(): Job {
  let [log, after] = [0, beforeAll]
  return {
    name: 'drop old deliveries',
    everySeconds,
    async run(tx): Promise<Round> {
      if (log === 0 && after === beforeAll && (await dropOrphans(tx)) === batchSize) return { more: true }
      const { count, last } = await dropOld(tx, logs[log]!, after)
      if (count > 0) return { more: true }
      ;[log, after] = last === null ? [(log + 1) % logs.length, beforeAll] : [log, last]
      return { more: log > 0 || after !== beforeAll }
    },
  }
}

/** Of the next owners behind `after`; `last` is the last one that was looked at, null when there is no other. */
async function dropOld(
  tx: Tx,
  { table, owner, id }: LogTable,
  after: string[],
): Promise<{ count: number; last: string[] | null }> {
  const until = firstUuidAt(new Date(tx.now.getTime() - keptDays * 86_400_000))
  const from = raw(table)
  const columns = (of: string) => raw(owner.map((column) => `${of}.${column}`).join(', '))
  const batch = await tx.one<{ count: number; last: string[] | null }>(sql`
    with recursive owners as (
      (select ${columns(table)}, 1 as position
       from ${from}
       where (${columns(table)}) > (${join(
         owner.map((_column, index) => sql`${after[index]}`),
         ', ',
       )})
       order by ${columns(table)}
       limit 1)
      union all
      select next.*, owners.position + 1
      from owners
      cross join lateral (
        select ${columns(table)}
        from ${from}
        where (${columns(table)}) > (${columns('owners')})
        order by ${columns(table)}
        limit 1) as next
      where owners.position < ${ownersPerBatch}
    ), old as (
      select found.*
      from owners
      cross join lateral (
        select ctid as place
        from ${from}
        where ${and(owner.map((column) => raw(`${table}.${column} = owners.${column}`)))}
          and ${raw(id)} < ${until}
        order by ${columns(table)}, ${raw(id)}
        limit ${batchSize}) as found
      limit ${batchSize}
    ), gone as (
      delete from ${from}
      using old
      where ${from}.ctid = old.place
      returning 1
    )
    select (select count(*) from gone) as count,
      (select json_build_array(${columns('owners')}) from owners order by position desc limit 1) as last`)
  return batch!
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
