// Turns requested items into order lines with names and prices, and reports why an item cannot be sold.
import type { Db } from '../../kit/database/database.ts'
import { fault, type Fault, type Sentence, type Filling, generalFaults } from '../../kit/values/faults.ts'
import { Decimal, maxMoney, round, sum } from '../../kit/values/money.ts'
import type { TextsByKey } from '../../kit/declare/composites.ts'
import { select, type Row } from '../../kit/declare/row.ts'
import { sql } from '../../kit/database/sql.ts'
import { hasFeature } from '../../tenancy/plans/plan.ts'
import { findDayAhead } from '../catalog/availableon.ts'
import { product } from '../catalog/product.ts'
import { variant } from '../catalog/variant.ts'
import type { BundleItem } from '../catalog/bundle.ts'
import { toAvailability, toPartAvailability, type Availability } from '../inventory/availability.ts'
import type { Movement } from '../inventory/stock.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { LocalPrices } from '../tax/prices.ts'
import type { LineInput } from './item.ts'
import { areAnyShipped } from './load.ts'
import { computeBundleLeft, listStock, repriceParts, sharePrice, type LinePart } from './parts.ts'
import { computeUnitPrice } from './pricing.ts'
import { orderFaults } from './errors.ts'
import { storeFaults } from '../../tenancy/stores/errors.ts'

export type OrderLine = {
  product_id: string | null
  variant_id: string | null
  product_name: string
  variant_name: string | null
  sku: string | null
  category_id: string | null
  /** Of one piece, in grams; null if it is unknown. */
  weight: number | null
  requires_shipping: boolean
  /** The day from which it ships, if that lies ahead. */
  available_on: string | null
  quantity: number
  unit_price: Decimal
  total: Decimal
  external_id: string | null
  metadata: TextsByKey
  /** Of one bundle; null for any other product. */
  parts: LinePart[] | null
  is_tracked: boolean
  left: Availability['left']
  /** True if shoppers can see the quantity left. */
  is_few: boolean
}

/** Returns each line, or null if it cannot be sold, and all faults. Nothing is locked yet; moveStock decides. */
export async function lookUpLines(
  db: Db,
  store: Store,
  inputs: readonly LineInput[],
): Promise<{ lines: (OrderLine | null)[]; faults: Fault[] }> {
  const [products, variants] = await Promise.all([
    readProducts(
      db,
      store.id,
      inputs.map(({ product_id }) => product_id),
    ),
    readVariants(
      db,
      store.id,
      inputs.map(({ variant_id }) => variant_id),
    ),
  ])
  const allParts = await readBundleParts(db, store.id, [...products.values(), ...variants.values()])
  const faults: Fault[] = []
  const orderLines = inputs.map((one, index) => {
    const reject: AddFault = (field, code, ...filling) => {
      faults.push(fault(`items.${index}.${field}`, code, ...filling))
      return null
    }
    const details = one.product_id
      ? productLine(one, { db, products, variants, allParts }, store, reject)
      : customLine(one, reject)
    if (!details) return null
    const { quantity, external_id = null, metadata = {} } = one
    const line = { ...details, quantity, total: details.unit_price.times(quantity), external_id, metadata }
    return line.total.greaterThan(maxMoney) ? reject('quantity', orderFaults.too_valuable, { limit: maxMoney }) : line
  })
  faults.push(...stockFaults(orderLines))
  return { lines: orderLines, faults }
}

type LineDetails = Omit<OrderLine, 'quantity' | 'total' | 'external_id' | 'metadata'>
type AddFault = <S extends Sentence>(field: string, sentence: S, ...filling: Filling<S>) => null

/** A custom line brings its own name and price. */
function customLine(one: LineInput, reject: AddFault): LineDetails | null {
  const { product_name, variant_name = null, unit_price, variant_id } = one
  if (variant_id) return reject('product_id', orderFaults.product_required)
  if (!product_name) reject('product_name', orderFaults.line_incomplete)
  if (typeof unit_price !== 'number') reject('unit_price', orderFaults.line_incomplete)
  if (!product_name || typeof unit_price !== 'number') return null
  return {
    product_id: null,
    variant_id: null,
    product_name,
    variant_name,
    sku: null,
    category_id: null,
    weight: null,
    requires_shipping: true,
    available_on: null,
    unit_price: new Decimal(unit_price),
    parts: null,
    is_tracked: false,
    left: null,
    is_few: false,
  }
}

function productLine(
  one: LineInput,
  { db, products, variants, allParts }: SoldRecords,
  store: Store,
  reject: AddFault,
): LineDetails | null {
  const product = products.get(one.product_id!)
  const variant = one.variant_id ? variants.get(one.variant_id) : undefined
  if (!product) return reject('product_id', generalFaults.does_not_exist)
  const { isForSale, isItem, isTracked, left, isFew } = toAvailability(product, variant)
  if (!isForSale) return reject('product_id', orderFaults.not_for_sale, { status: product.product_status })
  if (!one.variant_id && !isItem) return reject('variant_id', storeFaults.variant_required)
  if (one.variant_id && variant?.product_id !== product.id) return reject('variant_id', storeFaults.variant_foreign)
  const items = variant ? variant.bundle_items : product.bundle_items
  const parts = items && toLineParts(items, allParts, store.currency)
  // A part that is gone or archived makes the bundle sold out, whatever is left of the others.
  const bundleLeft = parts && (parts.some((part) => part === null) ? 0 : computeBundleLeft(parts as LinePart[]))
  const terms = { currency: store.currency, sellsWholesale: hasFeature(store.plan, 'wholesale') }
  const unit_price = new Decimal(
    one.unit_price ?? computeUnitPrice(product, variant?.price ?? null, one.quantity, terms),
  )
  const soldParts = parts?.filter((part) => part !== null) ?? null
  return {
    product_id: product.id,
    variant_id: variant?.id ?? null,
    product_name: product.name,
    variant_name: variant?.title ?? null,
    sku: variant?.sku ?? product.sku,
    category_id: product.category_id,
    weight: variant?.weight ?? product.weight ?? (parts && sumWeights(parts)),
    requires_shipping: needsShipping(product, variant) && areAnyShipped(soldParts ?? []),
    available_on: findDayAhead(db, store, variant?.available_on ?? product.available_on),
    unit_price,
    parts: soldParts && sharePrice(soldParts, unit_price, store.currency),
    is_tracked: isTracked,
    left: parts ? bundleLeft : left,
    is_few: parts ? (bundleLeft ?? 0) <= (variant ?? product).low_stock_threshold : isFew,
  }
}

/** Null if no part has a weight. What is not shipped weighs nothing. */
function sumWeights(parts: readonly (LinePart | null)[]): number | null {
  const weights = parts.flatMap((part) =>
    part?.weight == null ? [] : part.requires_shipping ? part.weight * part.quantity : 0,
  )
  return weights.length === 0 ? null : weights.reduce((all, weight) => all + weight, 0)
}

/** The line at the prices of its destination. */
export function repriceLine(line: OrderLine, prices: LocalPrices): OrderLine {
  const parts = line.parts && repriceParts(line.parts, prices)
  const unit_price = parts ? sum(parts.map(({ price }) => price)) : prices.ofGoods(line.unit_price, line)
  return { ...line, parts, unit_price, total: unit_price.times(line.quantity) }
}

/** What the line takes from tracked stock. */
export function listSales({ product_id, variant_id, quantity, is_tracked, parts }: OrderLine): Movement[] {
  const units = parts ? parts.filter((part) => part.is_tracked) : null
  if (!units && !is_tracked) return []
  return listStock({ product_id: product_id!, variant_id, quantity: -quantity, parts: units })
}

type Demand = { key: string; quantity: number; left: number | null }

/** What a line takes from stock: its item, or the parts of its bundle. */
function listDemands({ product_id, variant_id, quantity, left, parts }: OrderLine): Demand[] {
  if (!parts) return [{ key: `${product_id} ${variant_id}`, quantity, left }]
  return parts.map((part) => ({
    key: `${part.product_id} ${part.variant_id}`,
    quantity: part.quantity * quantity,
    left: part.left,
  }))
}

/** Several lines of one item share its stock, and so do the bundles that it is part of. */
function stockFaults(lines: readonly (OrderLine | null)[]): Fault[] {
  const quantities = new Map<string, number>()
  for (const { key, quantity } of lines.flatMap((line) => (line ? listDemands(line) : []))) {
    quantities.set(key, (quantities.get(key) ?? 0) + quantity)
  }
  const hasBundles = lines.some((line) => line?.parts)
  return lines.flatMap((line, index) => {
    if (!line || line.left === null) return []
    const isShort = listDemands(line).some(({ key, left }) => left !== null && quantities.get(key)! > left)
    if (!isShort && line.quantity <= line.left) return []
    const field = `items.${index}.quantity`
    const { left: count, quantity } = line
    if (count === 0) return [fault(field, orderFaults.sold_out)]
    // Alone, it would be possible.
    if (quantity <= count && hasBundles) return [fault(field, orderFaults.left_with_others)]
    return [fault(field, orderFaults.only_left, { count })]
  })
}

// prettier-ignore
const soldProduct = select(product, [
  'id',
  'name',
  'sku',
  'product_status',
  'price',
  'wholesale_price',
  'wholesale_min_quantity',
  'category_id',
  'weight',
  'requires_shipping',
  'track_inventory',
  'stock_quantity',
  'low_stock_threshold',
  'continue_selling',
  'available_on',
  'bundle_items',
])
// prettier-ignore
const soldVariant = select(variant, [
  'id',
  'title',
  'sku',
  'price',
  'weight',
  'requires_shipping',
  'manage_inventory',
  'stock_quantity',
  'low_stock_threshold',
  'continue_selling_when_out_of_stock',
  'available_on',
  'bundle_items',
])

type SoldProduct = Row<typeof soldProduct> & { variant_count: number }
type SoldRecords = {
  db: Db
  products: Map<string, SoldProduct>
  variants: Map<string, SoldVariant>
  allParts: BundleParts
}
type BundleParts = Pick<SoldRecords, 'products' | 'variants'>
type SoldVariant = Row<typeof soldVariant> & { product_id: string }

function needsShipping(
  product: Pick<SoldProduct, 'requires_shipping'>,
  variant: Pick<SoldVariant, 'requires_shipping'> | undefined,
): boolean {
  return variant?.requires_shipping ?? product.requires_shipping
}

type OptionalIds = (string | null | undefined)[]

/** The parts of all bundles among the items, if there are any. */
async function readBundleParts(
  db: Db,
  storeId: string,
  sold: readonly Pick<SoldProduct, 'bundle_items'>[],
): Promise<BundleParts> {
  const items = sold.flatMap(({ bundle_items }) => bundle_items ?? [])
  const [products, variants] = await Promise.all([
    readProducts(
      db,
      storeId,
      items.map(({ product_id }) => product_id),
    ),
    readVariants(
      db,
      storeId,
      items.map(({ variant_id }) => variant_id),
    ),
  ])
  return { products, variants }
}

/** The parts in their order, with their own prices; null for one that cannot be sold. */
function toLineParts(
  items: readonly BundleItem[],
  { products, variants }: BundleParts,
  currency: string,
): (LinePart | null)[] {
  return items.map(({ product_id, variant_id, quantity }) => {
    const product = products.get(product_id)
    const variant = variant_id ? variants.get(variant_id) : undefined
    const isWhole = product && (variant_id ? variant?.product_id === product.id : true)
    const availability = isWhole ? toPartAvailability(product, variant) : null
    if (!product || !availability) return null
    return {
      product_id,
      variant_id: variant?.id ?? null,
      category_id: product.category_id,
      product_name: product.name,
      variant_name: variant?.title ?? null,
      sku: variant?.sku ?? product.sku,
      quantity,
      price: round(variant?.price ?? product.price, currency).times(quantity),
      weight: variant?.weight ?? product.weight,
      requires_shipping: needsShipping(product, variant),
      is_tracked: availability.isTracked,
      left: availability.left,
    }
  })
}

async function readProducts(db: Db, storeId: string, requestedIds: OptionalIds): Promise<Map<string, SoldProduct>> {
  const ids = [...new Set(requestedIds.filter(Boolean))]
  if (ids.length === 0) return new Map()
  const rows = await db.rows<SoldProduct>(sql`
    select ${soldProduct.columns}, variant_count
    from products
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
  return new Map(rows.map((row) => [row.id, row]))
}

async function readVariants(db: Db, storeId: string, requestedIds: OptionalIds): Promise<Map<string, SoldVariant>> {
  const ids = [...new Set(requestedIds.filter(Boolean))]
  if (ids.length === 0) return new Map()
  const rows = await db.rows<SoldVariant>(sql`
    select ${soldVariant.columns}, product_id
    from variants
    where store_id = ${storeId}
      and id = any(${ids}::uuid[])`)
  return new Map(rows.map((row) => [row.id, row]))
}
