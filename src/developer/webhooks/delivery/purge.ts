// Events, deliveries and attempts are kept for 30 days: older ones go in small batches, some stores at a time, by the
// time in their ids, which their primary keys are sorted by. What deleted webhooks left in the queue goes sooner.
import type { Tx } from '../../../kit/database/database.ts'
import { firstUuidAt } from '../../../kit/values/ids.ts'
import { overdueStores } from '../../../kit/database/overdue.ts'
import { dropOldest } from '../../../tenancy/events/purge.ts'
import { raw, sql, type Sql } from '../../../kit/database/sql.ts'
import type { JobWork, JobRound } from '../../../platform/process/jobs.ts'
import { waitingBehind } from './claim.ts'

const keptMs = 30 * 86_400_000
const batchSize = 1000
const storesAtOnce = 200
/** A run does not come back to a store whose events wait for one before them. */
const restMs = 60_000

/** Deletes a batch, and answers how many rows went. */
type Drop = (tx: Tx, stores: string[], until: string) => Promise<number>

// A delivery goes before its event; the times in their ids are the same. Tests are in no log.
// prettier-ignore
const steps: Drop[] = [
  (tx, stores, until) => drop(tx, 'attempts', sql`
    select found.place
    from unnest(${stores}::text[]) as owners (store_id)
    cross join lateral (
      select ctid as place
      from attempts
      where attempts.store_id = owners.store_id
        and delivery_id < ${until}
      order by delivery_id
      limit ${batchSize}) as found`),
  (tx, stores, until) => drop(tx, 'deliveries', sql`
    with recursive ${queuesOf(stores)}
    select found.place
    from queues
    cross join lateral (
      select ctid as place
      from deliveries
      where deliveries.store_id = queues.store_id
        and deliveries.webhook_id = queues.webhook_id
        and id < ${until}
      order by id
      limit ${batchSize}) as found`),
  (tx, stores, until) => drop(tx, 'events', sql`
    select found.place
    from unnest(${stores}::text[]) as owners (store_id)
    cross join lateral (
      select ctid as place
      from events
      where events.store_id = owners.store_id
        and id < ${until}
        and webhook_id is not null
      order by id
      limit ${batchSize}) as found`),
  (tx, stores, until) => dropOldest(tx, { stores, until, size: batchSize }),
]

/** Each round is one batch. The next continues with the same stores, until they have nothing more that is due. */
export function retentionJob(): JobWork {
  let stores: string[] = []
  let step = 0
  return {
    name: 'drop old deliveries',
    async run(tx): Promise<JobRound> {
      const until = firstUuidAt(new Date(tx.now.getTime() - keptMs))
      if (stores.length === 0) {
        if ((await dropOrphans(tx)) === batchSize) return { more: true }
        const overdue = await tx.rows<{ store_id: string }>(overdueStores('event_logs', until, tx.now, storesAtOnce))
        ;[stores, step] = [overdue.map(({ store_id }) => store_id), 0]
      }
      if (stores.length === 0) return {}
      const count = await steps[step]!(tx, stores, until)
      if (count < batchSize) step++
      if (step === steps.length) {
        await noteOldest(tx, stores)
        stores = []
      }
      return { more: true }
    },
  }
}

async function drop(tx: Tx, table: string, places: Sql): Promise<number> {
  const gone = await tx.rows(sql`
    delete from ${raw(table)}
    where ctid = any(array(${places}
      limit ${batchSize}))
    returning 1`)
  return gone.length
}

/** `queues (store_id, webhook_id)` for a recursive with: one step of the primary key for each webhook. */
function queuesOf(stores: string[]): Sql {
  const next = (owner: string, condition: Sql) => sql`
        select webhook_id
        from deliveries
        where deliveries.store_id = ${raw(owner)}.store_id
          and ${condition}
        order by webhook_id
        limit 1`
  return sql`queues as (
      select store_id, (${next('owners', sql`true`)}) as webhook_id
      from unnest(${stores}::text[]) as owners (store_id)
      union all
      select store_id, (${next('queues', sql`deliveries.webhook_id > queues.webhook_id`)})
      from queues
      where webhook_id is not null
    )`
}

/** A store is not visited again until the oldest that it has is due. */
async function noteOldest(tx: Tx, stores: string[]): Promise<void> {
  const [soon, now] = [restMs - keptMs, 0].map((ms) => firstUuidAt(new Date(tx.now.getTime() + ms)))
  const first = (table: string, id: string, owner: Sql) => sql`(
        select ${raw(id)} from ${raw(table)} where ${owner} order by ${raw(id)} limit 1)`
  await tx.rows(sql`
    with recursive ${queuesOf(stores)}, free as materialized (
      select store_id
      from event_logs
      where store_id = any(${stores})
      for update skip locked
    ), firsts as (
      select store_id, ${first('attempts', 'delivery_id', sql`attempts.store_id = free.store_id`)} as id
      from free
      union all
      select store_id, ${first('events', 'id', sql`events.store_id = free.store_id`)}
      from free
      union all
      select store_id, ${first(
        'deliveries',
        'id',
        sql`deliveries.store_id = queues.store_id and deliveries.webhook_id = queues.webhook_id`,
      )}
      from queues
    ), oldest as (
      select store_id, (array_agg(id order by id))[1] as id
      from firsts
      group by store_id
    )
    update event_logs
    set oldest = least(greatest(coalesce(oldest.id, ${now}::uuid), ${soon}::uuid), ${now}::uuid)
    from oldest
    join free on free.store_id = oldest.store_id
    where event_logs.store_id = oldest.store_id`)
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
