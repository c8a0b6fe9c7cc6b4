// The webhooks section of the OpenAPI document: each event with its headers, body and an example.
import { buildEventBody } from '../../tenancy/events/emit.ts'
import { type EventType, eventTypes, declaredEvents } from './events.ts'
import type { JsonSchema } from '../../kit/declare/field.ts'
import { bodySchemas, formatEventTitle } from './bodyschemas.ts'

const store = { id: 'AB-0123456X', name: 'Corner shop', timezone: 'America/Mexico_City' }
const exampleTime = new Date('2026-01-15T12:00:00.000Z')

export type SentRequest = { name: string; operation: object; body: JsonSchema; example: object }

/** A request for each event. `operation` lacks its body. */
export function sentRequests(): SentRequest[] {
  return eventTypes.map((event) => {
    const { subjectId, payload } = declaredEvents[event].sample
    const title = formatEventTitle(event)
    return {
      name: event,
      operation: {
        operationId: `on${title
          .split(' ')
          .map((word) => word[0]!.toUpperCase() + word.slice(1))
          .join('')}`,
        tags: ['Webhooks'],
        summary: title,
        description: `Sent to webhooks with \`${event}\` in their \`events\`.`,
        security: [],
        parameters: buildHeaderParameters(event),
        responses: {
          '2XX': {
            description: 'The delivery succeeded. 5xx responses and network errors are retried after 1 and 2 seconds.',
          },
          '4XX': { description: 'The delivery failed and is not retried. 410 disables the webhook.' },
        },
      },
      body: bodySchemas[event],
      example: JSON.parse(buildEventBody(store, event, subjectId, payload, exampleTime)) as object,
    }
  })
}

// prettier-ignore
function buildHeaderParameters(event: EventType): object[] {
  const text = { type: 'string' }
  const headers: [name: string, description: string, schema: object, example: string][] = [
    ['X-Webhook-Id',        'ID of the delivery, the same for every attempt', text, 'dlv_01j4ppgy1yf81r8stpc70j8epm'],
    ['X-Webhook-Timestamp', 'Time the request was signed, in Unix seconds', text, '1768478400'],
    ['X-Webhook-Signature', 'hex(HMAC-SHA256(secret, timestamp + "." + body))', text, 'c0ffee'.padEnd(64, '0')],
    ['X-Webhook-Event',     'Event type', { ...text, const: event }, event],
    ['X-Webhook-Sequence',  "Sequence number in the store's event log; not sent with test events", text, '1043'],
  ]
  return headers.map(([name, description, schema, example]) => {
    const isRequired = name !== 'X-Webhook-Sequence'
    return { name, in: 'header', required: isRequired, description, schema, example }
  })
}
