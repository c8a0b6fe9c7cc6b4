// What Stoa sends, for the OpenAPI document: each event with its headers and an example.
import { bodyOf, eventTypes } from '../events/emit.ts'
import { samples } from './samples.ts'

const store = { id: 'AB-0123456X', name: 'Corner shop', timezone: 'America/Mexico_City' }
const at = new Date('2026-01-15T12:00:00.000Z')

// prettier-ignore
const headers = Object.entries({
  'X-Webhook-Id':        'The delivery; the same for every attempt at it',
  'X-Webhook-Timestamp': 'When it was signed, Unix seconds',
  'X-Webhook-Signature': 'hex(HMAC-SHA256(secret, timestamp + "." + body))',
  'X-Webhook-Event':     'The event',
  'X-Webhook-Sequence':  "The event's number in the log of the store; a test has none",
}).map(([name, description]) => {
  const required = name !== 'X-Webhook-Sequence'
  return { name, in: 'header', required, description, schema: { type: 'string' } }
})

/** Event → path item. */
export function sentRequests(): Record<string, object> {
  return Object.fromEntries(
    eventTypes.map((event) => {
      const { subjectId, payload } = samples[event]
      const example = JSON.parse(bodyOf(store, event, subjectId, payload, at)) as object
      const schema = { type: 'object', required: Object.keys(example) }
      return [
        event,
        {
          post: {
            operationId: `on${event
              .split('.')
              .map((word) => word[0]!.toUpperCase() + word.slice(1))
              .join('')}`,
            tags: ['Webhooks'],
            summary: event,
            parameters: headers,
            requestBody: { required: true, content: { 'application/json': { schema, example } } },
            responses: {
              '2XX': { description: 'Received. 3xx and 4xx are final; others are tried again after 1 and 2 seconds.' },
            },
          },
        },
      ]
    }),
  )
}
