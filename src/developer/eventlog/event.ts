// Events as the log shows them, and the log's query parameters.
import { object } from '../../kit/declare/composites.ts'
import { derive, type JsonSchema } from '../../kit/declare/field.ts'
import { resource } from '../../kit/declare/resource.ts'
import { choice, id, integer, text, time } from '../../kit/declare/scalars.ts'
import { queryReader } from '../../kit/declare/shape.ts'
import { raw } from '../../kit/database/sql.ts'
import { reason } from '../../kit/values/faults.ts'
import { eventTypes, type EventType } from '../webhooks/events.ts'
import { bodySchemas, formatEventTitle } from '../webhooks/bodyschemas.ts'
import { logFaults } from './errors.ts'

const number = (min: number) => integer({ min, max: Number.MAX_SAFE_INTEGER })

/** Its queries join event_numbers: an event without a number is not in the log. */
// prettier-ignore
export const event = resource('events', {
  id:          id('evt').readonly(),
  sequence:    derive(number(1), raw('event_numbers.sequence'))
    .describe("Sequence number in the store's event log, in commit order without gaps"),
  event:       choice(eventTypes).readonly(),
  event_id:    text({ max: 64 }).readonly().describe('ID of the affected record'),
  occurred_at: time().readonly(),
  request_id:  text({ max: 128 }).nullable().readonly()
    .describe('X-Request-Id of the request that made the change'),
  body:        derive(object({}), raw('events.body')).nullable()
    .describe('Webhook payload; null if the plan lacks the event\'s feature'),
}, {}, { noun: 'Event' })

/** The event types as a union, discriminated by `event`. */
export const eventSchema: JsonSchema = {
  title: 'Event',
  description: 'Event of the store',
  oneOf: eventTypes.map(schemaOfType),
  discriminator: { propertyName: 'event' },
}

function schemaOfType(type: EventType): JsonSchema {
  const { properties, ...rest } = event.entity as { properties: Record<string, JsonSchema> }
  const { description } = properties.body!
  return {
    ...rest,
    title: `${formatEventTitle(type)} event`,
    description: `Event of type ${type}`,
    properties: {
      ...properties,
      event: { type: 'string', const: type, readOnly: true },
      body: { anyOf: [bodySchemas[type], { type: 'null' }], description, readOnly: true },
    },
  }
}

export const maxWaitSeconds = 30
const maxPageSize = 500

// prettier-ignore
export const feedQuery = queryReader({
  after: number(0).describe('Sequence number: returns later events. Defaults to the oldest retained event'),
  types: listOfTypes().describe('Event types to return, separated by commas'),
  limit: integer({ min: 1, max: maxPageSize }).default(100).describe('Maximum number of events'),
  wait:  integer({ min: 0, max: maxWaitSeconds }).default(0)
    .describe('Number of seconds to wait for an event if there is none (long polling)'),
})

function listOfTypes() {
  return text({ max: 500 })
    .example('order.created,order.updated')
    .rule((list) =>
      namesIn(list).every(isType) ? null : reason(logFaults.events_unknown, { choices: eventTypes.join(', ') }),
    )
    .becomes((list): EventType[] => namesIn(list).filter(isType))
}

function namesIn(list: string): string[] {
  return list.split(',')
}

function isType(name: string): name is EventType {
  return eventTypes.some((type) => type === name)
}

/** The part of a page beside its events: the next cursor and the newest number. */
export const logSchema: JsonSchema = {
  title: 'Log',
  type: 'object',
  properties: {
    next_after: { type: 'integer', minimum: 0, description: 'Value of `after` for the next page', examples: [1043] },
    oldest: { type: 'integer', minimum: 1, description: 'Oldest retained sequence number', examples: [1] },
    newest: { type: 'integer', minimum: 0, description: 'Newest sequence number', examples: [1043] },
  },
  required: ['next_after', 'oldest', 'newest'],
  additionalProperties: false,
}
