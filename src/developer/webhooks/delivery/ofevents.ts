// The deliveries of events, each with all attempts at it.
import type { Db } from '../../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../../kit/database/sql.ts'
import { publicId } from '../../../kit/values/ids.ts'
import { isHeld } from './log.ts'

type AttemptFact = { attempt: number; at: Date; duration_ms: number; status_code: number | null; error: string | null }

export type DeliveryFact = {
  id: string
  webhook_id: string
  url: string
  status: string
  error: string | null
  next_attempt_at: Date | null
  attempts: AttemptFact[]
}

const maxDeliveries = 200
const maxAttempts = 600

type DeliveryRow = DeliveryFact & { event_uuid: string }

/** A delivery's ID begins with the time of its event, so each webhook's deliveries are found by their key. */
export async function listEventDeliveries(
  db: Db,
  storeId: string,
  eventIds: readonly string[],
): Promise<DeliveryRow[]> {
  const rows = await db.rows<DeliveryRow>(sql`
    select deliveries.id, deliveries.event_uuid, deliveries.webhook_id, webhooks.url, deliveries.error,
      case when ${isHeld} then 'held' else deliveries.status end as status,
      case when deliveries.status = 'pending' then deliveries.run_at end as next_attempt_at
    from unnest(${eventIds}::uuid[]) as wanted (id)
    join webhooks on webhooks.store_id = ${storeId}
    join deliveries on deliveries.store_id = ${storeId}
      and deliveries.webhook_id = webhooks.id
      and deliveries.id between ${edge('00000000-0000-0000-0000-000000000000')}
        and ${edge('ffffffff-ffff-ffff-ffff-ffffffffffff')}
      and deliveries.event_uuid = wanted.id
    order by deliveries.id
    limit ${raw(String(maxDeliveries))}`)
  const attempts = rows.length > 0 ? await listDeliveryAttempts(db, storeId, rows) : new Map()
  return rows.map((row) => ({
    ...row,
    id: publicId('dlv', row.id),
    webhook_id: publicId('wh', row.webhook_id),
    attempts: attempts.get(row.id) ?? [],
  }))
}

function edge(uuid: string): Sql {
  return sql`overlay(${uuid}::text placing left(wanted.id::text, 13) from 1)::uuid`
}

/** Attempts of each delivery, oldest first. The latest is in the delivery's own row. */
async function listDeliveryAttempts(
  db: Db,
  storeId: string,
  deliveries: readonly { id: string; webhook_id: string }[],
): Promise<Map<string, AttemptFact[]>> {
  const [webhooks, ids] = [deliveries.map(({ webhook_id }) => webhook_id), deliveries.map(({ id }) => id)]
  const rows = await db.rows<AttemptFact & { delivery_id: string }>(sql`
    select made.*
    from unnest(${webhooks}::uuid[], ${ids}::uuid[]) as wanted (webhook_id, id)
    cross join lateral (
      select id as delivery_id, attempts as attempt, attempted_at as at, duration_ms, status_code, error
      from deliveries
      where store_id = ${storeId}
        and deliveries.webhook_id = wanted.webhook_id
        and deliveries.id = wanted.id
        and attempted_at is not null
      union all
      select delivery_id, attempt, at, duration_ms, status_code, error
      from attempts
      where store_id = ${storeId}
        and delivery_id = wanted.id) as made
    order by made.delivery_id, made.attempt
    limit ${raw(String(maxAttempts))}`)
  const byDelivery = Map.groupBy(rows, ({ delivery_id }) => delivery_id)
  return new Map(
    [...byDelivery].map(
      ([id, attempts]) => [id, attempts.map(({ delivery_id: _delivery, ...attempt }) => attempt)] as const,
    ),
  )
}
