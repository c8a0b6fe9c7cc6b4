// The fields of an import: those of the record that the API takes, and some that a file has in another form.
import type { AnyField } from '../../kit/declare/field.ts'
import { writable } from '../../kit/declare/row.ts'
import { product } from '../../commerce/catalog/product.ts'
import { variant } from '../../commerce/catalog/variant.ts'
import { customer } from '../../commerce/customers/customer.ts'
import { discount } from '../../commerce/discounts/discount.ts'
import { order } from '../../commerce/orders/order.ts'
import type { ImportKind } from './sources/source.ts'

/** A row of a variant has these for the variant, any other row for the product. */
export const rowFields = {
  price: 'price',
  compare_price: 'compare_price',
  sku: 'sku',
  barcode: 'barcode',
  weight: 'weight',
  country_of_origin: 'country_of_origin',
  hs_code: 'hs_code',
  stock_quantity: 'stock_quantity',
  low_stock_threshold: 'low_stock_threshold',
  track_inventory: 'manage_inventory',
  continue_selling: 'continue_selling_when_out_of_stock',
} as const

export const addressParts = {
  address_name: 'name',
  address_phone: 'phone',
  address_company: 'company',
  address_line_1: 'address',
  address_line_2: 'address_2',
  address_city: 'city',
  address_province: 'province',
  address_postal_code: 'postal_code',
  address_country: 'country',
} as const

const optionFields = [1, 2, 3].flatMap((n) => [`option${n}_name`, `option${n}_value`])

/** Fields beside those of the record. */
// prettier-ignore
const ownFields: Record<ImportKind, readonly string[]> = {
  products:  ['category', 'collections', 'images', 'image_url', 'image_alt', 'image', 'variant_title', 'row_type',
              'short_description', 'sale_price', 'tag', ...optionFields],
  customers: ['first_name', 'last_name', ...Object.keys(addressParts)],
  orders:    ['order_number', 'order_status', 'fulfillment_status', 'created_at', 'cancelled_at', 'total', 'taxes',
              'refunded_amount', 'first_name', 'last_name', 'phone', 'item_name',
              'item_variant', 'item_sku', 'item_quantity', 'item_price', ...Object.keys(addressParts)],
  discounts: [],
}

const left = [
  'gallery',
  'options',
  'variants',
  'category_id',
  'shipping_address',
  'addresses',
  'items',
  'custom_fields',
  'taxes',
  'applicable_product_ids',
  'buy_product_ids',
  'buy_category_ids',
  'applicable_category_ids',
]

const resources = { products: product, customers: customer, orders: order, discounts: discount }

/** Fields that a column can be mapped to, in the order of the API's record. */
export function fieldNamesOf(kind: ImportKind): string[] {
  const fields = Object.keys(writable(resources[kind].fields)).filter((name) => !left.includes(name))
  return [...new Set([...fields, ...ownFields[kind]])]
}

/** Whether several columns can have the field: their values are put together. */
export function isRepeatable(field: string): boolean {
  return ['tag', 'tags', 'category', 'collections', 'images', 'image_url', 'first_name', 'last_name', 'phone'].includes(
    field,
  )
}

/** Whether several columns can have the field: the last one that is filled counts, such as that of the variant. */
export function isOverridable(field: string): boolean {
  return ['weight', 'country_of_origin', 'hs_code'].includes(field)
}

// prettier-ignore
const ownTypes: Record<string, string> = {
  sale_price: 'number', item_quantity: 'integer', item_price: 'number', total: 'number', taxes: 'number',
  refunded_amount: 'number', order_number: 'integer', created_at: 'date-time', cancelled_at: 'date-time',
}

/** How a cell is read: as number, integer, boolean, date-time, array or string. */
export function typeOf(kind: ImportKind, field: string): string {
  const own = ownTypes[field]
  if (own) return own
  const fields: Record<string, AnyField> = { ...variant.fields, ...resources[kind].fields }
  const schema = fields[field]?.spec.schema
  if (!schema) return 'string'
  if (schema.format === 'date-time') return 'date-time'
  return ([schema.type].flat().find((type) => type !== 'null') as string) ?? 'string'
}
