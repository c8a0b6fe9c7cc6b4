// The stock of a product and its variants, and the history of its changes.
import { list, many, object } from '../../kit/declare/composites.ts'
import { reason, generalFaults } from '../../kit/values/faults.ts'
import { derive, type Create } from '../../kit/declare/field.ts'
import { flag, id, integer, text, time, uuid } from '../../kit/declare/scalars.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { isUuid } from '../../kit/values/ids.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { sql } from '../../kit/database/sql.ts'
import { maxStock } from './stock.ts'

const sku = () => text().nullable().readonly()
const optionValue = object({
  option_title: text().required().describe('Title of the option'),
  value: text().required(),
})
const threshold = () => integer({ min: 0 }).readonly()

// prettier-ignore
const variantInventory = resource('variants', {
  variant_id:          derive(uuid(), sql`variants.id`),
  title:               text().readonly(),
  sku:                 sku(),
  stock_quantity:      integer().readonly(),
  manage_inventory:    flag().readonly().describe('Whether stock of the variant is tracked'),
  low_stock_threshold: threshold(),
  continue_selling_when_out_of_stock: flag().readonly(),
  option_values:       list(optionValue, { max: 3 }).readonly(),
}, {}, {
  noun: 'Variant',
  title: 'Variant inventory',
  parent: { column: 'product_id', order: 'variants.position, variants.id' },
})

// prettier-ignore
export const inventory = resource('products', {
  product_id:          derive(id('prod'), sql`products.id`),
  sku:                 sku(),
  stock_quantity:      integer().readonly().describe('Quantity in stock; with variants, the sum of theirs'),
  track_inventory:     flag().readonly().describe('Whether stock is tracked'),
  low_stock_threshold: threshold(),
  continue_selling_when_out_of_stock: derive(flag(), sql`products.continue_selling`),
  variants:            many<VariantInventory>(variantInventory, { count: sql`products.variant_count` }),
}, {}, { noun: 'Product', title: 'Inventory' })

export type VariantInventory = NonNullable<typeof variantInventory.type>
export type Inventory = NonNullable<typeof inventory.type>

// prettier-ignore
export const inventoryTransaction = resource('inventory_transactions', {
  id:          id('itx').readonly(),
  product_id:  id('prod').readonly(),
  variant_id:  uuid().nullable().readonly(),
  quantity:    integer().readonly().describe('Quantity added; negative if removed'),
  stock_after: integer().readonly().describe('Stock of the variant, or else the product, after the change'),
  reason:      text().readonly().example('received'),
  order_id:    id('ord').nullable().readonly(),
  actor:       text().readonly().describe('Actor that made the change: kind and ID'),
  created_at:  time().readonly().sortable(),
}, {
  variant_id: filter(text({ max: 64 }), (id) =>
    sql`inventory_transactions.variant_id = ${isUuid(id) ? id : null}::uuid`),
}, { noun: 'Inventory transaction' })

// prettier-ignore
const adjustmentFields = {
  quantity:   integer({ min: -maxStock, max: maxStock }).required().example(12)
    .rule((quantity) => (quantity === 0 ? reason(generalFaults.zero) : null))
    .describe('Quantity to add; negative to remove'),
  reason:     text({ min: 1, max: 255 }).default('correction')
    .describe('Reason for the change, such as correction (the default), cycle_count, received, return or damaged'),
  variant_id: variantId(),
  expected_stock: integer({ min: -maxStock, max: maxStock }).nullable().example(30)
    .describe('Expected current stock; the request fails if it differs'),
}

export type StockAdjustment = Create<typeof adjustmentFields>

export const adjustment = createBody(adjustmentFields)

// prettier-ignore
const settingsFields = {
  variant_id:             variantId(),
  low_stock_threshold:    integer({ min: 0, max: maxStock }),
  continue_selling_when_out_of_stock: flag(),
  expected_low_stock_threshold: integer({ min: 0, max: maxStock }).nullable()
    .describe('Expected current threshold; the request fails if it differs'),
}

export type StockSettings = Create<typeof settingsFields>

export const stockSettings = createBody(settingsFields)

function variantId() {
  return uuid().nullable().describe('Required for a product with variants')
}
