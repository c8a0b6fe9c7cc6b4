// Claims receivers and reads their due deliveries, in short statements of one exchange. A claim is on the receiver's
// row of webhook_health: only its owner delivers to it. So its limit holds across all processes, and a delivery is
// written only when it is queued and when it is finished.
import type { Database, Db } from '../../../kit/database/database.ts'
import { numberEvents } from '../../../tenancy/events/number.ts'
import { byStore } from '../../../kit/database/bystore.ts'
import { runPipelined } from '../../../kit/database/pipelined.ts'
import { inReach, inStoreOfAll, records, sql, bindStore, type Sql } from '../../../kit/database/sql.ts'
import { walk } from '../../../kit/database/walk.ts'
import { isByHand } from './log.ts'
import { leaseMs, type ReceiverClaim, type Delivery } from './delivery.ts'
import type { ClaimRequest } from './receiver.ts'

/** Maximum receivers per claim or scan. */
export const maxReceivers = 256

type DueDelivery = Delivery & { is_unnumbered: boolean }

/**
 * Returns the receivers that this worker owns now. Receivers are locked by store and ID.
 * Events of `behind` get their numbers first. Unnumbered events seen here are left to the next claim.
 */
export async function claim(
  db: Database,
  me: number,
  demands: readonly ClaimRequest[],
  behind: readonly string[] = [],
): Promise<ReceiverClaim[]> {
  if (behind.length > 0) await db.transaction((tx) => numberEvents(tx, behind))
  const [claims, deliveries] = await runPipelined(db, (tx) => {
    const strangers = demands.filter(({ is_kept }) => !is_kept)
    if (strangers.length > 0) tx.later(inStoreOfAll(strangers, claimReceivers(me, strangers, tx.now)))
    const due = [...Map.groupBy(demands, ({ room }) => room)].map(([room, own]) =>
      tx.rows<DueDelivery>(inStoreOfAll(own, readDue(me, own, room, tx.now))),
    )
    return Promise.all([
      tx.rows<Omit<ReceiverClaim, 'deliveries' | 'hasUnnumbered'>>(readClaims(me, demands, tx.now)),
      Promise.all(due),
    ])
  })
  const due = Map.groupBy(deliveries.flat(), ({ webhook_id }) => webhook_id)
  return claims.map((own) => {
    const all = due.get(own.webhook_id) ?? []
    const deliveries = all.filter(({ is_unnumbered }) => !is_unnumbered)
    return { ...own, deliveries: deliveries, hasUnnumbered: deliveries.length < all.length }
  })
}

const placeColumns = { store_id: 'text', webhook_id: 'uuid' }

/** Receivers with due deliveries that are unclaimed or already ours. Rows are locked in the order of the demands. */
function claimReceivers(me: number, demands: readonly ClaimRequest[], now: Date): Sql {
  const inOrder = byStore(demands.toSorted((one, other) => (one.webhook_id < other.webhook_id ? -1 : 1)))
  return sql`
    update webhook_health as health
    set claimed_by = ${me}, claimed_until = ${new Date(now.getTime() + leaseMs)}, claim = claim + 1
    from ${records(
      'demands',
      placeColumns,
      inOrder.flatMap(([, own]) => own),
    )}
    join webhooks on webhooks.store_id = ${bindStore('demands.store_id')} and webhooks.id = demands.webhook_id
    where health.store_id = ${bindStore('webhooks.store_id')}
      and health.webhook_id = webhooks.id
      and (health.claimed_by is null or health.claimed_by = ${me})
      and ${hasDue(now)}
      and ${inReach('health.store_id')}`
}

function readClaims(me: number, demands: readonly ClaimRequest[], now: Date): Sql {
  return sql`
    select webhooks.store_id, webhooks.id as webhook_id, webhooks.url, webhooks.secret,
      case when webhooks.previous_secret_until > ${now} then webhooks.previous_secret end as previous_secret,
      webhooks.client_id, webhooks.paused_at is not null as is_paused, plans.features, health.claim,
      health.claimed_until, health.consecutive_failures > 0 as is_failing
    from ${records('demands', placeColumns, demands)}
    join webhook_health as health on health.store_id = demands.store_id and health.webhook_id = demands.webhook_id
    join webhooks on webhooks.store_id = demands.store_id and webhooks.id = demands.webhook_id
    join stores on stores.id = demands.store_id
    join plans on plans.id = stores.plan_id
    where health.claimed_by = ${me}
      and health.claimed_until > ${now}
      and ${inReach('health.store_id')}`
}

/** Per receiver, urgent deliveries first, then the oldest. */
function readDue(me: number, demands: readonly ClaimRequest[], room: number, now: Date): Sql {
  const here = demands.flatMap(({ ids }) => ids)
  const store = bindStore('webhooks.store_id')
  return sql`
    select webhooks.store_id, webhooks.id as webhook_id, due.id, due.event, due.trigger, due.attempts, due.tries,
      due.urgent, due.crashes, events.body, event_numbers.sequence,
      case when events.id is not null and events.webhook_id is null and event_numbers.sequence is null then exists (
        select from unnumbered_events
        where unnumbered_events.store_id = ${store})
      else false end as is_unnumbered
    from ${records('demands', placeColumns, demands)}
    join webhooks on webhooks.store_id = ${bindStore('demands.store_id')} and webhooks.id = demands.webhook_id
    join webhook_health as health on health.store_id = ${store} and health.webhook_id = webhooks.id
    cross join lateral ${buildDueDeliveries(now, sql`${room}`, here)} as due
    left join events on events.store_id = ${store} and events.id = due.event_uuid
    left join event_numbers on event_numbers.store_id = ${store}
      and event_numbers.event_uuid = due.event_uuid
    where health.claimed_by = ${me}
      and health.claimed_until > ${now}
      and ${inReach('webhooks.store_id')}`
}

/** A paused webhook gets only urgent deliveries; a disabled one gets only manual ones. */
const takesAll = sql`(webhooks.is_active and webhooks.paused_at is null)`

const urgent = sql`deliveries.urgent and (webhooks.is_active or ${isByHand})`
const other = sql`not deliveries.urgent and ${takesAll}`

function buildPendingClause(which: Sql, now: Date): Sql {
  return sql`
        from deliveries
        where deliveries.store_id = ${bindStore('webhooks.store_id')}
          and deliveries.webhook_id = webhooks.id
          and deliveries.status = 'pending'
          and ${which}
          and deliveries.run_at <= ${now}`
}

function hasDue(now: Date): Sql {
  const hasAny = (which: Sql) => sql`coalesce((select true ${buildPendingClause(which, now)} limit 1), false)`
  return sql`(${hasAny(urgent)} or ${hasAny(other)})`
}

/** Deliveries that `webhooks`, a row of the outer query, may get now: at most `room`, none of `except`. */
export function buildDueDeliveries(now: Date, room: Sql, except: readonly string[] = []): Sql {
  const some = (which: Sql) => sql`(
        select deliveries.*
        ${buildPendingClause(which, now)}
          and deliveries.id not in (select unnest(${except}::uuid[]))
        order by deliveries.run_at
        limit ${room})`
  return sql`(
        ${some(urgent)}
        union all
        ${some(other)}
        limit ${room})`
}

/** The position of a receiver, to continue after it. */
export type ReceiverQueue = { store_id: string; webhook_id: string }

/**
 * The next receivers after `cursor` that have due deliveries and are unclaimed or ours. `last` is set if there may be
 * more.
 */
export async function findWaiting(
  db: Database,
  me: number,
  cursor: ReceiverQueue | null,
): Promise<{ places: ReceiverQueue[]; last: ReceiverQueue | null }> {
  const { places, last } = await waitingBehind(db, cursor?.webhook_id ?? null)
  if (places.length === 0) return { places, last }
  const free = await db.rows<{ webhook_id: string }>(sql`
    select webhooks.id as webhook_id
    from ${records('waiting', { store_id: 'text', webhook_id: 'uuid' }, places)}
    join webhooks on webhooks.store_id = waiting.store_id and webhooks.id = waiting.webhook_id
    join webhook_health as health on health.store_id = waiting.store_id and health.webhook_id = waiting.webhook_id
    where (health.claimed_by is null or health.claimed_by = ${me})
      and ${hasDue(db.clock.now())}
      and ${inReach('webhooks.store_id')}`)
  const ids = new Set(free.map(({ webhook_id }) => webhook_id))
  return { places: places.filter(({ webhook_id }) => ids.has(webhook_id)), last }
}

/** The next receivers with a higher id that have something pending. `last` is set if there may be more. */
export async function waitingBehind(
  db: Db,
  cursor: string | null,
): Promise<{ places: ReceiverQueue[]; last: ReceiverQueue | null }> {
  const { rows, hasMore } = await walk<ReceiverQueue>(db, {
    columns: 'store_id, webhook_id',
    table: 'deliveries',
    where: `status = 'pending'`,
    by: 'webhook_id',
    after: cursor,
  })
  const places = [...new Map(rows.map((row) => [row.webhook_id, row])).values()]
  return { places, last: hasMore ? places.at(-1)! : null }
}
