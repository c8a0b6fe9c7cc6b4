// Events, deliveries and attempts are kept for 30 days: older ones go in small batches, owner by owner, by the time in
// their ids, which their primary keys are sorted by. What deleted webhooks left in the queue goes sooner.
import type { Tx } from '../../../kit/database/database.ts'
import { firstUuidAt } from '../../../kit/values/ids.ts'
import { dropOldest } from '../../../tenancy/events/purge.ts'
import { and, join, raw, sql, type Sql } from '../../../kit/database/sql.ts'
import type { JobWork, JobRound } from '../../../platform/process/jobs.ts'
import { waitingBehind } from './claim.ts'

const keptDays = 30
const batchSize = 1000
const ownersPerBatch = 200

/** The columns of a table's primary key: `id` sorts what one owner has by time. `only` some of its rows are meant. */
type LogTable = { table: string; owner: string[]; id: string; only?: Sql }

type Drop = (tx: Tx, until: string, after: string[]) => Promise<{ count: number; last: string[] | null }>

// A delivery goes before its event; the times in their ids are the same. Tests are in no log.
// prettier-ignore
const steps: Drop[] = [
  dropping({ table: 'attempts',   owner: ['store_id'],               id: 'delivery_id' }),
  dropping({ table: 'deliveries', owner: ['store_id', 'webhook_id'], id: 'id' }),
  dropping({ table: 'events',     owner: ['store_id'],               id: 'id', only: sql`webhook_id is not null` }),
  dropEvents,
]
const beforeAll = ['', '00000000-0000-0000-0000-000000000000']

/** Each round is one batch. The next continues where it ended, and starts over after the last. */
export function retentionJob(): JobWork {
  let [step, after] = [0, beforeAll]
  return {
    name: 'drop old deliveries',
    async run(tx): Promise<JobRound> {
      if (step === 0 && after === beforeAll && (await dropOrphans(tx)) === batchSize) return { more: true }
      const until = firstUuidAt(new Date(tx.now.getTime() - keptDays * 86_400_000))
      const { count, last } = await steps[step]!(tx, until, after)
      if (count > 0) return { more: true }
      ;[step, after] = last === null ? [(step + 1) % steps.length, beforeAll] : [step, last]
      return { more: step > 0 || after !== beforeAll }
    },
  }
}

async function dropEvents(tx: Tx, until: string, [after]: string[]): ReturnType<Drop> {
  const { count, last } = await dropOldest(tx, { after: after!, until, stores: ownersPerBatch, size: batchSize })
  return { count, last: last === null ? null : [last] }
}

/** The next owners after `after`. `last` is the last one visited, null at the end. */
function dropping(log: LogTable): Drop {
  return async (tx, until, after) => (await tx.one<{ count: number; last: string[] | null }>(oldOf(log, until, after)))!
}

function oldOf({ table, owner, id, only = raw('true') }: LogTable, until: string, after: string[]): Sql {
  const from = raw(table)
  const columns = (of: string) => raw(owner.map((column) => `${of}.${column}`).join(', '))
  return sql`
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
          and ${only}
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
      (select json_build_array(${columns('owners')}) from owners order by position desc limit 1) as last`
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
