// Sums of months and years by category. A product whose category changes is noted with the one that it had, under which
// its sums count until the job moves them.
import type { Tx } from '../../kit/database/database.ts'
import { inReach, raw, sql, type Sql } from '../../kit/database/sql.ts'
import { daySums } from './days.ts'
import { buildProductIdCase } from './parts.ts'

const storesPerWalk = 200
const productsPerBatch = 500

export const storesWithMoves = (pastStores: string[]) => sql`
  select distinct store_id
  from unsummed_categories
  where store_id <> all(${pastStores}::text[])
    and ${inReach('store_id')}
  order by store_id
  limit ${raw(String(storesPerWalk))}`

const addition = raw(daySums.map((name) => `${name} = sales_by_period.${name} + excluded.${name}`).join(', '))

/** Adds rows of store, kind, unit, begin, key, label and sums to the months and years. Citus needs the alias. */
export function addToPeriods(rows: Sql): Sql {
  return sql`
    insert into sales_by_period as sales_by_period
      (store_id, kind, unit, begins, key, label, ${raw(daySums.join(', '))})
    ${rows}
    on conflict (store_id, kind, unit, begins, key) do update
    set label = coalesce(excluded.label, sales_by_period.label), ${addition}`
}

/** The category that the sums of a product count under. */
const countedCategory = (storeId: string) => sql`coalesce((
        select category
        from unsummed_categories as notes
        where notes.store_id = ${storeId}
          and notes.product_id = ${buildProductIdCase('sales_by_day.key')}
        order by position
        limit 1), products.category_id::text, '')`

/** Adds the stored days of products to their categories, or subtracts them. */
export function sumByCategory(storeId: string, days: Sql, sign: '+' | '-'): Sql {
  return addToPeriods(sql`
    select ${storeId}, 'category', unit, date_trunc(unit, day::timestamp)::date, ${countedCategory(storeId)}, null,
      ${raw(daySums.map((name) => `sum(${sign}${name})`).join(', '))}
    from sales_by_day
    left join products on products.store_id = ${storeId}
      and products.id = ${buildProductIdCase('sales_by_day.key')}
    cross join (values ('month'), ('year')) as units (unit)
    where sales_by_day.store_id = ${storeId}
      and kind = 'product'
      and day = ${days}
    group by 3, 4, 5`)
}

/** Moves the sums of some noted products from the category of their first note to that of now. */
export async function moveSums(tx: Tx, storeId: string): Promise<void> {
  // One statement sees the notes of a product exactly if it sees its category.
  const moves = await tx.rows<{ product_id: string; last: string; before: string; after: string }>(sql`
    select product_id, last, before, coalesce(products.category_id::text, '') as after
    from (
      select product_id, max(position) as last, (array_agg(category order by position))[1] as before
      from unsummed_categories
      where store_id = ${storeId}
      group by product_id
      order by product_id
      limit ${raw(String(productsPerBatch))}) as noted
    left join products on products.store_id = ${storeId}
      and products.id = noted.product_id`)
  if (moves.length === 0) return
  const ids = moves.map(({ product_id }) => product_id)
  tx.later(
    addToPeriods(sql`
    select ${storeId}, 'category', unit, begins, side.category, null,
      ${raw(daySums.map((name) => `sum(sign * ${name})`).join(', '))}
    from unnest(
      ${ids}::text[],
      ${moves.map(({ before }) => before)}::text[],
      ${moves.map(({ after }) => after)}::text[]) as moved (key, before, after)
    cross join lateral (values (before, -1), (after, 1)) as side (category, sign)
    join sales_by_period as sums on sums.store_id = ${storeId}
      and sums.kind = 'product'
      and sums.unit = any('{month,year}')
      and sums.key = moved.key
    where before <> after
    group by unit, begins, side.category`),
  )
  tx.later(sql`
    delete from unsummed_categories
    using unnest(${ids}::uuid[], ${moves.map(({ last }) => last)}::bigint[]) as moved (product_id, last)
    where unsummed_categories.store_id = ${storeId}
      and unsummed_categories.product_id = moved.product_id
      and position <= last`)
}
