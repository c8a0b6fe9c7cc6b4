// An event as the log shows it, and what the log can be asked for.
import { object } from '../kit/declare/composites.ts'
import { derived, type JsonSchema } from '../kit/declare/field.ts'
import { resource } from '../kit/declare/resource.ts'
import { choice, id, integer, text, time } from '../kit/declare/scalars.ts'
import { queryReader } from '../kit/declare/shape.ts'
import { raw } from '../kit/database/sql.ts'
import { reason } from '../kit/values/faults.ts'
import { eventTypes, type EventType } from '../events/emit.ts'

const number = (min: number) => integer({ min, max: Number.MAX_SAFE_INTEGER })

/** Its queries join event_numbers: what has no number is not in the log. */
// prettier-ignore
export const event = resource('events', {
  id:          id('evt').readonly(),
  sequence:    derived(number(1), raw('event_numbers.sequence'))
    .describe('Its number in the log of the store: 1, 2, 3 and so on, in the order in which changes were committed'),
  event:       choice(eventTypes).readonly(),
  event_id:    text({ max: 64 }).readonly().describe('The id of what the event is about'),
  occurred_at: time().readonly(),
  request_id:  text({ max: 128 }).nullable().readonly()
    .describe('The X-Request-Id of the request that made the change'),
  body:        derived(object({}), raw('events.body')).nullable()
    .describe('What webhooks get; null while the plan of the store lacks the feature of the event'),
}, {}, { noun: 'Event' })

export const largestWait = 30
const largestPage = 500

// prettier-ignore
export const feedQuery = queryReader({
  after: number(0).describe('Only events with a higher number; without it, from the oldest that is kept'),
  types: listOfTypes().describe('Only these, with commas between'),
  limit: integer({ min: 1, max: largestPage }).default(100).describe('Events at most'),
  wait:  integer({ min: 0, max: largestWait }).default(0)
    .describe('Seconds to wait for an event when there is none: the answer comes with the first one'),
})

function listOfTypes() {
  return text({ max: 500 })
    .example('order.created,order.updated')
    .rule((list) => (namesIn(list).every(isType) ? null : reason('events_unknown', { choices: eventTypes.join(', ') })))
    .becomes((list): EventType[] => namesIn(list).filter(isType))
}

function namesIn(list: string): string[] {
  return list.split(',')
}

function isType(name: string): name is EventType {
  return eventTypes.some((type) => type === name)
}

/** What stands beside a page of the log: where to go on, and how far the log reaches. */
export const logSchema: JsonSchema = {
  title: 'Log',
  type: 'object',
  properties: {
    next_after: { type: 'integer', minimum: 0, description: '`after` of the next request', examples: [1043] },
    oldest: { type: 'integer', minimum: 1, description: 'The oldest number that is kept', examples: [1] },
    newest: { type: 'integer', minimum: 0, description: 'The newest number', examples: [1043] },
  },
  required: ['next_after', 'oldest', 'newest'],
  additionalProperties: false,
}
