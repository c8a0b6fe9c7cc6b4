// Deliveries that a person requests: a test, one delivery again, or all events of a window again.
import type { Tx } from '../../../kit/database/database.ts'
import { conflict, invalid, notFound } from '../../../kit/values/errors.ts'
import { firstUuidAt, newUuidAt } from '../../../kit/values/ids.ts'
import type { Json } from '../../../kit/declare/resource.ts'
import { json, type WriteResult } from '../../../kit/declare/route.ts'
import { raw, sql, bindStore, type Sql } from '../../../kit/database/sql.ts'
import { buildSequenceBounds, requireWithin, type LogBounds } from '../../../tenancy/events/bounds.ts'
import { buildEventBody, uuidAsOld } from '../../../tenancy/events/emit.ts'
import { type EventType, declaredEvents } from '../events.ts'
import { deliveriesQueued } from '../../../tenancy/events/topics.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import { keepAttempts, noAttempt } from './attempts.ts'
import { delivery, requireDelivery, isHeld } from './log.ts'
import { webhook } from '../webhook.ts'
import { fault } from '../../../kit/values/faults.ts'
import { webhookFaults } from '../errors.ts'

const maxReplayed = 20_000

/** Sends a sample of an event, the webhook's first unless named, also to a webhook that is paused or disabled. */
export async function testWebhook(tx: Tx, store: Store, id: string, type?: EventType): Promise<WriteResult<object>> {
  const events = await requireWebhookEvents(tx, store.id, id)
  const event = type ?? events[0]!
  const { subjectId, payload } = declaredEvents[event].sample
  const [eventUuid, deliveryId] = [newUuidAt(tx.now), newUuidAt(tx.now)]
  tx.later(sql`
    insert into events (store_id, id, event, event_id, body, occurred_at, request_id, webhook_id)
    values (${store.id}, ${eventUuid}, ${event}, ${subjectId},
      ${buildEventBody(store, event, subjectId, payload, tx.now)}, ${tx.now}, ${tx.cause.requestId}, ${id})`)
  tx.later(sql`
    insert into deliveries (store_id, id, webhook_id, event_uuid, event, trigger, urgent, run_at, created_at)
    values (${store.id}, ${deliveryId}, ${id}, ${eventUuid}, ${event}, 'test', true, ${tx.now}, ${tx.now})`)
  tx.afterCommit(() => tx.bus.publish(deliveriesQueued, { storeId: store.id, webhookIds: [id] }))
  return requireDelivery(tx, store.id, id, deliveryId)
}

/** Sends the same delivery again, with the same id and a new signature, also to a paused or disabled webhook. */
export async function redeliver(tx: Tx, store: Store, webhookId: string, id: string): Promise<WriteResult<object>> {
  const row = await tx.one<{ under_way: boolean }>(sql`
    select status = 'pending' and (urgent or not ${isHeld} and ${isReceiverClaimed}) as under_way
    from deliveries
    where store_id = ${store.id}
      and webhook_id = ${webhookId}
      and id = ${id}
    for update`)
  if (!row) throw notFound(delivery.noun)
  if (row.under_way) throw conflict('The delivery is already in progress')
  const isOwn = sql`deliveries.store_id = ${store.id}
      and deliveries.webhook_id = ${webhookId}
      and deliveries.id = ${id}`
  tx.later(keepAttempts(sql`deliveries where ${isOwn}`))
  tx.later(sql`
    update deliveries
    set ${resendRows('manual')}, urgent = true, run_at = ${tx.now}
    where ${isOwn}`)
  tx.afterCommit(() => tx.bus.publish(deliveriesQueued, { storeId: store.id, webhookIds: [webhookId] }))
  return requireDelivery(tx, store.id, webhookId, id)
}

const isReceiverClaimed = sql`(
      select claimed_by is not null
      from webhook_health
      where webhook_health.store_id = ${bindStore('deliveries.store_id')}
        and webhook_health.webhook_id = deliveries.webhook_id)`

/** A window of time, or of numbers in the store's log; its end defaults to that of the log. */
export type ReplayWindow = { events?: EventType[] } & (
  | { from: Date; to: Date }
  | { from_sequence: number; to_sequence?: number }
)

/**
 * Sends the store's events of a window again, of the webhook's types or of some of them. What it was sent before keeps
 * its X-Webhook-Id; what it never got becomes a new delivery: it was disabled, or not there yet.
 */
export async function replay(
  tx: Tx,
  store: Store,
  id: string,
  { readable, ...window }: ReplayWindow & { readable: readonly EventType[] },
): Promise<Json<{ queued: number }>> {
  const own = await requireWebhookEvents(tx, store.id, id)
  rejectForeign(own, window.events)
  const events = window.events ?? own.filter((event) => readable.includes(event))
  const { inEvents, inDeliveries } = 'from' in window ? betweenTimes(window) : await betweenNumbers(tx, store, window)
  const inWindow = sql`
      events.store_id = ${store.id}
      and ${inEvents}
      and events.webhook_id is null
      and events.event = any(${events}::text[])`
  const earlier = sql`
      deliveries.store_id = ${store.id}
      and deliveries.webhook_id = ${id}
      and ${inDeliveries}`
  await rejectTooMany(tx, inWindow, 'from' in window ? 'to' : 'to_sequence')
  const counts = await Promise.all([
    // Sends missed events first, while they can still be told apart from repeated ones.
    sendMissed(tx, id, inWindow, earlier),
    sendAgain(tx, { store, id }, sql`${earlier} and event_uuid in (select id from events where ${inWindow})`),
  ])
  tx.afterCommit(() => tx.bus.publish(deliveriesQueued, { storeId: store.id, webhookIds: [id] }))
  return json({ queued: counts.reduce((sum, count) => sum + count, 0) })
}

/** Sends the deliveries that failed since then again, each with its X-Webhook-Id: 20,000 at most. */
export async function recover(
  tx: Tx,
  store: Store,
  id: string,
  { since, isReadable }: { since: Date; isReadable: Sql },
): Promise<Json<{ queued: number }>> {
  await requireWebhookEvents(tx, store.id, id)
  const failures = sql`
      deliveries.store_id = ${store.id}
      and deliveries.webhook_id = ${id}
      and deliveries.id >= ${firstUuidAt(since)}
      and ${isReadable}
      and deliveries.status = 'failed'`
  const { count } = (await tx.one<{ count: number }>(sql`select count(*) as count from deliveries where ${failures}`))!
  if (count > maxReplayed) throw invalid(fault('since', webhookFaults.window_too_full, { count, limit: maxReplayed }))
  const queued = await sendAgain(tx, { store, id }, failures)
  tx.afterCommit(() => tx.bus.publish(deliveriesQueued, { storeId: store.id, webhookIds: [id] }))
  return json({ queued })
}

type ResendConditions = { inEvents: Sql; inDeliveries: Sql }

function betweenTimes({ from, to }: { from: Date; to: Date }): ResendConditions {
  const least = firstUuidAt(from)
  const end = firstUuidAt(new Date(to.getTime() + 1))
  const within = (id: Sql) => sql`${id} >= ${least} and ${id} < ${end}`
  return { inEvents: within(raw('events.id')), inDeliveries: within(raw('deliveries.id')) }
}

/** The times in the first and the last of their ids narrow the log of deliveries, whose ids begin with the same. */
async function betweenNumbers(
  tx: Tx,
  store: Store,
  { from_sequence, to_sequence }: { from_sequence: number; to_sequence?: number },
): Promise<ResendConditions> {
  requireWithin(from_sequence, (await tx.one<LogBounds>(buildSequenceBounds(store.id)))!, 'from_sequence')
  const numbering = sql`
        from event_numbers
        where event_numbers.store_id = ${store.id}
          and sequence >= ${from_sequence}
          and sequence <= ${to_sequence ?? Number.MAX_SAFE_INTEGER}`
  const edge = (order: Sql, rest: string) => sql`(
        select overlay(${rest}::text placing left(event_uuid::text, 13) from 1)::uuid
        ${numbering}
        order by event_uuid ${order}
        limit 1)`
  return {
    inEvents: sql`events.id in (select event_uuid ${numbering})`,
    inDeliveries: sql`deliveries.id between ${edge(raw('asc'), '00000000-0000-0000-0000-000000000000')}
        and ${edge(raw('desc'), 'ffffffff-ffff-ffff-ffff-ffffffffffff')}
      and deliveries.event_uuid in (select event_uuid ${numbering})`,
  }
}

function rejectForeign(own: EventType[], events: EventType[] = []): void {
  const foreign = events.flatMap((event, index) => (own.includes(event) ? [] : [`events.${index}`]))
  if (foreign.length === 0) return
  throw invalid(...foreign.map((field) => fault(field, webhookFaults.event_foreign)))
}

/** Returns how many, like `sendAgain`. */
async function sendMissed(tx: Tx, id: string, inWindow: Sql, sent: Sql): Promise<number> {
  const missed = await tx.rows(sql`
    insert into deliveries (store_id, id, webhook_id, event_uuid, event, trigger, run_at, created_at)
    select events.store_id, ${uuidAsOld(raw('events.id'))}, ${id}, events.id, events.event, 'recovery', ${tx.now},
      events.occurred_at
    from events
    where ${inWindow}
      and events.id not in (select event_uuid from deliveries where ${sent})
    returning 1`)
  return missed.length
}

/** The rows that are locked are those that are kept and fired. */
async function sendAgain(tx: Tx, { store, id }: { store: Store; id: string }, chosen: Sql): Promise<number> {
  const finished = await tx.rows<{ id: string }>(sql`
    select id
    from deliveries
    where ${chosen}
      and status <> 'pending'
    for update`)
  const areFinished = sql`deliveries.store_id = ${store.id}
      and deliveries.webhook_id = ${id}
      and deliveries.id = any(${finished.map((row) => row.id)}::uuid[])`
  tx.later(keepAttempts(sql`deliveries where ${areFinished}`))
  tx.later(sql`
    update deliveries
    set ${resendRows('recovery')}, urgent = false, run_at = ${tx.now}
    where ${areFinished}`)
  return finished.length
}

async function rejectTooMany(tx: Tx, window: Sql, end: string): Promise<void> {
  const { count } = (await tx.one<{ count: number }>(sql`select count(*) as count from events where ${window}`))!
  if (count <= maxReplayed) return
  throw invalid(fault(end, webhookFaults.window_too_full, { count, limit: maxReplayed }))
}

/** Fired again, starting with the first attempt. */
function resendRows(trigger: 'manual' | 'recovery'): Sql {
  return sql`
      trigger = ${trigger}, status = 'pending', tries = 0, crashes = 0, completed_at = null, ${noAttempt}`
}

/** The event types of a webhook, which must exist. */
async function requireWebhookEvents(tx: Tx, storeId: string, id: string): Promise<EventType[]> {
  const row = await tx.one<{ events: EventType[] }>(sql`
    select events
    from webhooks
    where store_id = ${storeId}
      and id = ${id}`)
  if (!row) throw notFound(webhook.noun)
  return row.events
}
