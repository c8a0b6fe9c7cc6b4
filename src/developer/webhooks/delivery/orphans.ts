// Deliveries that wait for webhooks that were deleted.
import { deleteRows } from '../../../kit/database/batches.ts'
import type { Tx } from '../../../kit/database/database.ts'
import { records, sql, type Sql } from '../../../kit/database/sql.ts'
import { waitingBehind, type ReceiverQueue } from './claim.ts'

export const deliveryKey = { store_id: 'text', webhook_id: 'uuid', id: 'uuid' }

/** Looks at the next receivers behind `cursor`, and answers the one to begin behind next time; null at the end. */
export async function dropOrphans(tx: Tx, cursor: string | null, size: number): Promise<string | null> {
  const { places, last } = await waitingBehind(tx, cursor)
  if (places.length === 0) return null
  const known = await tx.rows<{ id: string }>(sql`
    select webhooks.id
    from ${records('waiting', { store_id: 'text', webhook_id: 'uuid' }, places)}
    join webhooks on webhooks.store_id = waiting.store_id
      and webhooks.id = waiting.webhook_id`)
  const ids = new Set(known.map(({ id }) => id))
  const orphan = places.find(({ webhook_id }) => !ids.has(webhook_id))
  if (!orphan) return last?.webhook_id ?? null
  const found = await tx.rows<Record<string, unknown>>(waitingFor(orphan, size))
  deleteRows(tx, 'deliveries', deliveryKey, found)
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
