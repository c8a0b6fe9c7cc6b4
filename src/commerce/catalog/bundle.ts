// A bundle is a product that is made of others. It is sold from their stock, and may have the sum of their prices.
import type { Db, Tx } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { joinableList, object } from '../../kit/declare/composites.ts'
import { decimal, id, integer, uuid } from '../../kit/declare/scalars.ts'
import { invalid } from '../../kit/values/errors.ts'
import { fault, generalFaults, type Fault } from '../../kit/values/faults.ts'
import { publicId, toUuid } from '../../kit/values/ids.ts'
import { Decimal, getCurrencyExponent, round, sum, toNumber } from '../../kit/values/money.ts'
import { emit } from '../../tenancy/events/emit.ts'
import { followStore } from '../../tenancy/stores/followups.ts'
import { storeChanged, type Store } from '../../tenancy/stores/store.ts'
import { storeFaults } from '../../tenancy/stores/errors.ts'
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

// prettier-ignore
export const bundleFields = {
  bundle_items: joinableList<BundleItem>(bundleItem, { max: maxBundleItems })
    .becomes((items): BundleItem[] => (items.length === 0 ? null! : items.map(inOneForm)))
    .nullable()
    .describe('Products in the bundle, which is sold from their stock; null if the product is not a bundle'),
  bundle_discount_percentage: decimal({ min: 0, max: 99 }).nullable().example(10)
    .describe('If set, the price is that of the parts less this percentage; null: the bundle has its own price'),
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

type BundleTerms = { bundle_items?: BundleItem[] | null; bundle_discount_percentage?: number | null }

/** A product before the change, as the API shows it. */
type Current = { id: string; bundle_items: BundleItem[] | null; bundle_discount_percentage: number | null }

/** `others` are faults of other fields, which are reported with those of the bundle. */
export type BundleSubject = { id: string; before: Current | null; hasVariants: boolean; others: Fault[] }

type Planned = BundleTerms & { price?: number; track_inventory?: boolean }

/**
 * The values of a product that is a bundle, or becomes or ends being one; none for any other. Its parts are locked, so
 * that none of them becomes a bundle meanwhile.
 */
export async function planBundle(
  tx: Tx,
  store: Store,
  { id, before, hasVariants, others }: BundleSubject,
  input: BundleTerms & { price?: number; track_inventory?: boolean },
): Promise<Planned> {
  const items = input.bundle_items === undefined ? toStoredItems(before) : input.bundle_items
  const percentage = input.bundle_discount_percentage ?? null
  if (items === null) {
    if (percentage !== null) throw invalid(...others, fault('bundle_discount_percentage', catalogFaults.no_bundle))
    return before?.bundle_discount_percentage == null ? {} : { bundle_discount_percentage: null }
  }
  const mixed = hasVariants ? [fault('bundle_items', catalogFaults.bundle_with_variants)] : []
  if (mixed.length > 0 && input.bundle_items === undefined) throw invalid(...others, ...mixed)
  const { bundle_discount_percentage: discount = before?.bundle_discount_percentage ?? null } = input
  const isPriced = discount !== null && [input.price, input.bundle_discount_percentage].some((one) => one !== undefined)
  const own = { track_inventory: false }
  if (input.bundle_items === undefined && !isPriced) return input.track_inventory ? own : {}
  const parts = await readParts(tx, store.id, items)
  if (input.bundle_items) {
    const faults = [...mixed, ...findPartFaults(id, items, parts), ...(await findWholeFaults(tx, store, id, before))]
    if (faults.length > 0) throw invalid(...others, ...faults)
    noteBundles(tx, store)
  }
  return discount === null ? own : { ...own, price: computeBundlePrice(items, parts, discount, store.currency) }
}

/** The items with the uuids of their products. */
export function toStoredItems(before: Pick<Current, 'bundle_items'> | null): BundleItem[] | null {
  return before?.bundle_items?.map((item) => ({ ...item, product_id: toUuid('prod', item.product_id)! })) ?? null
}

type PartRow = {
  id: string | null
  price: string
  variant_count: number
  is_bundle: boolean
  variant_id: string | null
  variant_price: string | null
}

/** The parts in the order of the items. */
async function readParts(tx: Tx, storeId: string, items: readonly BundleItem[]): Promise<PartRow[]> {
  const products = items.map(({ product_id }) => product_id)
  const variants = items.map(({ variant_id }) => variant_id ?? null)
  tx.later(sql`
    select from products
    where store_id = ${storeId}
      and id = any(${products}::uuid[])
    order by id
    for key share`)
  return tx.rows<PartRow>(sql`
    select products.id, products.price, products.variant_count, products.bundle_items is not null as is_bundle,
      variants.id as variant_id, variants.price as variant_price
    from unnest(${products}::uuid[], ${variants}::uuid[])
      with ordinality as wanted (product_id, variant_id, position)
    left join products on products.store_id = ${storeId}
      and products.id = wanted.product_id
    left join variants on variants.store_id = ${storeId}
      and variants.id = wanted.variant_id
      and variants.product_id = wanted.product_id
    order by wanted.position`)
}

function findPartFaults(bundleId: string, items: readonly BundleItem[], parts: readonly PartRow[]): Fault[] {
  const seen = new Set<string>()
  return items.flatMap(({ product_id, variant_id }, index) => {
    const at = (name: string) => `bundle_items.${index}.${name}`
    const part = parts[index]!
    const key = `${product_id} ${variant_id}`
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
async function findWholeFaults(tx: Tx, store: Store, id: string, before: Current | null): Promise<Fault[]> {
  if (before === null) return []
  const [bundle] = await tx.rows<{ name: string }>(sql`
    select name
    from products
    where store_id = ${store.id}
      and bundle_items is not null
      and bundle_items @> ${JSON.stringify([{ product_id: id }])}::jsonb
    limit 1`)
  return bundle ? [fault('bundle_items', catalogFaults.part_of_bundle, { bundle: bundle.name })] : []
}

function computeBundlePrice(
  items: readonly BundleItem[],
  parts: readonly PartRow[],
  discount: number,
  currency: string,
): number {
  const whole = sum(
    items.map(({ quantity }, index) => new Decimal(parts[index]!.variant_price ?? parts[index]!.price).times(quantity)),
  )
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

/** Prices of bundles follow those of their parts: `ids` are products whose prices have changed. */
export async function repriceBundles(tx: Tx, store: Store, ids: readonly string[]): Promise<void> {
  if (!store.has_bundles || ids.length === 0) return
  const changes = await tx.rows<{ id: string }>(sql`
    update products
    set price = priced.price, updated_at = ${tx.now}
    from (
      select bundles.id, greatest(${smallestPrice(store.currency)}::numeric, round(
          sum(coalesce(variants.price, parts.price) * part.quantity)
            * (100 - bundles.bundle_discount_percentage) / 100,
          ${raw(String(getCurrencyExponent(store.currency)))})) as price
      from products as bundles
      cross join lateral jsonb_to_recordset(bundles.bundle_items)
        as part (product_id uuid, variant_id uuid, quantity int)
      join products as parts on parts.store_id = ${store.id}
        and parts.id = part.product_id
      left join variants on variants.store_id = ${store.id}
        and variants.id = part.variant_id
      where bundles.store_id = ${store.id}
        and bundles.bundle_items is not null
        and bundles.bundle_discount_percentage is not null
      group by bundles.id, bundles.bundle_discount_percentage
      having bundles.id = any(${ids}::uuid[]) or bool_or(part.product_id = any(${ids}::uuid[]))) as priced
    where products.store_id = ${store.id}
      and products.id = priced.id
      and products.price <> priced.price
    returning products.id`)
  if (changes.length === 0) return
  const payloads = await productPayloads(
    tx,
    store.id,
    changes.map(({ id }) => id),
  )
  for (const { id, payload } of payloads) emit(tx, store, 'product.updated', id, payload)
}
