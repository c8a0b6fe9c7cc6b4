// Events are written in the transaction of the change that they report.
import type { Tx } from '../../kit/database/database.ts'
import { maskCredentials, maskEach } from '../../kit/values/masking.ts'
import { newUuidAt } from '../../kit/values/ids.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { Payload } from './payload.ts'
import { deliveriesQueued, eventsCommitted } from './topics.ts'

// The first eleven are part of the contract. Webhooks receive later ones only if they name them.
export const eventTypes = [
  'order.created',
  'order.updated',
  'order.cancelled',
  'order.completed',
  'product.created',
  'product.updated',
  'product.deleted',
  'customer.created',
  'customer.updated',
  'checkout.completed',
  'checkout.abandoned',
  'order.fulfilled',
  'order.refunded',
] as const

export type EventType = (typeof eventTypes)[number]

/** An event: its type, the public ID of the affected record, and the payload. */
export type EventArguments = { [E in EventType]: [event: E, subjectId: string, payload: Payload<E>] }[EventType]

// The payloads of these events include the store's name beside its ID and time zone.
export const namesStore: ReadonlySet<EventType> = new Set<EventType>([
  'order.created',
  'customer.created',
  'customer.updated',
  'checkout.completed',
  'checkout.abandoned',
])

/** The store in payloads of events. */
export type EventStore = { id: string; name: string; timezone: string }

/**
 * Writes an event, which is numbered after the commit (number.ts), and queues its deliveries to active webhooks in the
 * same statement. `subjectId` is the public ID of the affected record, `payload` the part of the body between
 * occurred_at and store, e.g. `{ product: {…} }`. The body is stored as the exact bytes that all receivers get.
 */
export function emit(tx: Tx, store: EventStore, ...[event, subjectId, payload]: EventArguments): void {
  const position = emittedCounts.get(tx) ?? 0
  emittedCounts.set(tx, position + 1)
  const id = newUuidAt(tx.now, position)
  const body = bodyOf(store, event, subjectId, payload, tx.now)
  const queued = tx.rows<{ webhook_id: string }>(sql`
    with event as (
      insert into events (store_id, id, event, event_id, body, occurred_at, request_id)
      values (${store.id}, ${id}, ${event}, ${subjectId}, ${body}, ${tx.now}, ${tx.cause.requestId})
    ), unnumbered as (
      insert into unnumbered_events (store_id, event_uuid)
      values (${store.id}, ${id})
    )
    insert into deliveries (store_id, id, webhook_id, event_uuid, event, run_at, created_at)
    select ${store.id}, ${uuidAsOld(sql`${id}`)}, id, ${id}::uuid, ${event}, ${tx.now}::timestamptz,
      ${tx.now}::timestamptz
    from webhooks
    where store_id = ${store.id}
      and is_active
      and events @> ${[event]}::text[]
    returning webhook_id`)
  // An error also fails the commit; here it only means that there is nothing to announce.
  const webhooks = queued.then(
    (rows) => rows.map(({ webhook_id }) => webhook_id),
    () => [],
  )
  tx.afterCommit(() => {
    tx.bus.publish(eventsCommitted, { storeId: store.id, isOwn: true })
    void webhooks.then((webhookIds) => {
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
export function bodyOf(
  store: EventStore,
  event: EventType,
  subjectId: string,
  payload: object,
  occurredAt: Date,
): string {
  return JSON.stringify({
    event_id: subjectId,
    occurred_at: occurredAt,
    ...withoutCredentials(payload),
    store: { id: store.id, ...(namesStore.has(event) ? { name: store.name } : {}), timezone: store.timezone },
  })
}

const personalParts = new Set(['customer', 'order', 'checkout', 'refund'])
const freeTextFields = new Set(['name', 'shipping_address', 'custom_fields', 'reason'])

/** Receivers get typed text, but card numbers and keys in it are masked. */
function withoutCredentials(payload: object): object {
  const masked = (part: object) =>
    mapEntries(part, (name, value) => (freeTextFields.has(name) ? maskEach(value, maskCredentials) : value))
  return mapEntries(payload, (name, part) => (personalParts.has(name) ? masked(part as object) : part))
}

function mapEntries(object: object, change: (name: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]))
}
