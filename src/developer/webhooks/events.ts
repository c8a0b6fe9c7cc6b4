// Every event that is emitted, in the order of the reference.
import { groupBody, groupDeletedBody } from '../../commerce/customers/groups/payload.ts'
import { customerBody, mergedBody } from '../../commerce/customers/payload.ts'
import { draftOrderBody, draftOrderDeletedBody } from '../../commerce/draftorders/payload.ts'
import { fulfilledBody } from '../../commerce/fulfillments/payload.ts'
import { productBody, productDeletedBody } from '../../commerce/catalog/payload.ts'
import { commentedBody } from '../../commerce/orders/comments/payload.ts'
import { cancelledBody, completedBody, createdBody, updatedBody } from '../../commerce/orders/payload.ts'
import { refundedBody } from '../../commerce/orders/refunds/payload.ts'
import { returnBody } from '../../commerce/returns/payload.ts'
import { abandonedBody, completedBody as checkoutCompletedBody } from '../../storefront/checkout/cart/payload.ts'
import { redirectBody, redirectDeletedBody } from '../../storefront/redirects/payload.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults } from '../../kit/values/faults.ts'
import type { DeclaredEvent } from '../../tenancy/events/event.ts'
import { extensions } from '../../tenancy/extensions/loaded.ts'

// The first eleven are part of the contract. Webhooks receive later ones only if they name them.
const eventList = [
  ...[...createdBody.types, ...updatedBody.types, ...cancelledBody.types, ...completedBody.types],
  ...[...productBody.types, ...productDeletedBody.types, ...customerBody.types, ...mergedBody.types],
  ...[...checkoutCompletedBody.types, ...abandonedBody.types],
  ...[...fulfilledBody.types, ...refundedBody.types, ...commentedBody.types],
  ...[...draftOrderBody.types, ...draftOrderDeletedBody.types, ...returnBody.types],
  ...[...groupBody.types, ...groupDeletedBody.types, ...redirectBody.types, ...redirectDeletedBody.types],
]

export type EventType = (typeof eventList)[number]['type']

const wholeList = [
  ...eventList,
  ...extensions.flatMap(({ events = [] }) => events.flatMap(({ types }) => types as DeclaredEvent<EventType>[])),
]

export const eventTypes: readonly EventType[] = wholeList.map(({ type }) => type)

export const declaredEvents = Object.fromEntries(wholeList.map((event) => [event.type, event])) as Readonly<
  Record<EventType, DeclaredEvent<any>>
>

/** Null also for types of a newer build, or of an extension that is off. */
export function getEventFeature(type: string): DeclaredEvent['feature'] {
  return (declaredEvents as Partial<typeof declaredEvents>)[type as EventType]?.feature ?? null
}

/** The event type that an option of a command names. */
export function requireEventType(option: string, event: string): EventType {
  const type = eventTypes.find((each) => each === event)
  if (!type) throw invalid(fault(option, generalFaults.not_one_of, { choices: eventTypes.join(', ') }))
  return type
}
