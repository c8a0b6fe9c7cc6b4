// Masks personal data in events when a person is erased. Purged checkouts need none of this: the purge comes 90 days
// after their end, and events are kept for 30.
import type { Tx } from '../../kit/database/database.ts'
import { join, sql, type Sql } from '../../kit/database/sql.ts'
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
export function eraseEvents(tx: Tx, storeId: string, { id, orderIds, checkoutIds }: ErasedPerson): void {
  const subjectIds = [
    publicId('cus', id),
    ...orderIds.map((uuid) => publicId('ord', uuid)),
    ...checkoutIds.map((uuid) => publicId('chk', uuid)),
  ]
  tx.later(sql`
    with masked as (
      update events
      set body = (old.told || ${buildJsonMember('customer', maskExcept(sql`old.told -> 'customer'`, 'id'))}
        || ${join(
          parts.map((part) => buildJsonMember(part, buildMaskedPart(sql`old.told -> ${part}::text`))),
          '\n        || ',
        )})::text
      from (
        select id, body::jsonb as told
        from events
        where store_id = ${storeId}
          and event_id = any(${subjectIds}::text[])
        for update) as old
      where events.store_id = ${storeId}
        and events.id = old.id
      returning events.id
    ), answered as (
      update deliveries
      set response_body = null, is_masked = true
      from masked
      join webhooks on webhooks.store_id = ${storeId}
      where deliveries.store_id = ${storeId}
        and deliveries.webhook_id = webhooks.id
        and deliveries.id between ${edge('00000000-0000-0000-0000-000000000000')}
          and ${edge('ffffffff-ffff-ffff-ffff-ffffffffffff')}
        and deliveries.event_uuid = masked.id
      returning deliveries.id
    )
    update attempts
    set response_body = null
    from answered
    where attempts.store_id = ${storeId}
      and attempts.delivery_id = answered.id`)
}

/** A delivery's id begins with the time of its event, as the event's id does. */
function edge(uuid: string): Sql {
  return sql`overlay(${uuid}::text placing left(masked.id::text, 13) from 1)::uuid`
}

function buildJsonMember(name: string, value: Sql): Sql {
  return sql`case when old.told ? ${name}::text then jsonb_build_object(${name}::text, ${value}) else '{}' end`
}

/** An object whose members are null but for one. */
function maskExcept(object: Sql, path: string): Sql {
  return sql`(
          select jsonb_object_agg(key, case when key = ${path} then value else 'null' end)
          from jsonb_each(${object}))`
}

function buildMaskedPart(part: Sql): Sql {
  return sql`(${part}) || (
          select coalesce(jsonb_object_agg(key, case
            when key = 'custom_fields' then '[]'
            when jsonb_typeof(value) = 'object' then ${maskExcept(sql`value`, 'country')}
            else 'null' end), '{}')
          from jsonb_each(${part})
          where key = any(${eventsAbout}::text[]))`
}
