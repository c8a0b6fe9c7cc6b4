// The log of events as a list with the newest first, for people who look for one; programs read it in order.
import { derive } from '../../kit/declare/field.ts'
import { filter, maxCounted, resource } from '../../kit/declare/resource.ts'
import { choice, id, integer, text, time } from '../../kit/declare/scalars.ts'
import { sql, bindStore } from '../../kit/database/sql.ts'
import { firstUuidAt } from '../../kit/values/ids.ts'
import { eventTypes } from '../webhooks/events.ts'

// prettier-ignore
const fields = {
  id:          id('evt').readonly(),
  sequence:    derive(integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), sql`(
    select sequence from event_numbers
    where event_numbers.store_id = ${bindStore('events.store_id')}
      and event_numbers.event_uuid = events.id)`).nullable().describe('Sequence number in the event log'),
  event:       choice(eventTypes).readonly(),
  event_id:    text({ max: 64 }).readonly(),
  request_id:  text({ max: 128 }).nullable().readonly(),
  occurred_at: time().readonly().sortable('id'),
}

// prettier-ignore
export const loggedEvent = resource('events', fields, {
  event:       filter(choice(eventTypes), (event) => sql`events.event = ${event}`),
  event_id:    filter(text({ max: 64 }), (id) => sql`events.event_id = ${id}`),
  from:        filter(time(), (from) => sql`events.id >= ${firstUuidAt(from)}`),
  to:          filter(time(), (to) => sql`events.id < ${firstUuidAt(new Date(to.getTime() + 1))}`),
}, { noun: 'Event', countsUpTo: maxCounted, defaultSort: 'occurred_at' })

/** Contains the exact bytes that receivers get. */
export const wholeEvent = resource(
  'events',
  { ...fields, body: text().readonly().describe('Body of the request') },
  {},
  { noun: 'Event' },
)

/** Tests of a webhook are not in the log. */
export const isOfLog = sql`events.webhook_id is null`
