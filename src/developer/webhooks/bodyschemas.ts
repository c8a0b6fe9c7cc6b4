// The body of each event as JSON Schema, from the declarations that write the bodies.
import type { JsonSchema } from '../../kit/declare/field.ts'
import { store } from '../../tenancy/stores/store.ts'
import { declaredEvents, eventTypes, type EventType } from './events.ts'

/** The name of an event in names of schemas and operations: order.created → Order created. */
export function formatEventTitle(event: EventType): string {
  const words = event.replace(/[._]/g, ' ')
  return words[0]!.toUpperCase() + words.slice(1)
}

function bodySchema(event: EventType): JsonSchema {
  const { properties, required } = declaredEvents[event].schema as { properties: object; required: string[] }
  return {
    title: `${formatEventTitle(event)} payload`,
    description: `Payload of ${event}`,
    type: 'object',
    properties: {
      event_id: { type: 'string', maxLength: 64, description: 'ID of the affected record' },
      occurred_at: { type: 'string', format: 'date-time', description: 'Time the event occurred' },
      ...properties,
      store: storeSchema(event),
    },
    required: ['event_id', 'occurred_at', ...required, 'store'],
  }
}

function storeSchema(event: EventType): JsonSchema {
  const { id, name, timezone } = store.fields
  const fields = { id, ...(declaredEvents[event].namesStore ? { name } : {}), timezone }
  return {
    type: 'object',
    description: 'Store of the event',
    properties: Object.fromEntries(
      Object.entries(fields).map(([field, { spec }]) => {
        const { default: _, ...schema } = spec.schema
        return [field, schema]
      }),
    ),
    required: Object.keys(fields),
  }
}

export const bodySchemas = Object.fromEntries(eventTypes.map((event) => [event, bodySchema(event)])) as Record<
  EventType,
  JsonSchema
>
