// Events about one record, and their deliveries to each receiver.
import type { Db } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { publicId } from '../../kit/values/ids.ts'
import type { EventType } from '../webhooks/events.ts'

export type RecordEvent = {
  event: EventType
  occurred_at: Date
  deliveries: { id: string; webhook_id: string; host: string; status: DeliveryState }[]
}
type DeliveryState = 'pending' | 'held' | 'delivered' | 'failed' | 'skipped'

const maxEvents = 100

/** The newest first, of the last 30 days. `id` is a public one. */
export async function eventsAbout(db: Db, storeId: string, id: string): Promise<RecordEvent[]> {
  const rows = await db.rows<RecordEvent>(sql`
    select event, occurred_at, (
        select coalesce(json_agg(json_build_object('id', sent.id, 'webhook_id', sent.webhook_id, 'host', webhooks.url,
          'status', sent.status) order by sent.id), '[]')
        from webhooks
        join deliveries as sent on sent.store_id = ${storeId}
          and sent.webhook_id = webhooks.id
          and sent.id between ${edge('00000000-0000-0000-0000-000000000000')}
            and ${edge('ffffffff-ffff-ffff-ffff-ffffffffffff')}
          and sent.event_uuid = told.id
        where webhooks.store_id = ${storeId}) as deliveries
    from (
      select id, event, occurred_at
      from events
      where store_id = ${storeId}
        and event_id = ${id}
        and webhook_id is null
      order by id desc
      limit ${maxEvents}) as told
    order by told.id desc`)
  return rows.map(({ deliveries, ...told }) => ({
    ...told,
    deliveries: deliveries.map(({ id: delivery, webhook_id, host, status }) => ({
      id: publicId('dlv', delivery),
      webhook_id: publicId('wh', webhook_id),
      host: URL.parse(host)?.host ?? host,
      status,
    })),
  }))
}

/** A delivery's id begins with the time of its event, as the event's id does. */
function edge(uuid: string): Sql {
  return sql`overlay(${uuid}::text placing left(told.id::text, 13) from 1)::uuid`
}
