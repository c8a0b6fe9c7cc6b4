// A refund of an order, with its items.
import { list, many, object } from '../../../kit/declare/composites.ts'
import { derive, type Create } from '../../../kit/declare/field.ts'
import { resource } from '../../../kit/declare/resource.ts'
import { choice, flag, id, integer, money, text, time } from '../../../kit/declare/scalars.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { sql } from '../../../kit/database/sql.ts'
import { maxBundleItems } from '../../catalog/bundle.ts'
import { taxLines } from '../../tax/taxline.ts'
import { maxItems, partField } from '../item.ts'

// prettier-ignore
export const refundItem = resource('refund_items', {
  item_id:  id('item').readonly(),
  part:     derive(partField(), sql`nullif(refund_items.part, -1)`)
    .nullable()
    .describe('Part of a bundle, counted from 0; null for units of the whole item'),
  quantity: integer().readonly().example(2),
  returned: integer().readonly().describe('Refunded quantity that had already been shipped'),
  amount:   money().readonly().describe('Amount refunded for these units, including tax'),
  tax_amount: money().nullable().readonly().describe('Tax refunded for these units; null for older refunds'),
  tax_lines: taxLines().nullable().readonly().describe("This item's part of the refund's tax_lines"),
}, {}, { noun: 'Refund item', parent: { column: 'refund_id', order: 'refund_items.item_id, refund_items.part' } })

export type RefundItem = NonNullable<typeof refundItem.type>

const statuses = ['pending', 'succeeded', 'failed'] as const

export function refundReason(example: string) {
  return text({ min: 1, max: 500 })
    .nullable()
    .personal()
    .example(example)
    .describe('Reason for the refund, included in the email to the customer')
}

// prettier-ignore
export const refund = resource('refunds', {
  id:             id('ref').readonly(),
  order_id:       id('ord').readonly(),
  status:         choice(statuses).readonly().describe('Status; pending until the payment provider confirms it'),
  amount:         money({ above: 0, exact: true })
    .describe('Refunded amount; in a request, defaults to what the items and shipping cost, including tax'),
  shipping:       money({ exact: true })
    .describe('Part of the amount that is for shipping; defaults to everything left if the whole order is refunded'),
  overpayment:    money().readonly()
    .describe('Part of the amount that was paid beyond the total of an edited order; contains no tax'),
  tax_amount:     money().nullable().readonly()
    .describe('Tax portion of the refunded amount, included or added; null for older refunds'),
  shipping_tax_amount: money().nullable().readonly().describe('Part of tax_amount that is for shipping'),
  tax_lines:      taxLines().nullable().readonly()
    .describe("Refunded part of the order's tax_lines; type is order for an amount without items"),
  by_hand:        derive(flag(), sql`(refunds.session_id is null)`)
    .describe('Whether it was refunded outside the provider'),
  reason:         refundReason('Arrived damaged'),
  restock:        flag().default(true).describe('Whether to restock the items'),
  failure_reason: text().nullable().readonly().describe('Why the refund failed; null if it did not'),
  succeeded_at:   time().nullable().readonly().describe('Time the refund succeeded; null until then'),
  created_at:     time().readonly().sortable(),
  updated_at:     time().readonly(),
  items:          many<RefundItem>(refundItem),
}, {}, { noun: 'Refund' })

export type Refund = NonNullable<typeof refund.type>

// prettier-ignore
const piece = object({
  item_id:  id('item').required(),
  part:     partField().describe('Part of bundle, from 0'),
  quantity: integer({ min: 1, max: 1_000_000 }).required(),
  returned: integer({ min: 0, max: 1_000_000 })
    .describe('Quantity that had already been shipped; by default, unshipped units are refunded first'),
})

const newFields = {
  ...refund.fields,
  items: list(piece, { min: 1, max: maxItems }).describe(
    'Items to refund; without items, shipping and amount, everything left is refunded',
  ),
  by_hand: flag().describe('Whether the refund was made outside the payment provider'),
}

export type NewRefund = Create<typeof newFields>
export const newRefund = createBody(newFields)

const refundablePart = object({
  part: integer().required().describe('Part of the bundle, counted from 0'),
  quantity: integer().required().describe('Units of the part not yet refunded'),
  amount: money().required().describe('Price of these units after discount, including tax'),
})

// prettier-ignore
const refundableItem = object({
  item_id:  id('item').required(),
  quantity: integer().required().describe('Quantity not yet refunded'),
  amount:   money().required().describe('Price of these units after discount, including tax'),
  parts:    list(refundablePart, { max: maxBundleItems }).nullable().required()
    .describe('What is left of each part of a bundle, instead of or beyond whole units; null for other items'),
})

// prettier-ignore
const refundableFields = {
  amount:          money().readonly()
    .describe('Amount that can still be refunded: captured, and neither refunded nor pending'),
  overpayment:     money().readonly().describe('Part of the amount that was paid beyond the total of an edited order'),
  captured_amount: money().readonly().describe('Amount captured, before refunds'),
  refunded_amount: money().readonly().describe('Amount refunded'),
  pending_amount:  money().readonly().describe('Amount of pending refunds'),
  shipping:        money().readonly(),
  order_bumps:     money().readonly()
    .describe('Price of order bumps that are not products; refundable with an amount and no items'),
  items:           list(refundableItem, { max: maxItems }).readonly(),
}

/** The amounts of an order that can still be refunded. */
export const refundable = resource('orders', refundableFields, {}, { noun: 'Order', title: 'Refundable' })
