// Events are written with the change that they tell of, in its transaction.
import type { Tx } from '../kit/database.ts'
import { newUuid } from '../kit/ids.ts'
import { sql } from '../kit/sql.ts'

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
 * Writes one event. `subjectId` is the public id of the affected entity, `payload` the body's part between occurred_at
 * and store, e.g. `{ product: {…} }`. The body is stored as the bytes that every receiver gets.
 */
export function emit(tx: Tx, store: EventStore, event: EventType, subjectId: string, payload: object): void {
  const body = JSON.stringify({
    event_id: subjectId,
    occurred_at: tx.now,
    ...payload,
    store: { id: store.id, ...(namesStore.has(event) ? { name: store.name } : {}), timezone: store.timezone },
  })
  tx.later(sql`
    insert into events (store_id, id, event, event_id, body, occurred_at)
    values (${store.id}, ${newUuid()}, ${event}, ${subjectId}, ${body}, ${tx.now})`)
}
