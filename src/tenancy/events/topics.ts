// Topics about committed events and their deliveries.
import type { Topic } from '../../kit/database/bus.ts'

/**
 * `storeId` is null when any store may have written. `isOwn`: this process wrote, so others do not know yet.
 * `isUnnumbered`: the commit left events without a number.
 */
export const eventsCommitted: Topic<{ storeId: string | null; isOwn: boolean; isUnnumbered?: boolean }> = {
  name: 'events committed',
}

/** A delivery of an event that was just committed, with the state of its receiver when it was queued. */
export type QueuedDelivery = {
  webhook_id: string
  id: string
  url: string
  secret: string
  previous_secret: string | null
  /** The app that made the webhook. */
  client_id: string | null
  is_paused: boolean
  is_failing: boolean
  /** The worker that the receiver belongs to. */
  claimed_by: number | null
}

/** The event of queued deliveries. */
export type QueuedEvent = {
  event: string
  body: string
  sequence: number | null
  /** The time before it was written. */
  at: Date
  deliveries: QueuedDelivery[]
}

/** Without `queued`, the deliveries are in the database only. */
export const deliveriesQueued: Topic<{ storeId: string; webhookIds: readonly string[]; queued?: QueuedEvent }> = {
  name: 'deliveries queued',
}
