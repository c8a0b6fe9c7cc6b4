import { sql } from '../../kit/database/sql.ts'
import { table } from '../tables/table.ts'

const eventLog = { audit: 'what follows from events', unforked: 'the fork has its own event log' }

export const eventLogs = table('event_logs', eventLog)
export const eventNumbers = table('event_numbers', {
  ...eventLog,
  rules: [
    {
      name: 'event sequence numbers have no gaps and end at the counter',
      broken: sql`
      select store_id, format('%s events up to %s', count(number), max(number)) as wrong
      from (
        select store_id, last as newest, null as number from event_logs
        union all
        select store_id, null, sequence from event_numbers
      ) as numbers
      group by store_id
      having count(number) <> max(number) - min(number) + 1
        or max(number) <> max(newest)`,
    },
    {
      name: 'every event has a sequence number or waits for one',
      broken: sql`
      select store_id, id::text as wrong
      from (
        select store_id, id, 1 as events, 0 as places from events where webhook_id is null
        union all
        select store_id, event_uuid, 0, 1 from event_numbers
        union all
        select store_id, event_uuid, 0, 1 from unnumbered_events
      ) as both_sides
      group by store_id, id
      having sum(events) <> sum(places)`,
    },
  ],
})
export const unnumberedEvents = table('unnumbered_events', eventLog)

export const agentOrders = table('agent_orders', {
  audit: 'what follows from checkouts and events',
  unforked: 'agents of the original',
})
