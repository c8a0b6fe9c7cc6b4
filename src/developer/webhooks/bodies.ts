// The body of each event as JSON Schema, from the declarations that write the bodies.
import type { JsonSchema } from '../../kit/declare/field.ts'
import { store } from '../../tenancy/stores/store.ts'
import { abandonedBody, completedBody as checkoutCompletedBody } from '../../storefront/checkout/cart/payload.ts'
import { groupBody, groupDeletedBody } from '../../commerce/customers/groups/payload.ts'
import { customerBody } from '../../commerce/customers/payload.ts'
import { eventTypes, namesStore, type EventType } from '../../tenancy/events/emit.ts'
import type { PayloadOf } from '../../tenancy/events/payload.ts'
import { fulfilledBody } from '../../commerce/fulfillments/payload.ts'
import { productBody, productDeletedBody } from '../../commerce/inventory/payload.ts'
import { draftOrderBody, draftOrderDeletedBody } from '../../commerce/draftorders/payload.ts'
import { cancelledBody, completedBody, createdBody, updatedBody } from '../../commerce/orders/payload.ts'
import { commentedBody } from '../../commerce/orders/comments/payload.ts'
import { refundedBody } from '../../commerce/orders/refunds/payload.ts'
import { returnBody } from '../../commerce/returns/payload.ts'
import { redirectBody, redirectDeletedBody } from '../../storefront/redirects/payload.ts'

// prettier-ignore
export const payloads = {
  'order.created':      createdBody,
  'order.updated':      updatedBody,
  'order.cancelled':    cancelledBody,
  'order.completed':    completedBody,
  'product.created':    productBody,
  'product.updated':    productBody,
  'product.deleted':    productDeletedBody,
  'customer.created':   customerBody,
  'customer.updated':   customerBody,
  'checkout.completed': checkoutCompletedBody,
  'checkout.abandoned': abandonedBody,
  'order.fulfilled':    fulfilledBody,
  'order.refunded':     refundedBody,
  'order.commented':    commentedBody,
  'draft_order.created':   draftOrderBody,
  'draft_order.updated':   draftOrderBody,
  'draft_order.sent':      draftOrderBody,
  'draft_order.completed': draftOrderBody,
  'draft_order.deleted':   draftOrderDeletedBody,
  'return.created':     returnBody,
  'return.approved':    returnBody,
  'return.declined':    returnBody,
  'return.received':    returnBody,
  'return.refunded':    returnBody,
  'return.exchanged':   returnBody,
  'return.closed':      returnBody,
  'return.cancelled':   returnBody,
  'return.reopened':    returnBody,
  'customer_group.created': groupBody,
  'customer_group.updated': groupBody,
  'customer_group.deleted': groupDeletedBody,
  'redirect.created': redirectBody,
  'redirect.updated': redirectBody,
  'redirect.deleted': redirectDeletedBody,
} satisfies { [E in EventType]: PayloadOf<E> }

/** The name of an event in names of schemas and operations: order.created → Order created. */
export function titleOf(event: EventType): string {
  const words = event.replace(/[._]/g, ' ')
  return words[0]!.toUpperCase() + words.slice(1)
}

function bodySchema(event: EventType): JsonSchema {
  const { properties, required } = payloads[event].schema as { properties: object; required: string[] }
  return {
    title: `${titleOf(event)} payload`,
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
  const fields = { id, ...(namesStore.has(event) ? { name } : {}), timezone }
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
