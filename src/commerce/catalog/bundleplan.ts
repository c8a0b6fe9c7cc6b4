// Makes a product or variants of it bundles, or ends that: what is wrong with their parts, and what follows from them.
import type { Db, Tx } from '../../kit/database/database.ts'
import { hasRow, sql } from '../../kit/database/sql.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { hasFeature } from '../../tenancy/plans/plan.ts'
import { storeFaults } from '../../tenancy/stores/errors.ts'
import { followStore } from '../../tenancy/stores/followups.ts'
import { storeChanged, type Store } from '../../tenancy/stores/store.ts'
import type { BundleItem } from './bundle.ts'
import { computeBundlePrice, type PartPrice } from './bundleprices.ts'
import { catalogFaults } from './errors.ts'

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
 * `others` are faults of other fields, which are reported with those of the bundle. `isUndone`: what ends being a
 * bundle has its own stock as it had it before.
 */
export type BundleSubject = { id: string; before: Current | null; others: Fault[]; isUndone?: boolean }

/** The parts of the product or of one of its variants, after the change; `at`: where a body has them, if it does. */
type PartList = { items: readonly BundleItem[]; at: string | null }

/**
 * The values of a product that is a bundle or has variants that are, or becomes or ends being one; none for any other.
 * New parts are locked, so that none of them becomes a bundle or costs something else meanwhile. What changes the price
 * of any other part waits for the lock of the bundle.
 */
export async function planBundle<V extends VariantTerms>(
  tx: Tx,
  store: Store,
  { id, before, others, isUndone = false }: BundleSubject,
  asked: BundleTerms<V>,
): Promise<Pick<BundleTerms<V>, 'bundle_discount_percentage' | 'price' | 'track_inventory' | 'variants'>> {
  const ended = isUndone || !hasFeature(store.plan, 'inventory') ? {} : trackEnded(before, asked)
  const input = { ...asked, ...ended }
  const own = findPartList(input.bundle_items, before?.bundle_items, '')
  const ofVariants = listVariantParts(before, input)
  const lists = [own, ...ofVariants].filter((one) => one !== null)
  const { bundle_discount_percentage: discount = before?.bundle_discount_percentage ?? null } = input
  if (lists.length === 0) {
    const isRefused = input.bundle_discount_percentage != null
    if (isRefused) throw invalid(...others, fault('bundle_discount_percentage', catalogFaults.no_bundle))
    return before?.bundle_discount_percentage == null ? ended : { ...ended, bundle_discount_percentage: null }
  }
  const mixed = own && ofVariants.length > 0 ? [fault('bundle_items', catalogFaults.bundle_with_variants)] : []
  if (mixed.length > 0 && own?.at === null) throw invalid(...others, ...mixed)
  const changes = lists.filter(({ at }) => at !== null)
  const isPriced = discount !== null && [input.price, input.bundle_discount_percentage].some((one) => one !== undefined)
  // Nothing of it has stock of its own.
  const isUntracked = own !== null || ofVariants.every((one) => one !== null)
  const values = isUntracked && (changes.length > 0 || input.track_inventory) ? { track_inventory: false } : ended
  if (changes.length === 0 && !isPriced && !input.variants) return values
  const allItems = lists.flatMap(({ items }) => items)
  lockParts(tx, store.id, allItems, listProductIds(before))
  const parts = await readParts(tx, store.id, allItems)
  const partsOf = ({ items }: PartList) => items.map((item) => parts.get(partKey(item))!)
  if (changes.length > 0) {
    const faults = [...mixed, ...changes.flatMap((one) => findPartFaults(id, one, parts))]
    faults.push(...(await findWholeFaults(tx, store, id, before, changes[0]!.at!)))
    if (faults.length > 0) throw invalid(...others, ...faults)
    noteBundles(tx, store)
  }
  const priceOf = (one: PartList) =>
    discount === null ? null : computeBundlePrice(one.items, partsOf(one), discount, store.currency)
  const prices = new Map(lists.map((one) => [one, priceOf(one)]))
  const variants = input.variants?.map((one, index) => {
    const list = ofVariants[index]!
    return list === null ? one : { ...one, ...withoutStock, ...priced(prices.get(list)!) }
  })
  const known = [...prices.values()].filter((price) => price !== null)
  return { ...values, ...priced(known.length === 0 ? null : Math.min(...known)), ...(variants ? { variants } : {}) }
}

const priced = (price: number | null) => (price === null ? {} : { price })

/** What is wrong with the parts that a product or its variants would have. Locks nothing. `id`: null for a new one. */
export async function previewBundleFaults(
  db: Db,
  storeId: string,
  id: string | null,
  input: BundleTerms<VariantTerms>,
): Promise<Fault[]> {
  const lists = [findPartList(input.bundle_items, null, ''), ...listVariantParts(null, input)]
  const present = lists.filter((one) => one !== null)
  if (present.length === 0) return []
  const parts = await readParts(
    db,
    storeId,
    present.flatMap(({ items }) => items),
  )
  return present.flatMap((one) => findPartFaults(id, one, parts))
}

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

/** What has parts keeps them unless the body names others. */
function findPartList(
  asked: BundleItem[] | null | undefined,
  kept: BundleItem[] | null | undefined,
  place: string,
): PartList | null {
  const items = asked === undefined ? kept : asked
  return items ? { items, at: asked ? place : null } : null
}

/** Of each variant after the change; null for one that is not a bundle. */
function listVariantParts(before: Current | null, { variants }: BundleTerms<VariantTerms>): (PartList | null)[] {
  const known = before?.variants ?? []
  if (!variants) return known.map((one) => findPartList(undefined, one.bundle_items, ''))
  const keptOf = new Map(known.map((one) => [one.id, one.bundle_items]))
  return variants.map(({ id, bundle_items }, index) =>
    findPartList(bundle_items, id === undefined ? null : keptOf.get(id), `variants.${index}.`),
  )
}

/** Null in each column where there is no such product or variant. */
type PartRow = PartPrice & { id: string | null; variant_count: number; is_bundle: boolean; variant_id: string | null }

const partKey = ({ product_id, variant_id }: BundleItem) => `${product_id} ${variant_id}`

/** Of all parts that a product and its variants have. */
function listProductIds(before: Current | null): Set<string> {
  const lists = before ? [before, ...before.variants].map(({ bundle_items }) => bundle_items ?? []) : []
  return new Set(lists.flat().map(({ product_id }) => product_id))
}

/** Those that are not `kept`. */
function lockParts(tx: Tx, storeId: string, items: readonly BundleItem[], kept: ReadonlySet<string>): void {
  const added = [...new Set(items.map(({ product_id }) => product_id))].filter((id) => !kept.has(id))
  if (added.length === 0) return
  tx.later(sql`
    select from products
    where store_id = ${storeId}
      and id = any(${added}::uuid[])
    order by id
    for share`)
}

/** The parts by their keys. */
async function readParts(db: Db, storeId: string, wanted: readonly BundleItem[]): Promise<Map<string, PartRow>> {
  const items = [...new Map(wanted.map((item) => [partKey(item), item])).values()]
  const products = items.map(({ product_id }) => product_id)
  const variants = items.map(({ variant_id }) => variant_id ?? null)
  const rows = await db.rows<PartRow>(sql`
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

function findPartFaults(
  bundleId: string | null,
  { items, at: place }: PartList,
  parts: ReadonlyMap<string, PartRow>,
): Fault[] {
  const seen = new Set<string>()
  return items.flatMap((item, index) => {
    const { product_id, variant_id } = item
    const at = (name: string) => `${place}bundle_items.${index}.${name}`
    const key = partKey(item)
    const part = parts.get(key)!
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

/** Changes of prices ask for bundles only where there are some: the store has to be read again. */
function noteBundles(tx: Tx, store: Store): void {
  if (store.has_bundles) return
  followStore(tx, store.id)
  tx.afterCommit(() => tx.bus.publish(storeChanged, store.id))
}
