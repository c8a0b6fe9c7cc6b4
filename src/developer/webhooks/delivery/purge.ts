// Events, deliveries and attempts are kept for 30 days: older ones go in small batches, some stores at a time, by the
// time in their ids, which their primary keys are sorted by. What deleted webhooks left in the queue goes sooner.
import type { Tx } from '../../../kit/database/database.ts'
import { deleteRows, type RowKey } from '../../../kit/database/batches.ts'
import { firstUuidAt } from '../../../kit/values/ids.ts'
import { overdueStores } from '../../../kit/database/overdue.ts'
import { oldestEvents } from '../../../tenancy/events/purge.ts'
import { inReach, raw, sql, type Sql, records } from '../../../kit/database/sql.ts'
import type { JobWork, JobRound } from '../../../platform/process/jobs.ts'
import { waitingBehind, type ReceiverQueue } from './claim.ts'

// Deliveries that wait for webhooks that were deleted.

const deliveryKey = { store_id: 'text', webhook_id: 'uuid', id: 'uuid' }

/** Scans the next receivers after `cursor`, and returns the next cursor; null at the end. */
async function dropOrphans(tx: Tx, cursor: string | null, size: number): Promise<string | null> {
  const { places, last } = await waitingBehind(tx, cursor)
  if (places.length === 0) return null
  const rows = await tx.rows<{ id: string }>(sql`
    select webhooks.id
    from ${records('waiting', { store_id: 'text', webhook_id: 'uuid' }, places)}
    join webhooks on webhooks.store_id = waiting.store_id
      and webhooks.id = waiting.webhook_id
    where ${inReach('webhooks.store_id')}`)
  const ids = new Set(rows.map(({ id }) => id))
  const orphan = places.find(({ webhook_id }) => !ids.has(webhook_id))
  if (!orphan) return last?.webhook_id ?? null
  const waitingRows = await tx.rows<Record<string, unknown>>(waitingFor(orphan, size))
  deleteRows(tx, 'deliveries', deliveryKey, waitingRows)
  // The same receivers again, without this one.
  return cursor ?? firstId
}

const firstId = '00000000-0000-0000-0000-000000000000'

function waitingFor({ store_id, webhook_id }: ReceiverQueue, size: number): Sql {
  return sql`
    select store_id, webhook_id, id
    from deliveries
    where store_id = ${store_id}
      and webhook_id = ${webhook_id}
      and status = 'pending'
    order by urgent desc, run_at
    limit ${size}`
}

const keptMs = 30 * 86_400_000
const batchSize = 1000
const storesAtOnce = 100
/** A run does not come back to a store whose events wait for one before them. */
const restMs = 60_000

/** `find` selects the key of old rows of a store, which are then deleted in these tables. */
type Step = { tables: Record<string, RowKey>; find: (storeId: string, until: string, size: number) => Sql }

// A delivery goes before its event; the times in their ids are the same. Tests are in no log.
const steps: Step[] = [
  {
    tables: { attempts: { store_id: 'text', delivery_id: 'uuid', attempt: 'int' } },
    find: (storeId, until, size) => sql`
      select store_id, delivery_id, attempt
      from attempts
      where store_id = ${storeId}
        and delivery_id < ${until}
      order by delivery_id
      limit ${size}`,
  },
  {
    tables: { deliveries: deliveryKey },
    find: (storeId, until, size) => sql`
      with recursive ${buildQueuesQuery(storeId)}
      select ${storeId}::text as store_id, queues.webhook_id, found.id
      from queues
      cross join lateral (
        select id
        from deliveries
        where store_id = ${storeId}
          and deliveries.webhook_id = queues.webhook_id
          and id < ${until}
        order by id
        limit ${size}) as found
      limit ${size}`,
  },
  {
    tables: { events: { store_id: 'text', id: 'uuid' } },
    find: (storeId, until, size) => sql`
      select store_id, id
      from events
      where store_id = ${storeId}
        and id < ${until}
        and webhook_id is not null
      order by id
      limit ${size}`,
  },
  {
    tables: { event_numbers: { store_id: 'text', event_uuid: 'uuid' }, events: { store_id: 'text', id: 'uuid' } },
    find: (storeId, until, size) => sql`
      select store_id, event_uuid, event_uuid as id
      from (${oldestEvents(storeId, until, size)}) as oldest`,
  },
]

/** Each round is one batch. The next continues with the same stores, until they have nothing more that is due. */
export function retentionJob(): JobWork {
  let cursor: string | null | undefined
  let stores: string[] = []
  /** The stores that may have more in this step. */
  let rest: string[] = []
  let step = 0
  return {
    name: 'drop old deliveries',
    async run(tx): Promise<JobRound> {
      const until = firstUuidAt(new Date(tx.now.getTime() - keptMs))
      if (stores.length === 0) {
        // Null once all receivers have been looked at.
        if (cursor !== null) cursor = await dropOrphans(tx, cursor ?? null, batchSize)
        if (cursor !== null) return { more: true }
        const overdue = await tx.rows<{ store_id: string }>(overdueStores('event_logs', until, tx.now, storesAtOnce))
        stores = rest = overdue.map(({ store_id }) => store_id)
        step = 0
      }
      if (stores.length === 0) {
        cursor = undefined
        return {}
      }
      rest = await drop(tx, steps[step]!, rest, until)
      if (rest.length === 0) {
        rest = stores
        step++
      }
      if (step === steps.length) {
        stores.forEach((storeId) => noteOldest(tx, storeId))
        stores = []
      }
      return { more: true }
    },
  }
}

/** Deletes a batch, and returns the stores that may have more. */
async function drop(tx: Tx, { tables, find }: Step, stores: string[], until: string): Promise<string[]> {
  const size = Math.floor(batchSize / stores.length)
  const rowsByStore = await Promise.all(
    stores.map((storeId) => tx.rows<Record<string, unknown>>(find(storeId, until, size))),
  )
  for (const [table, key] of Object.entries(tables)) deleteRows(tx, table, key, rowsByStore.flat())
  return stores.filter((_, index) => rowsByStore[index]!.length === size)
}

/** `queues (webhook_id)` for a recursive with: one step of the primary key for each webhook. */
function buildQueuesQuery(storeId: string): Sql {
  const next = (condition: Sql) => sql`
        select webhook_id
        from deliveries
        where store_id = ${storeId}
          and ${condition}
        order by webhook_id
        limit 1`
  return sql`queues as (
      select (${next(sql`true`)}) as webhook_id
      union all
      select (${next(sql`deliveries.webhook_id > queues.webhook_id`)})
      from queues
      where webhook_id is not null
    )`
}

/** Skips a store until its oldest row is due. */
function noteOldest(tx: Tx, storeId: string): void {
  const [soon, now] = [restMs - keptMs, 0].map((ms) => firstUuidAt(new Date(tx.now.getTime() + ms)))
  const first = (table: string, id: string, condition: Sql) => sql`(
        select ${raw(id)} from ${raw(table)} where store_id = ${storeId} and ${condition} order by ${raw(id)} limit 1)`
  tx.later(sql`
    with recursive ${buildQueuesQuery(storeId)}, free as materialized (
      select store_id
      from event_logs
      where store_id = ${storeId}
      for update skip locked
    ), firsts as (
      select ${first('attempts', 'delivery_id', sql`true`)} as id
      union all
      select ${first('events', 'id', sql`true`)}
      union all
      select ${first('deliveries', 'id', sql`deliveries.webhook_id = queues.webhook_id`)}
      from queues
    ), oldest as (
      select (array_agg(id order by id))[1] as id
      from firsts
    )
    update event_logs
    set oldest = least(greatest(coalesce(oldest.id, ${now}::uuid), ${soon}::uuid), ${now}::uuid)
    from oldest
    cross join free
    where event_logs.store_id = ${storeId}`)
}
