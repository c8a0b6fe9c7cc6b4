// Prices of bundles that are those of their parts less a percentage.
import type { Tx } from '../../kit/database/database.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { Decimal, getCurrencyExponent, round, sum, toNumber } from '../../kit/values/money.ts'
import { emit } from '../../tenancy/events/emit.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { BundleItem } from './bundle.ts'
import { productPayloads } from './payload.ts'

/** The prices of a part, and of its variant; null where there is none. */
export type PartPrice = { price: string | null; variant_price: string | null }

/** Parts that were deleted cost nothing; null if none is left. */
export function computeBundlePrice(
  items: readonly BundleItem[],
  parts: readonly PartPrice[],
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

/** Prices of bundles follow those of their parts: `ids` are products whose prices, parts or discounts have changed. */
export async function repriceBundles(tx: Tx, store: Store, ids: readonly string[]): Promise<void> {
  if (!store.has_bundles || ids.length === 0) return
  const bundles = await lockBundles(tx, store.id, ids)
  if (bundles.length === 0) return
  const follow = (table: BundleTable, prices: Sql, returned: string) =>
    tx.rows<{ id: string }>(sql`
    update ${raw(table)}
    set price = priced.price, updated_at = ${tx.now}
    from (${prices}) as priced
    where ${raw(table)}.store_id = ${store.id}
      and ${raw(table)}.id = priced.id
      and ${raw(table)}.price is distinct from priced.price
    returning ${raw(returned)} as id`)
  const ofVariants = await follow('variants', buildPrices('variants', store, bundles), 'variants.product_id')
  // A product costs what its cheapest bundle does.
  const cheapest = sql`
      select product_id as id, min(variants.price) as price
      from variants
      join products as bundles on bundles.store_id = ${store.id}
        and bundles.id = variants.product_id
        and bundles.bundle_discount_percentage is not null
      where variants.store_id = ${store.id}
        and variants.product_id = any(${bundles}::uuid[])
        and variants.bundle_items is not null
      group by product_id`
  const ofProducts = await follow(
    'products',
    sql`${buildPrices('products', store, bundles)}
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

type BundleTable = 'products' | 'variants'

const productColumn = (table: BundleTable) => raw(table === 'products' ? 'products.id' : 'variants.product_id')

function buildPrices(table: BundleTable, store: Store, bundles: readonly string[]): Sql {
  const [rows, product] = [raw(table), productColumn(table)]
  const exponent = raw(String(getCurrencyExponent(store.currency)))
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
        and ${product} = any(${bundles}::uuid[])
        and ${rows}.bundle_items is not null
      group by ${rows}.id, bundles.id, bundles.bundle_discount_percentage`
}

/**
 * The bundles among these products, and those that have one of them as a part, with a discount or without: it may be
 * given one meanwhile. Of transactions that change different parts of a bundle, the last one then sees all prices.
 */
async function lockBundles(tx: Tx, storeId: string, ids: readonly string[]): Promise<string[]> {
  const made = (table: BundleTable) => {
    const [rows, product] = [raw(table), productColumn(table)]
    return sql`
        select ${product} as id
        from ${rows}
        cross join lateral jsonb_to_recordset(${rows}.bundle_items) as part (product_id uuid)
        where ${rows}.store_id = ${storeId}
          and ${rows}.bundle_items is not null
          and (${product} = any(${ids}::uuid[]) or part.product_id = any(${ids}::uuid[]))`
  }
  const found = await tx.rows<{ id: string }>(sql`${made('products')}
      union ${made('variants')}`)
  const bundles = found.map(({ id }) => id)
  // By their IDs: of rows that change while it waits, PostgreSQL loses some of a union that its plan makes unique.
  if (bundles.length > 0)
    tx.later(sql`
    select from products
    where store_id = ${storeId}
      and id = any(${bundles}::uuid[])
    order by id
    for no key update`)
  return bundles
}
