// An item of an order: a product as it was when it was sold, or a custom item.
import { joinableList, list, object } from '../../kit/declare/composites.ts'
import { sql } from '../../kit/database/sql.ts'
import { derive, type Create } from '../../kit/declare/field.ts'
import { choice, flag, id, integer, money, text, time, uuid, decimal } from '../../kit/declare/scalars.ts'
import { integrationFields } from '../../kit/declare/metadata.ts'
import { availableOnField } from '../catalog/availableon.ts'
import { maxBundleItems } from '../catalog/bundle.ts'
import { resource } from '../../kit/declare/resource.ts'
import { fulfillable } from './unsent.ts'

export const maxItems = 500

// prettier-ignore
const adjustment = object({
  id:         text().required(),
  type:       choice(['discount', 'tax', 'shipping', 'surcharge', 'manual']).required()
    .describe('Kind of adjustment'),
  code:       text().nullable().required().describe('Discount code, if any'),
  label:      text().required(),
  amount:     decimal().required().describe('Adjustment amount; negative for a discount'),
  source_id:  text().nullable().required().describe('ID of what caused the adjustment'),
  created_at: text({ format: 'date-time' }).required(),
})

// prettier-ignore
export const appliedDiscountFields = {
  id:           id('disc').required(),
  code:         text().required(),
  label:        text().required().describe('Name that shoppers see'),
  is_automatic: flag().required().describe('Whether it applied without a code'),
  amount:       money().required().describe('Discount on the items; 0 for free shipping'),
}

const appliedDiscount = object(appliedDiscountFields)

/** The discounts of an order or a checkout. */
export const appliedDiscounts = () => list(appliedDiscount, { max: 30 })

export type AppliedDiscountView = Omit<NonNullable<(typeof appliedDiscount)['type']>['value'], never>

export type ItemAdjustment = NonNullable<(typeof adjustment)['type']>['value']

// prettier-ignore
const itemPart = object({
  product_id:   id('prod').required(),
  variant_id:   uuid().nullable().required(),
  category_id:  id('cat').nullable().required().describe('Category of the part when it was sold'),
  product_name: text().required().describe('Name of the part when it was sold'),
  variant_name: text().nullable().required(),
  sku:          text().nullable().required(),
  quantity:     integer().required().describe('Units in one bundle'),
  price:        money().required().describe("Share of the bundle's unit_price, and of its discounts and taxes"),
  requires_shipping: flag().describe('Whether the part is shipped'),
})

/** Which part of a bundle is meant, in bodies and records about pieces of an item. */
export const partField = () => integer({ min: 0, max: maxBundleItems - 1 }).nullable()

/** A column has -1 for units of the whole item. */
export const storedPart = (part: number | null | undefined) => part ?? -1

export type ItemPart = NonNullable<(typeof itemPart)['type']>['value']

// prettier-ignore
export const item = resource('order_items', {
  id:           id('item').readonly(),
  product_id:   id('prod').nullable().readonly(),
  variant_id:   uuid().nullable().readonly(),
  product_name: text().readonly().example('Canvas backpack').describe('Name of the product when it was sold'),
  variant_name: text().nullable().readonly().example('Red / M'),
  sku:          text().nullable().readonly(),
  quantity:     integer().readonly().example(2),
  unit_price:   money().readonly().example(1500.5).describe('Price of one unit'),
  total_price:  money().readonly().example(3001).describe('unit_price × quantity'),
  parts:        joinableList(itemPart, { max: maxBundleItems }).nullable().readonly()
    .describe('Parts of one bundle; null if the product is not a bundle'),
  available_on: availableOnField().readonly()
    .describe('Day from which it ships, as it was promised when it was sold; null unless it was a pre-order'),
  requires_shipping: flag().default(true).readonly()
    .describe('Whether it is shipped; false for a download or a service'),
  ...integrationFields(),
  created_at:   time().readonly().sortable(),
  adjustments:  list(adjustment, { max: 30 }).readonly().describe("This item's share of each discount of the order"),
  fulfilled_quantity:   derive(integer(), sql`order_items.fulfilled_quantity`).describe('Quantity fulfilled'),
  refunded_quantity: derive(integer(), sql`order_items.refunded_quantity`)
    .describe('Quantity refunded or being refunded'),
  returned_quantity: derive(integer(), sql`order_items.returned_quantity`)
    .describe('Refunded quantity that had already been shipped'),
  fulfillable_quantity: derive(integer(), fulfillable).describe('Quantity left to fulfill'),
}, {}, { noun: 'Order item', parent: { column: 'order_id', order: 'order_items.id' }, defaultOrder: 'asc' })

export type Item = NonNullable<typeof item.type>

// prettier-ignore
export const lineFields = {
  product_id:   id('prod').nullable()
    .describe('ID of an active product; if omitted, product_name and unit_price are required'),
  variant_id:   uuid().nullable().describe('Required for a product with variants'),
  product_name: text({ min: 1, max: 255 }).nullable().describe('Name of a custom item'),
  variant_name: text({ min: 1, max: 255 }).nullable(),
  quantity:     integer({ min: 1, max: 1_000_000 }).required(),
  unit_price:   money().nullable().describe('Price of one unit; defaults to the price of the variant or product'),
  ...integrationFields(),
}

export type LineInput = Create<typeof lineFields>

export const lineInput = () => list(object(lineFields), { min: 1, max: maxItems })
