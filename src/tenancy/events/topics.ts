// Topics about committed events and their deliveries.
import type { Topic } from '../../kit/database/bus.ts'

/** `storeId` is null when any store may have written. `isOwn`: this process wrote, so others do not know yet. */
export const eventsCommitted: Topic<{ storeId: string | null; isOwn: boolean }> = { name: 'events committed' }

export const deliveriesQueued: Topic<{ storeId: string; webhookIds: readonly string[] }> = { name: 'deliveries queued' }
