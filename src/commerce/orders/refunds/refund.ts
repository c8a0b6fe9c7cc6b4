// Money of an order that goes back, and the pieces that it is for.
import { list, many, object } from '../../../kit/declare/composites.ts'
import { derived, type Create } from '../../../kit/declare/field.ts'
import { resource } from '../../../kit/declare/resource.ts'
import { choice, flag, id, integer, money, text, time } from '../../../kit/declare/scalars.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { sql } from '../../../kit/database/sql.ts'
import { taxLines } from '../../tax/taxline.ts'
import { maxItems } from '../item.ts'

// prettier-ignore
export const refundItem = resource('refund_items', {
  item_id:  id('item').readonly(),
  quantity: integer().readonly().example(2),
  returned: integer().readonly().describe('Of these, pieces that had been sent'),
  amount:   money().readonly().describe('What these pieces have cost, after discount and tax'),
  tax_amount: money().nullable().readonly().describe('The tax that goes back with them; null in older refunds'),
  tax_lines: taxLines().nullable().readonly().describe('The refund\'s tax_lines of this item'),
}, {}, { noun: 'Refund item', parent: { column: 'refund_id', order: 'refund_items.item_id' } })

export type RefundItem = NonNullable<typeof refundItem.type>

const statuses = ['pending', 'succeeded', 'failed'] as const

// prettier-ignore
export const refund = resource('refunds', {
  id:             id('ref').readonly(),
  order_id:       id('ord').readonly(),
  status:         choice(statuses).readonly().describe('pending until the provider has said that the money goes back'),
  amount:         money({ above: 0, exact: true }).describe('What items and shipping have cost, unless less is given'),
  shipping:       money({ exact: true })
    .describe('Of the amount, what is for shipping. Without items and amount, all that is left'),
  tax_amount:     money().nullable().readonly()
    .describe('Of the amount, what is tax, added or in the prices; null in refunds that are older than this field'),
  shipping_tax_amount: money().nullable().readonly().describe('Of tax_amount, what is for shipping'),
  tax_lines:      taxLines().nullable().readonly()
    .describe('The order\'s tax_lines as far as they go back; those of a free amount have the type order'),
  by_hand:        derived(flag(), sql`(refunds.session_id is null)`),
  reason:         text({ min: 1, max: 500 }).nullable().personal().example('Came back broken')
    .describe('The email to the customer says it'),
  restock:        flag().default(true).describe('Whether the pieces go back into stock'),
  failure_reason: text().nullable().readonly(),
  succeeded_at:   time().nullable().readonly(),
  created_at:     time().readonly().sortable(),
  updated_at:     time().readonly(),
  items:          many<RefundItem>(refundItem),
}, {}, { noun: 'Refund' })

export type Refund = NonNullable<typeof refund.type>

// prettier-ignore
const piece = object({
  item_id:  id('item').required(),
  quantity: integer({ min: 1, max: 1_000_000 }).required(),
  returned: integer({ min: 0, max: 1_000_000 })
    .describe('Of these, pieces that had been sent; unless given, as few as can be: what is left is not sent any more'),
})

const newFields = {
  ...refund.fields,
  items: list(piece, { min: 1, max: maxItems }).describe('Without items, shipping and amount: all that is left'),
  by_hand: flag().describe('true: the money went back by hand, whichever way it was paid'),
}

export type NewRefund = Create<typeof newFields>
export const newRefund = createBody(newFields)

// prettier-ignore
const refundableItem = object({
  item_id:  id('item').required(),
  quantity: integer().required().describe('Pieces that were not refunded yet'),
  amount:   money().required().describe('What these have cost, after discount and tax'),
})

// prettier-ignore
const refundableFields = {
  amount:          money().readonly()
    .describe('The most that can go back: what was captured and is neither back nor on its way'),
  captured_amount: money().readonly(),
  refunded_amount: money().readonly(),
  pending_amount:  money().readonly().describe('On its way back'),
  shipping:        money().readonly(),
  order_bumps:     money().readonly().describe('Offers that are no products; a free amount gives them back'),
  items:           list(refundableItem, { max: maxItems }).readonly(),
}

/** What of an order can still go back, part by part. */
export const refundable = resource('orders', refundableFields, {}, { noun: 'Order', title: 'Refundable' })
