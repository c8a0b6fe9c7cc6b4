// A bundle is a product that is made of others, or a variant that is. It is sold from their stock, and may have the sum
// of their prices. Variants with different parts are what shoppers choose from.
import type { Db, Tx } from '../../kit/database/database.ts'
import { hasRow, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { joinableList, object } from '../../kit/declare/composites.ts'
import { derive } from '../../kit/declare/field.ts'
import { decimal, id, integer, uuid } from '../../kit/declare/scalars.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { publicId, toUuid } from '../../kit/values/ids.ts'
import { Decimal, getCurrencyExponent, round, sum, toNumber } from '../../kit/values/money.ts'
import { emit } from '../../tenancy/events/emit.ts'
import { hasFeature } from '../../tenancy/plans/plan.ts'
import { followStore } from '../../tenancy/stores/followups.ts'
import { storeChanged, type Store } from '../../tenancy/stores/store.ts'
import { storeFaults } from '../../tenancy/stores/errors.ts'
import { bundleStock } from '../inventory/availability.ts'
import { catalogFaults } from './errors.ts'
import { productPayloads } from './payload.ts'

export const maxBundleItems = 30

// prettier-ignore
const bundleItem = object({
  product_id: id('prod').required(),
  variant_id: uuid().nullable().describe('Required for a product with variants'),
  quantity:   integer({ min: 1, max: 100 }).default(1).describe('Units in one bundle'),
}, { always: ['product_id', 'variant_id', 'quantity'] })

export type BundleItem = { product_id: string; variant_id?: string | null; quantity: number }

const inOneForm = ({ variant_id = null, ...item }: BundleItem) => ({ ...item, variant_id })

export const bundleItemsField = (what: string) =>
  joinableList<BundleItem>(bundleItem, { max: maxBundleItems })
    .becomes((items): BundleItem[] => (items.length === 0 ? null! : items.map(inOneForm)))
    .nullable()
    .describe(`Products in the bundle, which is sold from their stock; null if the ${what} is not a bundle`)

/** The column of either table. */
export const bundleStockField = (table: 'products' | 'variants') =>
  derive(integer({ min: 0 }), sql`(case when ${raw(table)}.bundle_items is not null then ${bundleStock(table)} end)`)
    .nullable()
    .describe('Quantity of the bundle that the stock of its parts allows; null without a limit')

// prettier-ignore
export const bundleFields = {
  bundle_items: bundleItemsField('product'),
  bundle_discount_percentage: decimal({ min: 0, max: 99 }).nullable().example(10)
    .describe('If set, the price is that of the parts less this percentage; null: the bundle has its own price'),
  bundle_stock: bundleStockField('products'),
}

/** `product_id` is public. */
export type BundlePart = Omit<BundleItem, 'variant_id'> & {
  variant_id: string | null
  product_name: string
  variant_name: string | null
}

/** The parts of each bundle with their names; null for any other product. Asks nothing if none is a bundle. */
export async function findBundleParts(
  db: Db,
  storeId: string,
  bundles: readonly (readonly BundleItem[] | null)[],
): Promise<(BundlePart[] | null)[]> {
  const items = bundles.flatMap((one) => one ?? [])
  if (items.length === 0) return bundles.map(() => null)
  const rows = await db.rows<
    Pick<BundlePart, 'product_name' | 'variant_name'> & { id: string; variant_id: string }
  >(sql`
    select products.id, variants.id as variant_id, products.name as product_name, variants.title as variant_name
    from products
    left join variants on variants.store_id = ${storeId}
      and variants.product_id = products.id
      and variants.id = any(${items.flatMap(({ variant_id }) => variant_id ?? [])}::uuid[])
    where products.store_id = ${storeId}
      and products.id = any(${items.map(({ product_id }) => product_id)}::uuid[])`)
  const isOf =
    ({ product_id, variant_id = null }: BundleItem) =>
    (row: (typeof rows)[number]) =>
      row.id === product_id && (variant_id === null || row.variant_id === variant_id)
  const toPart = (item: BundleItem): BundlePart[] => {
    const row = rows.find(isOf(item))
    if (!row) return []
    const { product_id, variant_id = null, quantity } = item
    const variant_name = variant_id && row.variant_name
    return [
      { product_id: publicId('prod', product_id), variant_id, quantity, product_name: row.product_name, variant_name },
    ]
  }
  return bundles.map((one) => one && one.flatMap(toPart))
}

type VariantTerms = {
  id?: string
  bundle_items?: BundleItem[] | null
  price?: number | null
  manage_inventory?: boolean
}

/** What a body says of bundles; its items have uuids. */
type BundleTerms<V extends VariantTerms> = {
  bundle_items?: BundleItem[] | null
  bundle_discount_percentage?: number | null
  price?: number
  track_inventory?: boolean
  variants?: V[]
}

/** A product before the change, with the uuids of its parts. */
type Current = {
  bundle_items: BundleItem[] | null
  bundle_discount_percentage: number | null
  variants: readonly { id: string; bundle_items: BundleItem[] | null }[]
}

/**
 * `others` are faults of other fields, which are reported with those of the bundle. `isUndone`: what ends being a bundle
 * has its own stock as it had it before.
 */
export type BundleSubject = { id: string; before: Current | null; others: Fault[]; isUndone?: boolean }

/** The parts of the product or of one of its variants, after the change; `at`: where a body has them, if it does. */
type PartList = { items: readonly BundleItem[]; at: string | null; variant: number | null }

/**
 * The values of a product that is a bundle or has variants that are, or becomes or ends being one; none for any other.
 * The parts are locked, so that none of them becomes a bundle meanwhile.
 */
export async function planBundle<V extends VariantTerms>(
  tx: Tx,
  store: Store,
  { id, before, others, isUndone = false }: BundleSubject,
  asked: BundleTerms<V>,
): Promise<Pick<BundleTerms<V>, 'bundle_discount_percentage' | 'price' | 'track_inventory' | 'variants'>> {
  const ended = isUndone || !hasFeature(store.plan, 'inventory') ? {} : trackEnded(before, asked)
  const input = { ...asked, ...ended }
  const lists = listParts(before, input)
  const { bundle_discount_percentage: discount = before?.bundle_discount_percentage ?? null } = input
  if (lists.length === 0) {
    const isRefused = input.bundle_discount_percentage != null
    if (isRefused) throw invalid(...others, fault('bundle_discount_percentage', catalogFaults.no_bundle))
    return before?.bundle_discount_percentage == null ? ended : { ...ended, bundle_discount_percentage: null }
  }
  const own = lists.find(({ variant }) => variant === null)
  const variantCount = (input.variants ?? before?.variants ?? []).length
  const isMixed = own !== undefined && variantCount > 0
  const mixed = isMixed ? [fault('bundle_items', catalogFaults.bundle_with_variants)] : []
  if (mixed.length > 0 && own?.at === null) throw invalid(...others, ...mixed)
  const changes = lists.filter(({ at }) => at !== null)
  const isPriced = discount !== null && [input.price, input.bundle_discount_percentage].some((one) => one !== undefined)
  // Nothing of it has stock of its own.
  const isUntracked = own !== undefined || lists.length === variantCount
  const values = isUntracked && (changes.length > 0 || input.track_inventory) ? { track_inventory: false } : ended
  if (changes.length === 0 && !isPriced && !input.variants) return values
  const parts = await readParts(
    tx,
    store.id,
    lists.flatMap(({ items }) => items),
  )
  const partsOf = ({ items }: PartList) => items.map((item) => parts.get(partKey(item))!)
  if (changes.length > 0) {
    const faults = changes.flatMap((one) => findPartFaults(id, one, partsOf(one)))
    faults.unshift(...mixed)
    faults.push(...(await findWholeFaults(tx, store, id, before, changes[0]!.at!)))
    if (faults.length > 0) throw invalid(...others, ...faults)
    noteBundles(tx, store)
  }
  const prices = lists.map((one) =>
    discount === null ? null : computeBundlePrice(one.items, partsOf(one), discount, store.currency),
  )
  const variants = input.variants?.map((one, index) => {
    const at = lists.findIndex(({ variant }) => variant === index)
    return at < 0 ? one : { ...one, ...withoutStock, ...priced(prices[at]!) }
  })
  const known = prices.filter((price) => price !== null)
  return { ...values, ...priced(known.length === 0 ? null : Math.min(...known)), ...(variants ? { variants } : {}) }
}

const priced = (price: number | null) => (price === null ? {} : { price })

/** What ends being a bundle is sold out until it has stock of its own, unless it needs none. */
function trackEnded<V extends VariantTerms>(
  before: Current | null,
  { bundle_items, track_inventory = true, variants }: BundleTerms<V>,
): Pick<BundleTerms<V>, 'track_inventory' | 'variants'> {
  const bundles = new Set(before?.variants.flatMap((one) => (one.bundle_items ? one.id : [])))
  const hasEnded = (one: V) => one.bundle_items === null && one.id !== undefined && bundles.has(one.id)
  return {
    ...(bundle_items === null && before?.bundle_items ? { track_inventory } : {}),
    ...(variants?.some(hasEnded)
      ? { variants: variants.map((one) => (hasEnded(one) ? { manage_inventory: true, ...one } : one)) }
      : {}),
  }
}

const withoutStock = { manage_inventory: false, stock_quantity: 0 }

/** A variant keeps its parts unless the body names others. */
function listParts(before: Current | null, input: BundleTerms<VariantTerms>): PartList[] {
  const own = input.bundle_items === undefined ? before?.bundle_items : input.bundle_items
  const ofProduct = { items: own, at: input.bundle_items ? '' : null, variant: null }
  const known = new Map(before?.variants.map((one) => [one.id, one.bundle_items]))
  const ofVariants = input.variants
    ? input.variants.map(({ id, bundle_items }, variant) => ({
        items: bundle_items === undefined ? id && known.get(id) : bundle_items,
        at: bundle_items ? `variants.${variant}.` : null,
        variant,
      }))
    : [...known.values()].map((items) => ({ items, at: null, variant: -1 }))
  return [ofProduct, ...ofVariants].flatMap(({ items, ...one }) => (items ? { ...one, items } : []))
}

/** With public IDs. */
export function toPublicItems<T extends BundleItem[] | null | undefined>(items: T): T {
  return (items?.map((item) => ({ ...item, product_id: publicId('prod', item.product_id) })) ?? items) as T
}

type Bundled = { bundle_items: BundleItem[] | null }

/** A product with the uuids of its parts, and of those of its variants. */
export function withStoredItems<T extends Bundled & { variants: Bundled[] }>(product: T): T {
  return { ...withStored(product), variants: product.variants.map(withStored) }
}

function withStored<T extends Bundled>(one: T): T {
  const items = one.bundle_items?.map((item) => ({ ...item, product_id: toUuid('prod', item.product_id)! }))
  return items ? { ...one, bundle_items: items } : one
}

/** Null in each column where there is no such product or variant. */
type PartRow = {
  id: string | null
  price: string | null
  variant_count: number
  is_bundle: boolean
  variant_id: string | null
  variant_price: string | null
}

const partKey = ({ product_id, variant_id }: BundleItem) => `${product_id} ${variant_id}`

/** The parts by their keys. */
async function readParts(tx: Tx, storeId: string, wanted: readonly BundleItem[]): Promise<Map<string, PartRow>> {
  const items = [...new Map(wanted.map((item) => [partKey(item), item])).values()]
  const products = items.map(({ product_id }) => product_id)
  const variants = items.map(({ variant_id }) => variant_id ?? null)
  tx.later(sql`
    select from products
    where store_id = ${storeId}
      and id = any(${products}::uuid[])
    order by id
    for key share`)
  const rows = await tx.rows<PartRow>(sql`
    select products.id, products.price, products.variant_count,
      products.bundle_items is not null or ${hasRow(sql`
        from variants
        where variants.store_id = ${storeId}
          and variants.product_id = products.id
          and variants.bundle_items is not null`)} as is_bundle,
      variants.id as variant_id, variants.price as variant_price
    from unnest(${products}::uuid[], ${variants}::uuid[])
      with ordinality as wanted (product_id, variant_id, position)
    left join products on products.store_id = ${storeId}
      and products.id = wanted.product_id
    left join variants on variants.store_id = ${storeId}
      and variants.id = wanted.variant_id
      and variants.product_id = wanted.product_id
    order by wanted.position`)
  return new Map(rows.map((row, index) => [partKey(items[index]!), row]))
}

function findPartFaults(bundleId: string, { items, at: place }: PartList, parts: readonly PartRow[]): Fault[] {
  const seen = new Set<string>()
  return items.flatMap((item, index) => {
    const { product_id, variant_id } = item
    const at = (name: string) => `${place}bundle_items.${index}.${name}`
    const part = parts[index]!
    const key = partKey(item)
    if (product_id === bundleId) return fault(at('product_id'), catalogFaults.bundle_in_itself)
    if (part.id === null) return fault(at('product_id'), generalFaults.does_not_exist)
    if (part.is_bundle) return fault(at('product_id'), catalogFaults.bundle_in_bundle)
    if (seen.has(key)) return fault(at('product_id'), catalogFaults.part_repeated)
    seen.add(key)
    if (!variant_id && part.variant_count > 0) return fault(at('variant_id'), storeFaults.variant_required)
    return variant_id && !part.variant_id ? fault(at('variant_id'), storeFaults.variant_foreign) : []
  })
}

/** A product that is part of a bundle cannot become one. */
async function findWholeFaults(tx: Tx, store: Store, id: string, before: Current | null, at: string): Promise<Fault[]> {
  if (before === null) return []
  const part = JSON.stringify([{ product_id: id }])
  const [bundle] = await tx.rows<{ name: string }>(sql`
    select name
    from products
    where store_id = ${store.id}
      and bundle_items is not null
      and bundle_items @> ${part}::jsonb
    union all
    select products.name
    from variants
    join products on products.store_id = ${store.id}
      and products.id = variants.product_id
    where variants.store_id = ${store.id}
      and variants.bundle_items is not null
      and variants.bundle_items @> ${part}::jsonb
    limit 1`)
  return bundle ? [fault(`${at}bundle_items`, catalogFaults.part_of_bundle, { bundle: bundle.name })] : []
}

/** Parts that were deleted cost nothing; null if none is left. */
function computeBundlePrice(
  items: readonly BundleItem[],
  parts: readonly PartRow[],
  discount: number,
  currency: string,
): number | null {
  const amounts = items.flatMap(({ quantity }, index) => {
    const { price, variant_price } = parts[index]!
    return price === null ? [] : new Decimal(variant_price ?? price).times(quantity)
  })
  if (amounts.length === 0) return null
  const whole = sum(amounts)
  const price = round(whole.times(100 - discount).dividedBy(100), currency)
  return toNumber(Decimal.max(price, smallestPrice(currency)))
}

function smallestPrice(currency: string): Decimal {
  return new Decimal(10).pow(-getCurrencyExponent(currency))
}

/** Changes of prices ask for bundles only where there are some: the store has to be read again. */
function noteBundles(tx: Tx, store: Store): void {
  if (store.has_bundles) return
  followStore(tx, store.id)
  tx.afterCommit(() => tx.bus.publish(storeChanged, store.id))
}

/** Prices of bundles follow those of their parts: `ids` are products whose prices, parts or discounts have changed. */
export async function repriceBundles(tx: Tx, store: Store, ids: readonly string[]): Promise<void> {
  if (!store.has_bundles || ids.length === 0) return
  const exponent = raw(String(getCurrencyExponent(store.currency)))
  const priced = (table: 'products' | 'variants') => {
    const rows = raw(table)
    const product = raw(table === 'products' ? 'products.id' : 'variants.product_id')
    return sql`
      select ${rows}.id, greatest(${smallestPrice(store.currency)}::numeric, round(
          sum(coalesce(part_variants.price, parts.price) * part.quantity)
            * (100 - bundles.bundle_discount_percentage) / 100, ${exponent})) as price
      from ${rows}
      join products as bundles on bundles.store_id = ${store.id}
        and bundles.id = ${product}
        and bundles.bundle_discount_percentage is not null
      cross join lateral jsonb_to_recordset(${rows}.bundle_items)
        as part (product_id uuid, variant_id uuid, quantity int)
      join products as parts on parts.store_id = ${store.id}
        and parts.id = part.product_id
      left join variants as part_variants on part_variants.store_id = ${store.id}
        and part_variants.id = part.variant_id
      where ${rows}.store_id = ${store.id}
        and ${rows}.bundle_items is not null
      group by ${rows}.id, bundles.id, bundles.bundle_discount_percentage
      having bundles.id = any(${ids}::uuid[]) or bool_or(part.product_id = any(${ids}::uuid[]))`
  }
  const follow = (table: 'products' | 'variants', prices: Sql, returned: string) =>
    tx.rows<{ id: string }>(sql`
    update ${raw(table)}
    set price = priced.price, updated_at = ${tx.now}
    from (${prices}) as priced
    where ${raw(table)}.store_id = ${store.id}
      and ${raw(table)}.id = priced.id
      and ${raw(table)}.price is distinct from priced.price
    returning ${raw(returned)} as id`)
  const ofVariants = await follow('variants', priced('variants'), 'variants.product_id')
  const changed = [...new Set([...ofVariants.map(({ id }) => id), ...ids])]
  // A product costs what its cheapest bundle does.
  const cheapest = sql`
      select product_id as id, min(variants.price) as price
      from variants
      join products as bundles on bundles.store_id = ${store.id}
        and bundles.id = variants.product_id
        and bundles.bundle_discount_percentage is not null
      where variants.store_id = ${store.id}
        and variants.product_id = any(${changed}::uuid[])
        and variants.bundle_items is not null
      group by product_id`
  const ofProducts = await follow(
    'products',
    sql`${priced('products')}
      union all
      ${cheapest}`,
    'products.id',
  )
  // What changed the others has an event of its own.
  const others = [...new Set([...ofVariants, ...ofProducts].map(({ id }) => id))].filter((id) => !ids.includes(id))
  if (others.length === 0) return
  const payloads = await productPayloads(tx, store.id, others)
  for (const { id, payload } of payloads) emit(tx, store, 'product.updated', id, payload)
}
