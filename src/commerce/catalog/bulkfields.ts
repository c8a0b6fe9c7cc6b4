// The fields that one call can change on many products and variants.
import { list, object } from '../../kit/declare/composites.ts'
import type { AnyField, Create, Fields } from '../../kit/declare/field.ts'
import { id, uuid } from '../../kit/declare/scalars.ts'
import { createBody } from '../../kit/declare/shape.ts'
import { fault, type Fault } from '../../kit/values/faults.ts'
import { customValuesOfMany } from '../../tenancy/stores/customvalues.ts'
import { catalogFaults } from './errors.ts'
import { product } from './product.ts'
import { variant } from './variant.ts'

export const maxBulkRows = 10_000

/** Prices, stock and the like, which a row of a spreadsheet has. */
export const productCells = [
  'price',
  'compare_price',
  'supplier_cost',
  'product_status',
  'category_id',
  'sku',
  'barcode',
  'weight',
  'requires_shipping',
  'country_of_origin',
  'hs_code',
  'unit_pricing_measure',
  'brand',
  'tags',
  'stock_quantity',
  'available_on',
] as const
export const variantCells = [
  'price',
  'compare_price',
  'sku',
  'barcode',
  'weight',
  'requires_shipping',
  'country_of_origin',
  'hs_code',
  'unit_pricing_measure',
  'stock_quantity',
  'available_on',
] as const

/** The fields as an update accepts them: none is required, and none has a default. */
function toBulkFields<K extends string>(fields: Record<K, AnyField>, names: readonly K[]): Record<K, AnyField> {
  const cell = ({ spec: { initial: _, ...spec }, ...field }: AnyField) => {
    const { default: __, ...schema } = spec.schema
    return { ...field, spec: { ...spec, role: 'optional', schema } } as AnyField
  }
  return Object.fromEntries(names.map((name) => [name, cell(fields[name])])) as Record<K, AnyField>
}

const custom = { custom_fields: customValuesOfMany() }
const ofProduct = { ...toBulkFields(product.fields, productCells), ...custom }
const ofVariant = { ...toBulkFields(variant.fields, variantCells), ...custom }

const expectedField = (cells: Fields) =>
  object(cells).describe('Values that you have read. If one is different by now, nothing is changed')

type CellValue = string | number | boolean | string[] | null
/** Values of custom fields by key. */
type CustomCells = Record<string, string | number | boolean | null>
export type CellValues = { custom_fields?: CustomCells; [name: string]: CellValue | CustomCells | undefined }
export type BulkRow = {
  id: string
  expected?: CellValues
  [name: string]: CellValue | CellValues | CustomCells | undefined
}
export type BulkChange = { products: BulkRow[]; variants: BulkRow[] }

const fields = {
  products: list(object({ id: id('prod').required(), ...ofProduct, expected: expectedField(ofProduct) }), {
    max: maxBulkRows,
  })
    .default([])
    .describe('Products, each with the fields to change'),
  variants: list(object({ id: uuid().required(), ...ofVariant, expected: expectedField(ofVariant) }), {
    max: maxBulkRows,
  })
    .default([])
    .describe('Variants, each with the fields to change'),
}

export const bulkChange = createBody(fields, [
  { fields: ['products'], check: ({ products }: Create<typeof fields>) => listRepeatedFaults('products', products) },
  { fields: ['variants'], check: ({ variants }: Create<typeof fields>) => listRepeatedFaults('variants', variants) },
])

/** Two changes to one record would have no defined order. */
function listRepeatedFaults(name: string, rows: readonly { id?: unknown }[]): Fault[] {
  const values = new Set<unknown>()
  return rows.flatMap(({ id }, index) => {
    if (values.has(id)) return [fault(`${name}.${index}.id`, catalogFaults.change_repeated)]
    values.add(id)
    return []
  })
}
