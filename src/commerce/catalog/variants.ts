// Bringing a product's variants to the state that a body asks for.
import type { Tx } from '../../kit/database/database.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, type Fault, generalFaults } from '../../kit/values/faults.ts'
import { newUuid } from '../../kit/values/ids.ts'
import { blank, excluded, insertRows, writable } from '../../kit/declare/row.ts'
import { searchable } from '../../kit/values/slug.ts'
import { sql } from '../../kit/database/sql.ts'
import { moveStock, type Movement, type MovementCause } from '../inventory/stock.ts'
import {
  combinationOf,
  completeOptions,
  impliedOptions,
  titleOf,
  variant,
  type Option,
  type OptionInput,
  type Variant,
  type VariantInput,
} from './variant.ts'
import { catalogFaults } from './errors.ts'

/** What will be stored of a variant; its stock moves separately, so that every piece has its transaction. */
type Row = Omit<Variant, 'is_purchasable' | 'created_at' | 'updated_at'> & { created_at?: Date }

export type VariantPlan = { options: Option[]; rows: Row[]; gone: Row[]; movements: Movement[] }

/** `bringsBack`: variants that are not known have been, under the same ids. */
type Wanted = { options?: OptionInput[]; variants?: VariantInput[]; bringsBack?: boolean }
type Known = { options: Option[]; variants: Row[] }

/** Decides what becomes of options and variants, or refuses with every fault. */
export function planVariants(
  productId: string,
  wanted: Wanted,
  known: Known,
  defaults: { manage_inventory: boolean },
): VariantPlan {
  const faults: Fault[] = []
  const given = wanted.variants?.map((one) => ({ ...one, option_values: one.option_values ?? valuesOf(one, known) }))
  const options =
    wanted.options !== undefined
      ? completeOptions(wanted.options)
      : known.options.length === 0 && given
        ? completeOptions(impliedOptions(given))
        : known.options
  const rows = given ? given.map((one, index) => rowOf(one, index, known, defaults)) : known.variants
  if (given && !wanted.bringsBack) checkIds(given, known, faults)
  checkOptions(options, faults)
  checkCombinations(rows, options, given ? 'variants' : 'options', faults)
  if (faults.length > 0) throw invalid(...faults)
  const gone = known.variants.filter(({ id }) => !rows.some((row) => row.id === id))
  return { options, rows, gone, movements: movementsOf(productId, rows, gone, known) }
}

function valuesOf({ id }: VariantInput, { variants }: Known): Row['option_values'] {
  return variants.find((variant) => variant.id === id)?.option_values ?? []
}

function rowOf(
  given: VariantInput & Pick<Row, 'option_values'>,
  index: number,
  known: Known,
  defaults: { manage_inventory: boolean },
): Row {
  const before = given.id === undefined ? undefined : known.variants.find(({ id }) => id === given.id)
  const initial = {
    ...blank(variant.fields),
    id: newUuid(),
    title: titleOf(given),
    stock_quantity: 0,
    manage_inventory: defaults.manage_inventory,
    low_stock_threshold: 5,
    continue_selling_when_out_of_stock: false,
    position: index,
    option_values: given.option_values,
  }
  const isNamedByOptions = before && before.title === titleOf(before)
  return { ...initial, ...before, ...(isNamedByOptions ? { title: initial.title } : {}), ...given } as Row
}

function checkIds(given: VariantInput[], { variants }: Known, faults: Fault[]): void {
  given.forEach(({ id }, index) => {
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

function checkCombinations(rows: Row[], options: Option[], blamed: 'variants' | 'options', faults: Fault[]): void {
  const seen = new Set<string>()
  rows.forEach((row, index) => {
    const field = blamed === 'variants' ? `variants.${index}.option_values` : 'options'
    const named = row.option_values.map(({ option_title }) => option_title)
    const complete = named.length === options.length && options.every(({ title }) => named.includes(title))
    const unknown = row.option_values.find(
      ({ option_title, value }) => !options.find(({ title }) => title === option_title)?.values.includes(value),
    )
    const combination = combinationOf(row)
    if (!complete) {
      const titles = options.map(({ title }) => title).join(', ')
      faults.push(fault(field, catalogFaults.options_incomplete, { titles }))
    } else if (unknown) {
      faults.push(fault(field, catalogFaults.value_unknown, { value: unknown.value, option: unknown.option_title }))
    } else if (seen.has(combination)) {
      faults.push(fault(field, catalogFaults.combination_taken))
    }
    seen.add(combination)
  })
}

function movementsOf(productId: string, rows: Row[], gone: Row[], known: Known): Movement[] {
  const before = new Map(known.variants.map(({ id, stock_quantity }) => [id, stock_quantity]))
  return [
    ...rows.map((row) => ({ row, quantity: row.stock_quantity - (before.get(row.id) ?? 0) })),
    ...gone.map((row) => ({ row, quantity: -row.stock_quantity })),
  ]
    .filter(({ quantity }) => quantity !== 0)
    .map(({ row, quantity }) => ({ product_id: productId, variant_id: row.id, quantity }))
}

// Stock moves by itself, and what SKUs are found by is no field.
const written = [...Object.keys(writable(variant.fields)).filter((name) => name !== 'stock_quantity'), 'search_text']

/** Writes the plan: the rows by one upsert, then their stock, then those that are gone. */
export async function saveVariants(
  tx: Tx,
  storeId: string,
  productId: string,
  { rows, gone, movements }: VariantPlan,
  cause: MovementCause,
): Promise<void> {
  if (rows.length > 0) {
    const found = rows.map((row) => ({ created_at: tx.now, ...row, search_text: searchable(row.sku) }))
    const same = { store_id: storeId, product_id: productId, updated_at: tx.now }
    tx.later(sql`
      ${insertRows(variant, [...written, 'created_at'], found, { same, types: { product_id: 'uuid' } })}
      on conflict (store_id, id) do update
      set ${excluded([...written.filter((name) => name !== 'id'), 'updated_at'])}`)
  }
  if (movements.length > 0) {
    const refused = await moveStock(tx, storeId, movements, cause)
    if (refused.length > 0) {
      throw invalid(
        ...refused.map((index) =>
          fault(
            `variants.${rows.findIndex(({ id }) => id === movements[index]!.variant_id)}.stock_quantity`,
            catalogFaults.below_zero_variant,
          ),
        ),
      )
    }
  }
  if (gone.length > 0) {
    tx.later(sql`
      delete from variants
      where store_id = ${storeId}
        and id = any(${gone.map(({ id }) => id)}::uuid[])`)
  }
}
