// Events are written with the change that they tell of, in its transaction.
import type { Tx } from '../../kit/database/database.ts'
import { maskCredentials, maskEach } from '../../kit/values/masking.ts'
import { newUuidAt } from '../../kit/values/ids.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import type { Payload } from './payload.ts'
import { deliveriesQueued, eventsCommitted } from './topics.ts'

// The contract's eleven, and then additions, which only who names them gets.
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

/** An event: its type, the public id of what it is about, and what its body says of that. */
export type EventArguments = { [E in EventType]: [event: E, subjectId: string, payload: Payload<E>] }[EventType]

// Their bodies contain the store's name besides its id and time zone.
export const namesStore: ReadonlySet<EventType> = new Set<EventType>([
  'order.created',
  'customer.created',
  'customer.updated',
  'checkout.completed',
  'checkout.abandoned',
])

/** The store, as bodies of events show it. */
export type EventStore = { id: string; name: string; timezone: string }

/**
 * Writes one event, whoever wants it, to be numbered once it is committed (number.ts), and queues its deliveries to the
 * active webhooks that want it, in one statement. `subjectId` is the public id of the affected entity, `payload` the
 * body's part between occurred_at and store, e.g. `{ product: {…} }`. The body is stored as the bytes that every
 * receiver gets.
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
  // A failure fails the commit; here it only means that nobody need wake up.
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

// How many events a transaction has emitted: their ids sort as they happened.
const emittedCounts = new WeakMap<Tx, number>()

/** SQL for a new uuid with the time that is in another: a delivery has its event's, by which both are dropped. */
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

/** Texts that people typed go to every receiver, but card numbers and keys in them are masked. */
function withoutCredentials(payload: object): object {
  const masked = (part: object) =>
    mapEntries(part, (name, value) => (freeTextFields.has(name) ? maskEach(value, maskCredentials) : value))
  return mapEntries(payload, (name, part) => (personalParts.has(name) ? masked(part as object) : part))
}

function mapEntries(object: object, change: (name: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]))
}
