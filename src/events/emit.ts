// Events are written with the change that they tell of, in its transaction.
import type { Tx } from '../kit/database.ts'
import { newUuid } from '../kit/ids.ts'
import { sql } from '../kit/sql.ts'
import { announceQueued } from './queued.ts'

export const eventTypes = [
  'order.created', 'order.updated', 'order.cancelled', 'order.completed',
  'product.created', 'product.updated', 'product.deleted',
  'customer.created', 'customer.updated',
  'checkout.completed', 'checkout.abandoned',
] as const

export type EventType = (typeof eventTypes)[number]

// Whose body names the store, besides its id and time zone.
const namesStore = new Set<EventType>([
  'order.created', 'customer.created', 'customer.updated', 'checkout.completed', 'checkout.abandoned',
])

/** What an event says of its store. */
export type EventStore = { id: string; name: string; timezone: string }

/**
 * Writes one event and queues its deliveries to the store's active webhooks, in one statement. `subjectId` is the
 * public id of the affected entity, `payload` the body's part between occurred_at and store, e.g. `{ product: {…} }`.
 * The body is stored as the bytes that every receiver gets.
 */
export function emit(tx: Tx, store: EventStore, event: EventType, subjectId: string, payload: object): void {
  const id = newUuid()
  const body = bodyOf(store, event, subjectId, payload, tx.now)
  const queued = tx.rows<{ webhook_id: string }>(sql`
    with event as (
      insert into events (store_id, id, event, event_id, body, occurred_at)
      values (${store.id}, ${id}, ${event}, ${subjectId}, ${body}, ${tx.now})
    )
    insert into deliveries (store_id, id, webhook_id, event_uuid, event, run_at, created_at)
    select store_id, uuidv7(), id, ${id}, ${event}, ${tx.now}, ${tx.now}
    from webhooks
    where store_id = ${store.id}
      and is_active
      and events @> ${[event]}::text[]
    returning webhook_id`)
  // A failure fails the commit; here it only means that nobody need wake up.
  const webhooks = queued.then((rows) => rows.map(({ webhook_id }) => webhook_id), () => [])
  tx.afterCommit(() => void webhooks.then((ids) => ids.length > 0 && announceQueued(ids)))
}

/** The exact body that receivers get. */
export function bodyOf(
  store: EventStore, event: EventType, subjectId: string, payload: object, occurredAt: Date,
): string {
  return JSON.stringify({
    event_id: subjectId,
    occurred_at: occurredAt,
    ...payload,
    store: { id: store.id, ...(namesStore.has(event) ? { name: store.name } : {}), timezone: store.timezone },
  })
}
