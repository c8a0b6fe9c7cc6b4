// The fields of an import: those of the record that the API takes, and some that a file has in another form.
import type { AnyField } from '../../../kit/declare/field.ts'
import type { AnyResource } from '../../../kit/declare/resource.ts'
import { writable } from '../../../kit/declare/row.ts'
import { product } from '../../../commerce/catalog/product.ts'
import { variant } from '../../../commerce/catalog/variant.ts'
import { customer } from '../../../commerce/customers/customer.ts'
import { discount } from '../../../commerce/discounts/discount.ts'
import { order } from '../../../commerce/orders/order.ts'
import { redirect } from '../../../storefront/redirects/redirect.ts'
import type { ImportKind } from './sources/source.ts'

/** The name of a variant's field in its row, where that is not the one of the same field of products. */
const aliases: Readonly<Record<string, string>> = {
  manage_inventory: 'track_inventory',
  continue_selling_when_out_of_stock: 'continue_selling',
}

/** The row has these in another form: as its options, its place and its image. */
const ofVariantRow = ['id', 'title', 'option_values', 'position', 'image']

/** A row of a variant has these for the variant, any other row for the product, if that has them. */
export const rowFields: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(writable(variant.fields))
    .filter((name) => !ofVariantRow.includes(name))
    .map((name) => [aliases[name] ?? (name in product.fields ? name : `variant_${name}`), name]),
)

/** An image has a row of its own, or shares one. */
export const imageParts = { image_url: 'url', image_alt: 'alt_text', image_poster: 'poster' } as const

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
  address_notes: 'notes',
} as const

export const billingParts = {
  billing_name: 'name',
  billing_company: 'company',
  billing_tax_id: 'tax_id',
  billing_phone: 'phone',
  billing_line_1: 'address',
  billing_line_2: 'address_2',
  billing_city: 'city',
  billing_province: 'province',
  billing_postal_code: 'postal_code',
  billing_country: 'country',
} as const

export const itemParts = {
  item_name: 'product_name',
  item_variant: 'variant_name',
  item_sku: 'sku',
  item_quantity: 'quantity',
  item_price: 'unit_price',
  item_requires_shipping: 'requires_shipping',
} as const

/** Where, with which words and when a customer has agreed to marketing. */
export const consentParts = { consent_source: 'source', consent_text: 'text', consented_at: 'consented_at' } as const

const groups = { table: 'customer_groups', by: 'name', prefix: 'cgrp' } as const

/** Groups of a customer, by name. */
export const customerReferences = { groups: { field: 'group_ids', ...groups } } as const

/** Records that a discount names, by slug or name. */
export const references = {
  customer_groups: { field: 'customer_group_ids', ...groups },
  applicable_products: { field: 'applicable_product_ids', table: 'products', by: 'slug', prefix: 'prod' },
  applicable_categories: { field: 'applicable_category_ids', table: 'categories', by: 'name', prefix: 'cat' },
  buy_products: { field: 'buy_product_ids', table: 'products', by: 'slug', prefix: 'prod' },
  buy_categories: { field: 'buy_category_ids', table: 'categories', by: 'name', prefix: 'cat' },
} as const

/** Weights in other units than grams. */
export const weightUnits: Readonly<Record<string, number>> = {
  weight_kg: 1000,
  weight_lb: 453.59237,
  weight_oz: 28.349523125,
}

/** Attributes beyond Stoa's three options are one with the third. */
const moreOptionFields = [4, 5, 6, 7, 8].flatMap((n) => [`option${n}_name`, `option${n}_value`])
const optionFields = [1, 2, 3].flatMap((n) => [`option${n}_name`, `option${n}_value`])

/** Columns beside the fields of the record, in the order of an export; `read`: those that only an import has. */
// prettier-ignore
export const otherColumns: Record<ImportKind, { both: readonly string[]; read: readonly string[] }> = {
  products:  { both: ['category', 'collections', ...optionFields, 'variant_title', ...Object.keys(rowFields), 'image',
                      ...Object.keys(imageParts)],
               read: ['id', ...Object.keys(weightUnits), 'handle', 'group', 'parent_row',
                      'configurable_variations', 'location', 'images',
                      'image_position', 'short_description', 'sale_price', 'sale_starts_at', 'sale_ends_at',
                      'on_sale', 'surcharge', 'published', 'in_stock', 'manages_stock', 'tag', ...moreOptionFields] },
  customers: { both: [...Object.keys(customerReferences), ...Object.keys(consentParts)],
               read: ['id', 'first_name', 'last_name',
                      ...Object.keys(addressParts).filter((name) => name !== 'address_notes')] },
  orders:    { both: ['order_number', 'order_status', 'fulfillment_status', 'created_at', 'cancelled_at', 'total',
                      'taxes', 'refunded_amount', 'channel', 'agent',
                      ...Object.keys(addressParts), ...Object.keys(billingParts), ...Object.keys(itemParts)],
               read: ['first_name', 'last_name', 'phone', 'history', 'tip', 'duties', 'fees', 'goods_total', 'paid_at',
                      'fulfilled_at', 'carrier', 'tracking_number', 'payment_method_name', 'shipping_method_name'] },
  discounts: { both: Object.keys(references), read: ['times_used'] },
  redirects: { both: [], read: [] },
}

/** Fields of the record that are set by columns with other names. */
const omittedFields = [
  'gallery',
  'variants',
  'category_id',
  'shipping_address',
  'billing_address',
  'items',
  'taxes',
  'marketing_consent',
  ...Object.values({ ...customerReferences, ...references }).map(({ field }) => field),
]

// prettier-ignore
export const resources: Record<ImportKind, AnyResource> = {
  products: product, customers: customer, orders: order, discounts: discount, redirects: redirect,
}

/** The fields that a cell can set: those of the record, or of a variant in its row. */
const fieldsByKind: Record<string, Record<string, AnyField>> = Object.fromEntries(
  Object.entries(resources).map(([kind, { fields }]) => [kind, { ...variant.fields, ...fields }]),
)

/** Fields that a column can be mapped to, in the order of the API's record. */
export function listMappableFields(kind: ImportKind): string[] {
  const { both, read } = otherColumns[kind]
  return [...new Set([...listRecordFields(kind), 'row_type', ...both, ...read])]
}

/** Fields of the record that a column sets under the same name. */
export function listRecordFields(kind: ImportKind): string[] {
  return Object.keys(writable(resources[kind].fields)).filter((name) => !omittedFields.includes(name))
}

/** True if several columns can have the field: their values are combined. */
export function isRepeatable(field: string): boolean {
  return repeatable.has(field)
}

// prettier-ignore
const repeatable = new Set([
  'tag', 'tags', 'category', 'collections', 'images', 'image_url', 'first_name', 'last_name', 'phone', 'history',
])

/** True if several columns can have the field: the last one with a value counts, such as that of the variant. */
export function isOverridable(field: string): boolean {
  return ['weight', 'requires_shipping', 'country_of_origin', 'hs_code'].includes(field)
}

// prettier-ignore
const ownTypes: Record<string, string> = {
  sale_price: 'number', surcharge: 'number', image_position: 'integer',
  published: 'boolean', in_stock: 'boolean', manages_stock: 'boolean', on_sale: 'boolean',
  times_used: 'integer', item_quantity: 'integer', item_price: 'number', total: 'number', taxes: 'number',
  item_requires_shipping: 'boolean',
  tip: 'number', duties: 'number', fees: 'number', goods_total: 'number', paid_at: 'date-time',
  consented_at: 'date-time',
  fulfilled_at: 'date-time', refunded_amount: 'number', order_number: 'integer', created_at: 'date-time',
  cancelled_at: 'date-time',
  collections: 'texts', groups: 'texts',
  ...Object.fromEntries(Object.keys(references).map((name) => [name, 'texts'])),
}

/** The words that a field can have; an empty list if it is free. */
export function listCellChoices(kind: ImportKind, field: string): readonly unknown[] {
  const schema = fieldsByKind[kind]![field === 'order_status' ? 'status' : field]?.spec.schema
  return (schema?.enum as unknown[] | undefined) ?? []
}

/** The type as which a cell is read: number, integer, boolean, date-time, array, texts, object or string. */
export function getCellType(kind: ImportKind, field: string): string {
  const own = ownTypes[field]
  if (own) return own
  const fields = fieldsByKind[kind]!
  const schema = (fields[field] ?? fields[rowFields[field] ?? ''])?.spec.schema
  if (!schema) return 'string'
  if (schema.format === 'date-time') return 'date-time'
  return ([schema.type].flat().find((type) => type !== 'null') as string) ?? 'string'
}
