// Masks personal data in events when a person is erased. Purged checkouts need none of this: the purge comes 90 days
// after their end, and events are kept for 30.
import type { Tx } from '../../kit/database/database.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { personalNames } from '../../kit/declare/row.ts'
import { publicId } from '../../kit/values/ids.ts'
import { checkout } from '../../storefront/checkout/checkout.ts'
import { fulfillment } from '../../commerce/fulfillments/fulfillment.ts'
import { order } from '../../commerce/orders/order.ts'
import { orderComment } from '../../commerce/orders/comments/comment.ts'
import { refund } from '../../commerce/orders/refunds/refund.ts'
import { orderReturn } from '../../commerce/returns/return.ts'
import type { ErasedPerson } from '../../tenancy/tables/person.ts'

const parts = ['order', 'checkout', 'refund', 'fulfillment', 'comment', 'return'] as const

/** Members of an order, a checkout, a refund or a fulfillment that tell of a person, or lead to their checkout. */
const eventsAbout = [
  ...[order, checkout, refund, fulfillment, orderComment, orderReturn].flatMap(({ fields }) => personalNames(fields)),
  'recovery_url',
]

/**
 * Masks the bodies of the events about a customer, their orders and checkouts, and what receivers answered to them,
 * which may repeat it. What is sent again is masked as well; ids, amounts, items and the country stay.
 */
export async function eraseEvents(
  tx: Tx,
  storeId: string,
  { ids, orderIds, checkoutIds }: ErasedPerson,
): Promise<void> {
  const subjectIds = [
    ...ids.map((uuid) => publicId('cus', uuid)),
    ...orderIds.map((uuid) => publicId('ord', uuid)),
    ...checkoutIds.map((uuid) => publicId('chk', uuid)),
  ]
  const events = await tx.rows<{ id: string; body: string }>(sql`
    select id, body
    from events
    where store_id = ${storeId}
      and event_id = any(${subjectIds}::text[])
    for update`)
  const masked = sql`unnest(${events.map((event) => event.id)}::uuid[],
      ${events.map(({ body }) => JSON.stringify(maskBody(JSON.parse(body))))}::text[]) as masked (id, body)`
  tx.later(sql`
    update events
    set body = masked.body
    from ${masked}
    where events.store_id = ${storeId}
      and events.id = masked.id`)
  const answers = await tx.rows<{ id: string }>(sql`
    update deliveries
    set response_body = null, is_masked = true
    from unnest(${events.map((event) => event.id)}::uuid[]) as masked (id)
    join webhooks on webhooks.store_id = ${storeId}
    where deliveries.store_id = ${storeId}
      and deliveries.webhook_id = webhooks.id
      and deliveries.id between ${edge('00000000-0000-0000-0000-000000000000')}
        and ${edge('ffffffff-ffff-ffff-ffff-ffffffffffff')}
      and deliveries.event_uuid = masked.id
    returning deliveries.id`)
  tx.later(sql`
    update attempts
    set response_body = null
    where store_id = ${storeId}
      and delivery_id = any(${answers.map((answer) => answer.id)}::uuid[])`)
}

/** A delivery's id begins with the time of its event, as the event's id does. */
function edge(uuid: string): Sql {
  return sql`overlay(${uuid}::text placing left(masked.id::text, 13) from 1)::uuid`
}

type Members = Record<string, unknown>

function maskBody(body: Members): Members {
  const customer = isObject(body.customer) ? { customer: maskExcept(body.customer, 'id') } : {}
  const masked = parts.flatMap((part) => (isObject(body[part]) ? [[part, maskPart(body[part])]] : []))
  return { ...body, ...customer, ...Object.fromEntries(masked) }
}

function maskPart(part: Members): Members {
  return mapMembers(part, (name, value) => {
    if (!eventsAbout.includes(name)) return value
    if (name === 'custom_fields') return []
    return isObject(value) ? maskExcept(value, 'country') : null
  })
}

/** Members are null but for one. */
function maskExcept(object: Members, unmasked: string): Members {
  return mapMembers(object, (name, value) => (name === unmasked ? value : null))
}

function mapMembers(object: Members, change: (name: string, value: unknown) => unknown): Members {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(name, value)]))
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
