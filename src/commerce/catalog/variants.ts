// Changes a product's variants to those in a request.
import type { Tx } from '../../kit/database/database.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, type Fault, generalFaults } from '../../kit/values/faults.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { blank, excludedColumns, insertRows, writable } from '../../kit/declare/row.ts'
import { searchable } from '../../kit/values/slug.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { moveStock, type Movement, type MovementCause } from '../inventory/stock.ts'
import {
  buildCombinationKey,
  completeOptions,
  impliedOptions,
  formatVariantTitle,
  variant,
  type Option,
  type OptionInput,
  type Variant,
  type VariantInput,
} from './variant.ts'
import { catalogFaults } from './errors.ts'

/** A variant to store. Stock is changed separately, so that every change has its transaction. */
type VariantRow = Omit<Variant, 'is_purchasable' | 'bundle_stock' | 'created_at' | 'updated_at'> & { created_at?: Date }

export type VariantPlan = { options: Option[]; rows: VariantRow[]; removed: VariantRow[]; movements: Movement[] }

/** `restoresVariants`: variants with unknown IDs existed before, under the same IDs. */
type RequestedVariants = { options?: OptionInput[]; variants?: VariantInput[]; restoresVariants?: boolean }
type CurrentVariants = { options: Option[]; variants: VariantRow[] }

/** Plans the changes of options and variants, or reports all faults. */
export function planVariants(
  productId: string,
  variants: RequestedVariants,
  current: CurrentVariants,
  defaults: { manage_inventory: boolean },
): VariantPlan {
  const faults: Fault[] = []
  const inputs = variants.variants?.map((one) => ({
    ...one,
    option_values: one.option_values ?? getCurrentOptionValues(one, current),
  }))
  const options =
    variants.options !== undefined
      ? completeOptions(variants.options)
      : current.options.length === 0 && inputs
        ? completeOptions(impliedOptions(inputs))
        : current.options
  const rows = inputs ? inputs.map((one, index) => buildVariantRow(one, index, current, defaults)) : current.variants
  if (inputs && !variants.restoresVariants) checkIds(inputs, current, faults)
  checkOptions(options, faults)
  checkCombinations(rows, options, inputs ? 'variants' : 'options', faults)
  if (faults.length > 0) throw invalid(...faults)
  const removals = current.variants.filter(({ id }) => !rows.some((row) => row.id === id))
  return { options, rows, removed: removals, movements: buildStockMovements(productId, rows, removals, current) }
}

/** True if stock of the product, or of any of its variants, is tracked. */
export function isTracked({ rows }: Pick<VariantPlan, 'rows'>, isProductTracked: boolean): boolean {
  return rows.length === 0 ? isProductTracked : rows.some(({ manage_inventory }) => manage_inventory)
}

function getCurrentOptionValues({ id }: VariantInput, { variants }: CurrentVariants): VariantRow['option_values'] {
  return variants.find((variant) => variant.id === id)?.option_values ?? []
}

function buildVariantRow(
  input: VariantInput & Pick<VariantRow, 'option_values'>,
  index: number,
  current: CurrentVariants,
  defaults: { manage_inventory: boolean },
): VariantRow {
  const before = input.id === undefined ? undefined : current.variants.find(({ id }) => id === input.id)
  const initial = {
    ...blank(variant.fields),
    metadata: {},
    custom_fields: {},
    id: newUuid(),
    title: formatVariantTitle(input),
    stock_quantity: 0,
    manage_inventory: defaults.manage_inventory,
    low_stock_threshold: 5,
    continue_selling_when_out_of_stock: false,
    position: index,
    option_values: input.option_values,
  }
  const isNamedByOptions = before && before.title === formatVariantTitle(before)
  return { ...initial, ...before, ...(isNamedByOptions ? { title: initial.title } : {}), ...input } as VariantRow
}

function checkIds(inputs: VariantInput[], { variants }: CurrentVariants, faults: Fault[]): void {
  inputs.forEach(({ id }, index) => {
    const isUnknown = id !== undefined && !variants.some((variant) => variant.id === id)
    if (isUnknown) faults.push(fault(`variants.${index}.id`, generalFaults.does_not_exist))
  })
}

function checkOptions(options: Option[], faults: Fault[]): void {
  options.forEach(({ title, values }, index) => {
    if (options.findIndex((other) => other.title === title) !== index) {
      faults.push(fault(`options.${index}.title`, catalogFaults.option_repeated))
    }
    if (new Set(values).size !== values.length) {
      faults.push(fault(`options.${index}.values`, catalogFaults.value_repeated))
    }
  })
}

function checkCombinations(
  rows: VariantRow[],
  options: Option[],
  faultyField: 'variants' | 'options',
  faults: Fault[],
): void {
  const combinations = new Set<string>()
  rows.forEach((row, index) => {
    const field = faultyField === 'variants' ? `variants.${index}.option_values` : 'options'
    const optionTitles = row.option_values.map(({ option_title }) => option_title)
    const isComplete =
      optionTitles.length === options.length && options.every(({ title }) => optionTitles.includes(title))
    const unknownValue = row.option_values.find(
      ({ option_title, value }) => !options.find(({ title }) => title === option_title)?.values.includes(value),
    )
    const combination = buildCombinationKey(row)
    if (!isComplete) {
      const titles = options.map(({ title }) => title).join(', ')
      faults.push(fault(field, catalogFaults.options_incomplete, { titles }))
    } else if (unknownValue) {
      faults.push(
        fault(field, catalogFaults.value_unknown, { value: unknownValue.value, option: unknownValue.option_title }),
      )
    } else if (combinations.has(combination)) {
      faults.push(fault(field, catalogFaults.combination_taken))
    }
    combinations.add(combination)
  })
}

function buildStockMovements(
  productId: string,
  rows: VariantRow[],
  removals: VariantRow[],
  current: CurrentVariants,
): Movement[] {
  const before = new Map(current.variants.map(({ id, stock_quantity }) => [id, stock_quantity]))
  return [
    ...rows.map((row) => ({ row, quantity: row.stock_quantity - (before.get(row.id) ?? 0) })),
    ...removals.map((row) => ({ row, quantity: -row.stock_quantity })),
  ]
    .filter(({ quantity }) => quantity !== 0)
    .map(({ row, quantity }) => ({ product_id: productId, variant_id: row.id, quantity }))
}

// Stock is changed separately, and the search text of SKUs is not a field.
const writableColumns = [
  ...Object.keys(writable(variant.fields)).filter((name) => name !== 'stock_quantity'),
  'search_text',
]

/** Inserts the variants of a new product with their stock. */
export function insertVariants(tx: Tx, storeId: string, productId: string, { rows }: VariantPlan): void {
  tx.later(variantRows(tx, storeId, productId, rows, ['stock_quantity']))
}

function variantRows(
  tx: Tx,
  storeId: string,
  productId: string,
  rows: readonly VariantRow[],
  more: string[] = [],
): Sql {
  const records = rows.map((row) => ({ created_at: tx.now, ...row, search_text: searchable(row.sku) }))
  const same = { store_id: storeId, product_id: productId, updated_at: tx.now }
  return insertRows(variant, [...writableColumns, 'created_at', ...more], records, {
    same,
    types: { product_id: 'uuid' },
  })
}

/**
 * Saves the plan: upserts the rows, then changes their stock, then deletes removed variants. The stock of a bundle
 * cannot move, so that of a variant that becomes one goes first.
 */
export async function saveVariants(
  tx: Tx,
  storeId: string,
  productId: string,
  { rows, removed, movements }: VariantPlan,
  cause: MovementCause,
): Promise<void> {
  const bundles = new Set(rows.flatMap(({ id, bundle_items }) => (bundle_items ? id : [])))
  const move = async (moves: readonly Movement[]) => {
    if (moves.length === 0) return
    const rejections = await moveStock(tx, storeId, moves, cause)
    if (rejections.length === 0) return
    const variantIds = rejections.map((index) => moves[index]!.variant_id)
    throw invalid(...variantIds.map((id) => stockFault(rows.findIndex((row) => row.id === id))))
  }
  await move(movements.filter(({ variant_id }) => bundles.has(variant_id!)))
  if (rows.length > 0) {
    tx.later(sql`
      ${variantRows(tx, storeId, productId, rows)}
      on conflict (store_id, id) do update
      set ${excludedColumns([...writableColumns.filter((name) => name !== 'id'), 'updated_at'])}`)
  }
  await move(movements.filter(({ variant_id }) => !bundles.has(variant_id!)))
  if (removed.length > 0) {
    tx.later(sql`
      delete from variants
      where store_id = ${storeId}
        and id = any(${removed.map(({ id }) => id)}::uuid[])`)
  }
}

/** The fault for a variant whose stock would end below zero, by its index. */
export function stockFault(place: number): Fault {
  return fault(`variants.${place}.stock_quantity`, catalogFaults.below_zero_variant)
}
