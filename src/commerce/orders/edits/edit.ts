// The body of an edit: items and amounts of an order that has been placed.
import { list, object } from '../../../kit/declare/composites.ts'
import type { Create } from '../../../kit/declare/field.ts'
import { flag, id, integer, money, uuid } from '../../../kit/declare/scalars.ts'
import { createBody } from '../../../kit/declare/shape.ts'
import { discountCodes } from '../../discounts/codes.ts'
import { lineFields, maxItems } from '../item.ts'
import { order } from '../order.ts'
import { refundReason } from '../refunds/refund.ts'

const { product_id, product_name, variant_name, unit_price } = lineFields

// prettier-ignore
const line = object({
  item_id:      id('item').describe('ID of an item of the order; omitted for an item to add'),
  quantity:     integer({ min: 0, max: 1_000_000 }).required().describe('New quantity; 0 removes the item'),
  product_id,
  variant_id:   uuid().nullable().describe('Required for a product with variants'),
  product_name, variant_name, unit_price,
})

const { discount_code } = order.fields

// prettier-ignore
const fields = {
  items:           list(line, { max: maxItems })
    .describe('Items with a new quantity and items to add; other items stay'),
  shipping_cost:   money().describe('New shipping cost'),
  discount_code:   discount_code
    .describe('Replaces all discounts of the order with that of the code; null removes them'),
  discount_codes:  discountCodes()
    .describe('Replaces all discounts of the order with those of the codes: the best combination applies'),
  discount_amount: money().describe('New discount amount, instead of that of the code'),
  tax_amount:      money().describe('Tax added to the prices; by default, it is calculated again'),
  restock:         flag().default(true).describe('Whether to restock removed units'),
  refund:          flag().default(false).describe('Whether to refund what was paid beyond the new total'),
  reason:          refundReason('One cup was sold out'),
}

export type OrderEdit = Create<typeof fields>
export type EditLine = NonNullable<OrderEdit['items']>[number]

export const orderEdit = createBody(fields)
