// Events are written in the transaction of the change that they report.
import type { Tx } from '../../kit/database/database.ts'
import { maskCredentials, maskEach } from '../../kit/values/masking.ts'
import { newUuidAt } from '../../kit/values/ids.ts'
import { join, raw, records, sql, type Sql } from '../../kit/database/sql.ts'
import { declaredEvent, type Payload } from './event.ts'
import { noteAgentOrders } from './agentorders.ts'
import { callFollowers } from './followers.ts'
import { addToCommit, numberAt, numberWithCommit, takeNumbers, type CommitStatement } from './number.ts'
import { deliveriesQueued, eventsCommitted, type QueuedDelivery } from './topics.ts'

/** The declaration of one of these events. */
type EventPayload<E extends string> = E extends string ? Payload<E> : never

/** The store in payloads of events. */
export type EventStore = { id: string; name: string; timezone: string }

/**
 * Writes an event with the commit, which numbers it unless the log is busy (number.ts), and queues its deliveries to
 * active webhooks in the same statement. `subjectId` is the public ID of the affected record, `payload` the part of the
 * body between occurred_at and store, e.g. `{ product: {…} }`. The body is stored as the exact bytes that all receivers
 * get.
 */
export function emit<E extends string>(
  tx: Tx,
  store: EventStore,
  event: E,
  subjectId: string,
  payload: EventPayload<E>,
): void {
  const position = emittedCounts.get(tx) ?? 0
  emittedCounts.set(tx, position + 1)
  const id = newUuidAt(tx.now, position)
  const body = buildEventBody(store, event, subjectId, payload, tx.now)
  const row = { store_id: store.id, id, event, event_id: subjectId, body }
  const writes = tx.isDistributed
    ? Promise.all([insertApart(tx, row), numberWithCommit(tx, store.id, id)])
    : insertWithCommit(tx, row)
  noteAgentOrders(tx, store.id, event, [subjectId])
  callFollowers(tx, store, event, [{ id: subjectId, payload }])
  // An error also fails the commit.
  writes.catch(() => {})
  tx.afterCommit(() => {
    void writes.then(([deliveries, sequence]) => {
      const storeId = store.id
      tx.bus.publish(eventsCommitted, { storeId, isOwn: true, isUnnumbered: sequence === null })
      if (deliveries.length === 0) return
      const webhookIds = deliveries.map(({ webhook_id }) => webhook_id)
      const newEvent = { event, body, sequence, at: tx.now, deliveries }
      tx.bus.publish(deliveriesQueued, { storeId, webhookIds, queued: newEvent })
    })
  })
}

type EventRow = { store_id: string; id: string; event: string; event_id: string; body: string }

/** On one server, the events of a transaction, their numbers and their deliveries are one statement. */
async function insertWithCommit(tx: Tx, row: EventRow): Promise<[QueuedDelivery[], number | null]> {
  const batch = addToCommit(tx, row.store_id, events, row)
  const position = batch.rows.length
  const { last, deliveries } = await batch.result
  const own = deliveries.filter(({ event_uuid }) => event_uuid === row.id).map(({ event_uuid: _, ...one }) => one)
  return [own, numberAt(position, batch.rows, last)]
}

type WrittenEvents = { last: number | null; deliveries: (QueuedDelivery & { event_uuid: string })[] }

const events: CommitStatement<EventRow, WrittenEvents> = {
  // Each number of rows is a statement of its own.
  limit: 8,
  async send(tx, storeId, rows) {
    const values = rows.map(
      ({ id, event, event_id, body }, index) =>
        sql`(${id}::uuid, ${event}::text, ${event_id}::text, ${body}::text, ${raw(String(index + 1))})`,
    )
    const answer = await tx.rows<Omit<WrittenEvents, 'deliveries'> & WrittenEvents['deliveries'][number]>(sql`
    with written (event_uuid, event, event_id, body, position) as materialized (values ${join(values, ', ')}
    ), inserted as (
      insert into events (store_id, id, event, event_id, body, occurred_at, request_id)
      select ${storeId}, event_uuid, event, event_id, body, ${tx.now}::timestamptz, ${tx.cause.requestId}::text
      from written
    ), receivers as materialized (
      select ${receiver(tx.now)}, ${uuidAsOld(sql`event_uuid`)} as id, event_uuid, event
      from written
      join webhooks on webhooks.events @> array[event]
      ${healthOf(storeId)}
    ), queued as (
      insert into deliveries (store_id, id, webhook_id, event_uuid, event, run_at, created_at)
      select ${storeId}, id, webhook_id, event_uuid, event, ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from receivers
    ), ${takeNumbers(storeId, rows.length)}
    select (select last from log), receivers.*
    from (select) as one
    left join receivers on true`)
    const { last } = answer[0]!
    return { last, deliveries: answer.filter(({ id }) => id !== null).map(({ last: _, ...one }) => one) }
  },
}

/** A distributed database would need all servers for what a `with` writes. A receiver added in between waits. */
async function insertApart(tx: Tx, row: EventRow): Promise<QueuedDelivery[]> {
  tx.later(insertEvent(tx, row))
  const [queued, receivers] = await Promise.all([
    tx.rows<{ id: string; webhook_id: string }>(sql`${insertDeliveries(
      tx,
      row,
      sql`select ${uuidAsOld(sql`${row.id}`)} as id, webhooks.id as webhook_id ${receiversOf(row)}`,
    )}
    returning id, webhook_id`),
    tx.rows<Omit<QueuedDelivery, 'id'>>(sql`select ${receiver(tx.now)} ${receiversOf(row)}`),
  ])
  const ids = new Map(queued.map(({ id, webhook_id }) => [webhook_id, id]))
  return receivers.flatMap((one) => (ids.has(one.webhook_id) ? [{ ...one, id: ids.get(one.webhook_id)! }] : []))
}

function insertEvent(tx: Tx, { store_id, id, event, event_id, body }: EventRow): Sql {
  return sql`
      insert into events (store_id, id, event, event_id, body, occurred_at, request_id)
      values (${store_id}, ${id}, ${event}, ${event_id}, ${body}, ${tx.now}, ${tx.cause.requestId})`
}

function insertDeliveries(tx: Tx, { store_id, id, event }: EventRow, rows: Sql): Sql {
  return sql`
      insert into deliveries (store_id, id, webhook_id, event_uuid, event, run_at, created_at)
      select ${store_id}, id, webhook_id, ${id}::uuid, ${event}, ${tx.now}::timestamptz, ${tx.now}::timestamptz
      from (${rows}) as receivers`
}

const receiver = (now: Date) => sql`webhooks.id as webhook_id, webhooks.url, webhooks.secret,
        case when webhooks.previous_secret_until > ${now} then webhooks.previous_secret end as previous_secret,
        webhooks.client_id, webhooks.paused_at is not null as is_paused,
        health.consecutive_failures > 0 as is_failing, health.claimed_by`

const healthOf = (storeId: string) => sql`
      join webhook_health as health on health.store_id = webhooks.store_id and health.webhook_id = webhooks.id
      where webhooks.store_id = ${storeId}
        and webhooks.is_active`

const receiversOf = ({ store_id, event }: EventRow) => sql`
      from webhooks
      ${healthOf(store_id)}
        and webhooks.events @> ${[event]}::text[]`

/** The same event for many records: one statement for all events, and one for their deliveries. */
export function emitAll<E extends string>(
  tx: Tx,
  store: EventStore,
  event: E,
  subjects: readonly { id: string; payload: Payload<E> }[],
): void {
  if (subjects.length === 0) return
  const position = emittedCounts.get(tx) ?? 0
  emittedCounts.set(tx, position + subjects.length)
  const rows = subjects.map(({ id, payload }, index) => ({
    id: newUuidAt(tx.now, position + index),
    event_id: id,
    body: buildEventBody(store, event, id, payload, tx.now),
  }))
  const newEvents = records('written', { id: 'uuid', event_id: 'text', body: 'text' }, rows)
  tx.later(sql`
    insert into events (store_id, id, event, event_id, body, occurred_at, request_id)
    select ${store.id}, id, ${event}, event_id, body, ${tx.now}::timestamptz, ${tx.cause.requestId}::text
    from ${newEvents}`)
  const enqueueing = tx.rows<{ webhook_id: string }>(sql`
    insert into deliveries (store_id, id, webhook_id, event_uuid, event, run_at, created_at)
    select ${store.id}, ${uuidAsOld(sql`event_uuid`)}, webhooks.id, event_uuid, ${event}, ${tx.now}::timestamptz,
      ${tx.now}::timestamptz
    from webhooks
    cross join unnest(${rows.map(({ id }) => id)}::uuid[]) as event_uuid
    where webhooks.store_id = ${store.id}
      and webhooks.is_active
      and webhooks.events @> ${[event]}::text[]
    returning webhook_id`)
  noteAgentOrders(
    tx,
    store.id,
    event,
    subjects.map(({ id }) => id),
  )
  callFollowers(tx, store, event, subjects)
  const numbering = Promise.all([enqueueing, ...rows.map(({ id }) => numberWithCommit(tx, store.id, id))])
  numbering.catch(() => {})
  tx.afterCommit(() => {
    void numbering.then(([deliveries, ...numbers]) => {
      tx.bus.publish(eventsCommitted, { storeId: store.id, isOwn: true, isUnnumbered: numbers.includes(null) })
      const webhookIds = [...new Set(deliveries.map(({ webhook_id }) => webhook_id))]
      if (webhookIds.length > 0) tx.bus.publish(deliveriesQueued, { storeId: store.id, webhookIds })
    })
  })
}

// Counts the events of a transaction, so that their IDs sort in order.
const emittedCounts = new WeakMap<Tx, number>()

/** SQL for a new uuid with the time of another one. A delivery has the time of its event, by which both are deleted. */
export function uuidAsOld(uuid: Sql): Sql {
  return sql`overlay(gen_random_uuid()::text placing left(${uuid}::text, 15) from 1)::uuid`
}

/** The exact body that receivers get. */
export function buildEventBody(
  store: EventStore,
  event: string,
  subjectId: string,
  payload: object,
  occurredAt: Date,
): string {
  return JSON.stringify({
    event_id: subjectId,
    occurred_at: occurredAt,
    ...withoutCredentials(payload),
    store: { id: store.id, ...(declaredEvent(event).namesStore ? { name: store.name } : {}), timezone: store.timezone },
  })
}

const personalParts = new Set(['customer', 'order', 'checkout', 'refund', 'comment'])
const freeTextFields = new Set([
  ...['name', 'shipping_address', 'custom_fields', 'reason', 'body'],
  ...['product_name', 'variant_name', 'title'],
])

/** Receivers get typed text, but card numbers and keys in it are masked, in each of its items too. */
function withoutCredentials(payload: object): object {
  return mapEntries(payload, (name, part) => (personalParts.has(name) ? maskPart(part) : part))
}

function maskPart(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(maskPart)
  if (typeof part !== 'object' || part === null || part instanceof Date) return part
  return mapEntries(part, (name, value) =>
    freeTextFields.has(name) ? maskEach(value, maskCredentials) : maskPart(value),
  )
}

function mapEntries(object: object, change: (name: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]))
}
