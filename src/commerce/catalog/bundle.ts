// A bundle is a product that is made of others, or a variant that is. It is sold from their stock, and may have the sum
// of their prices. Variants with different parts are what shoppers choose from.
import type { Db } from '../../kit/database/database.ts'
import { raw, sql } from '../../kit/database/sql.ts'
import { joinableList, object } from '../../kit/declare/composites.ts'
import { derive } from '../../kit/declare/field.ts'
import { decimal, id, integer, uuid } from '../../kit/declare/scalars.ts'
import { publicId, toUuid } from '../../kit/values/ids.ts'
import { bundleStock } from '../inventory/availability.ts'

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
