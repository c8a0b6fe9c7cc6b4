// The filters of a product list, with the number of products for each value.
import type { Db } from '../../kit/database/database.ts'
import { and, join, sql, type Sql } from '../../kit/database/sql.ts'
import { toNumber } from '../../kit/values/money.ts'
import type { Language } from '../../kit/values/language.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import { buildTermTranslator, type TranslateTerm, type Term } from '../../tenancy/stores/terms.ts'
import { countFilterValues, hasFilterValue } from '../../tenancy/stores/customvalues.ts'
import type { CustomFieldType } from '../../tenancy/stores/customfield.ts'
import { textsIn } from '../../tenancy/stores/translations.ts'
import { isForSale, isPurchasable } from '../inventory/availability.ts'
import { hasOption, readOptions } from './options.ts'
import { publicProduct } from './public.ts'

/** Longer lists get no counts; their filters by price and stock still work. */
const maxCounted = 3000
const maxValues = 60

export type Facets = {
  lowest: number
  highest: number
  in_stock: number
  options: { title: string; value: string; count: number }[]
  fields: { key: string; label: string; type: CustomFieldType; value: string; count: number }[]
}

/**
 * `query` has the parameters of the list, and `price` is the price that its filters and the range are about. Null if
 * there are too many products to count.
 */
export async function countFacets(
  db: Db,
  store: Store,
  query: Record<string, unknown>,
  price = sql`products.price`,
): Promise<Facets | null> {
  const hasFields = store.custom_field_kinds.includes('product')
  const facets = await db.one<Record<keyof Facets, any> & { products: number }>(sql`
    with found as materialized (
      select ${price} as price, products.options, products.custom_fields, ${isPurchasable.product} as sells,
        ${failedFilters(query, price)} as failed
      from products
      where products.store_id = ${store.id}
        and ${isForSale}
        and ${buildFacetScope(store, query)}
      limit ${maxCounted + 1})
    select count(*) as products,
      min(price) filter (where failed <@ array['price']) as lowest,
      max(price) filter (where failed <@ array['price']) as highest,
      count(*) filter (where sells and failed <@ array['stock']) as in_stock,
      (select coalesce(json_agg(counted), '[]')
       from (
         select option.title, value, count(*) as count
         from found,
           json_to_recordset(found.options) as option (title text, position int, values json),
           json_array_elements_text(option.values) as value
         where failed <@ array['option ' || option.title]
         group by option.title, value
         order by min(option.position), option.title, count(*) desc, value
         limit ${maxValues}) as counted) as options,
      ${hasFields ? countFilterValues(store.id, 'found', maxValues) : noFields} as fields
    from found`)
  const { products, lowest, highest, in_stock, options, fields } = facets!
  if (products > maxCounted) return null
  return { lowest: toNumber(lowest ?? 0), highest: toNumber(highest ?? 0), in_stock, options, fields }
}

const noFields = sql`'[]'::json`

/** The list before filters are applied. */
function buildFacetScope(store: Store, query: Record<string, unknown>): Sql {
  const context = { ...store, store_id: store.id }
  const names = ['words', 'category', 'collection'] as const
  const conditions = names.flatMap((name) => {
    const value = query[name]
    return typeof value === 'string' ? [publicProduct.filters[name].where(value, context)] : []
  })
  return and(conditions.filter((condition) => condition !== null))
}

/** Names the filters that exclude a row. A value's count includes the rows that only its own filter excludes. */
function failedFilters(query: Record<string, unknown>, price: Sql): Sql {
  const { 'price[gte]': min, 'price[lte]': max, in_stock, options, fields } = query
  const conditions = [
    ...(min === undefined ? [] : [sql`case when ${price} < ${min}::numeric then 'price' end`]),
    ...(max === undefined ? [] : [sql`case when ${price} > ${max}::numeric then 'price' end`]),
    ...(in_stock ? [sql`case when not ${isPurchasable.product} then 'stock' end`] : []),
    ...failedPairs('option', options, hasOption),
    ...failedPairs('field', fields, hasFilterValue),
  ]
  return sql`array_remove(array[${join(conditions, ', ')}]::text[], null)`
}

function failedPairs(
  kind: string,
  list: unknown,
  match: (title: string, values: readonly string[]) => Sql,
): readonly Sql[] {
  return [...readOptions(typeof list === 'string' ? list : '')].map(
    ([title, values]) => sql`case when not ${match(title, values)} then ${`${kind} ${title}`}::text end`,
  )
}

/** Translates titles and values of options with the terms of the store's products. */
export async function findTerms(db: Db, storeId: string, language: Language | null): Promise<TranslateTerm> {
  if (language === null) return buildTermTranslator(null)
  const terms = await db.rows<Term>(sql`
    select said.term, min(said.text) as text
    from (
        select ${textsIn('products', language)} -> 'terms' as terms
        from products
        where products.store_id = ${storeId}
          and products.translations is not null
          and ${isForSale}
        limit ${maxCounted}) as translated,
      json_to_recordset(translated.terms) as said (term text, text text)
    group by said.term`)
  return buildTermTranslator(terms)
}
