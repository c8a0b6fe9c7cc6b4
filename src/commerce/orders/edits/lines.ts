// The items of an order after an edit, and the stock that they take or return.
import type { Tx } from '../../../kit/database/database.ts'
import { fault, generalFaults, type Fault } from '../../../kit/values/faults.ts'
import { pick } from '../../../kit/declare/row.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import { Decimal, maxMoney } from '../../../kit/values/money.ts'
import type { Store } from '../../../tenancy/stores/store.ts'
import type { Movement } from '../../inventory/stock.ts'
import type { LocalPrices } from '../../tax/prices.ts'
import type { TaxedGoods } from '../../tax/treatment.ts'
import { orderFaults } from '../errors.ts'
import { maxItems } from '../item.ts'
import { listSales, lookUpLines, repriceLine, type OrderLine } from '../lines.ts'
import { listStock } from '../parts.ts'
import type { SettledUnits } from '../settled.ts'
import type { EditLine } from './edit.ts'
import type { Sale, SaleItem } from './sale.ts'

/** An item after the edit. `before` is null for a new one. */
export type EditedItem = {
  id: string
  product_id: string | null
  variant_id: string | null
  product_name: string
  category_id: string | null
  requires_shipping: boolean
  quantity: number
  unit_price: Decimal
  total: Decimal
  parts: readonly TaxedPart[] | null
  settled: SettledUnits | null
  before: SaleItem | null
  added: OrderLine | null
}

type TaxedPart = TaxedGoods & { price: Decimal }

export type EditedLines = {
  items: EditedItem[]
  removed: SaleItem[]
  /** Units taken from tracked stock are negative, units that may be restocked positive. */
  movements: Movement[]
  faults: Fault[]
}

/** More units of an item are sold like a new line: the product must be for sale and in stock. */
export async function editLines(
  tx: Tx,
  store: Store,
  sale: Sale,
  inputs: readonly EditLine[],
  prices: LocalPrices,
): Promise<EditedLines> {
  const { quantities, positions, faults } = newQuantities(sale, inputs)
  const additions = sale.items.flatMap((item) => {
    const more = (quantities.get(item.id) ?? item.quantity) - item.quantity
    return more > 0 && item.product_id ? [{ item, more, at: positions.get(item.id)! }] : []
  })
  const addedLines = inputs.flatMap((line, at) => (isAdded(line) ? [{ line, at }] : []))
  const lookup = await lookUpLines(tx, store, [
    ...additions.map(({ item: { product_id, variant_id }, more: quantity }) => ({ product_id, variant_id, quantity })),
    ...addedLines.map(({ line: { item_id: _, ...line } }) => line),
  ])
  const places = [...additions, ...addedLines].map(({ at }) => at)
  const newLines = lookup.lines.slice(additions.length).map((line, index) => {
    const isPriced = addedLines[index]!.line.unit_price !== undefined
    return line && (isPriced ? line : repriceLine(line, prices))
  })
  const items = [
    ...sale.items.flatMap((item) => keptItem(item, quantities.get(item.id) ?? item.quantity)),
    ...newLines.filter((line) => line !== null).map(newItem),
  ]
  return {
    items,
    removed: sale.items.filter(({ id }) => quantities.get(id) === 0),
    movements: [...listTakenUnits(lookup.lines), ...listReturnedUnits(sale, quantities)],
    faults: [
      ...faults,
      ...additions.flatMap(({ item, at }, index) => changedBundleFaults(item, lookup.lines[index]!, at)),
      ...lookup.faults.map((one) => movedFault(one, places)),
      ...wholeFaults(sale, items, inputs, positions),
    ],
  }
}

/** More units of a bundle are sold with the parts that it was sold with. */
function changedBundleFaults({ parts }: SaleItem, line: OrderLine | null, at: number): Fault[] {
  const list = (one: SaleItem['parts'] | OrderLine['parts']) =>
    one?.map(({ product_id, variant_id, quantity }) => `${quantity} ${product_id} ${variant_id}`).join()
  if (!line || list(parts) === list(line.parts)) return []
  return [fault(`items.${at}.quantity`, orderFaults.bundle_changed)]
}

function isAdded({ item_id, quantity }: EditLine): boolean {
  return item_id === undefined && quantity > 0
}

function newQuantities({ items }: Sale, inputs: readonly EditLine[]) {
  const faults: Fault[] = []
  const quantities = new Map<string, number>()
  const positions = new Map<string, number>()
  inputs.forEach(({ item_id, quantity }, at) => {
    if (item_id === undefined) return
    const item = items.find(({ id }) => id === item_id)
    if (!item) return faults.push(fault(`items.${at}.item_id`, generalFaults.does_not_exist))
    if (positions.has(item_id)) return faults.push(fault(`items.${at}.item_id`, orderFaults.listed_twice))
    positions.set(item_id, at)
    quantities.set(item_id, quantity)
    if (quantity >= item.gone) return
    return faults.push(fault(`items.${at}.quantity`, orderFaults.units_gone, { limit: item.gone }))
  })
  return { quantities, positions, faults }
}

function keptItem(item: SaleItem, quantity: number): EditedItem[] {
  if (quantity === 0) return []
  const parts = item.parts?.map((part) => ({ ...part, price: new Decimal(part.price) })) ?? null
  return [{ ...item, parts, quantity, total: item.unit_price.times(quantity), before: item, added: null }]
}

// prettier-ignore
const unitNames = [
  'product_id', 'variant_id', 'product_name', 'category_id', 'requires_shipping', 'quantity', 'unit_price', 'total',
  'parts',
] as const

function newItem(line: OrderLine): EditedItem {
  return { id: newUuid(), ...pick(line, unitNames), settled: null, before: null, added: line }
}

function listTakenUnits(lines: readonly (OrderLine | null)[]): Movement[] {
  return lines.flatMap((line) => (line ? listSales(line) : []))
}

function listReturnedUnits({ items }: Sale, quantities: ReadonlyMap<string, number>): Movement[] {
  return items.flatMap(({ id, product_id, variant_id, quantity: before, parts }) => {
    const less = before - (quantities.get(id) ?? before)
    return less > 0 && product_id ? listStock({ product_id, variant_id, quantity: less, parts }) : []
  })
}

/** A fault of a line, reported at its line in the body. */
function movedFault(one: Fault, places: readonly number[]): Fault {
  return { ...one, field: one.field.replace(/^items\.(\d+)/, (_, index: string) => `items.${places[Number(index)]}`) }
}

function wholeFaults(
  { order_bumps }: Sale,
  items: readonly EditedItem[],
  inputs: readonly EditLine[],
  positions: ReadonlyMap<string, number>,
): Fault[] {
  const tooDear = items.flatMap(({ id, before, total }) => {
    const at = positions.get(id)
    if (!before || at === undefined || total.lessThanOrEqualTo(maxMoney)) return []
    return [fault(`items.${at}.quantity`, orderFaults.too_valuable, { limit: maxMoney })]
  })
  const isEmpty = items.length === 0 && !order_bumps && !inputs.some(isAdded)
  return [
    ...tooDear,
    ...(isEmpty ? [fault('items', orderFaults.no_item_left)] : []),
    ...(items.length > maxItems ? [fault('items', orderFaults.too_many_items, { limit: maxItems })] : []),
  ]
}
