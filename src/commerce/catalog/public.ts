// Products as shoppers see them: only active ones, without costs and stock quantities.
import { translateLines } from './linenames.ts'
import type { Db } from '../../kit/database/database.ts'
import { many } from '../../kit/declare/composites.ts'
import { derive, type Entity, type ReadContext } from '../../kit/declare/field.ts'
import { choice, flag, integer, text } from '../../kit/declare/scalars.ts'
import { loadEntities, entityList, entityPage, page, loadRecord, type RecordPage } from '../../kit/declare/page.ts'
import { filter, resource, type Json, type ListQuery, type RecordOf } from '../../kit/declare/resource.ts'
import { json } from '../../kit/declare/route.ts'
import { languages, type Language } from '../../kit/values/language.ts'
import { contains } from '../../kit/declare/textsearch.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { isForSale, isPurchasable, stockLeft } from '../inventory/availability.ts'
import { hasFilterValue, shownCustomValues } from '../../tenancy/stores/customvalues.ts'
import type { Store } from '../../tenancy/stores/store.ts'
import type { Term } from '../../tenancy/stores/terms.ts'
import { inLanguages, type Untranslated } from '../../tenancy/stores/translations.ts'
import { findBundleParts, type BundleItem, type BundlePart } from './bundle.ts'
import { isBelow } from './category.ts'
import { hasOptions, matchAll } from './options.ts'
import { listedProducts, product } from './product.ts'
import { idMatching, matchesIdOrSlug } from './slugs.ts'
import { productTranslations, withTerms } from './translations.ts'
import { variant } from './variant.ts'
import { byRelevance, matchesWords } from './search.ts'
import { isShipped } from './shipped.ts'

const fewLeft = (expression: Sql) =>
  derive(integer({ min: 1 }), expression)
    .nullable()
    .describe('Quantity left if stock is low; otherwise null')

// prettier-ignore
export const publicVariant = resource('variants', {
  id:             variant.fields.id,
  title:          variant.fields.title,
  sku:            variant.fields.sku,
  barcode:        variant.fields.barcode,
  price:          variant.fields.price.describe("Price of the variant; if null, the product's price applies"),
  compare_price:  variant.fields.compare_price,
  lowest_prior_price:   variant.fields.lowest_prior_price,
  unit_pricing_measure: variant.fields.unit_pricing_measure,
  image:          variant.fields.image,
  position:       variant.fields.position,
  option_values:  variant.fields.option_values,
  bundle_items:   variant.fields.bundle_items,
  custom_fields:  shownCustomValues('variants', 'variant'),
  is_purchasable: variant.fields.is_purchasable,
  stock_left:     fewLeft(stockLeft.variant),
  available_on:   variant.fields.available_on,
  requires_shipping: derive(flag().example(true), isShipped.variant).nullable()
    .describe('Whether the variant is shipped; if null, what its product says applies'),
}, {}, {
  noun: 'Variant',
  title: 'Storefront variant',
  parent: { column: 'product_id', order: 'variants.position, variants.id' },
})

/** The language of texts. A record without a translation keeps its own texts. */
export const languageFilter = filter(
  choice(languages).describe("Language of texts; the store's default language if omitted or not translated"),
  () => null,
)

// prettier-ignore
export const publicProduct = resource('products', {
  id:                  product.fields.id,
  name:                product.fields.name,
  slug:                product.fields.slug,
  description:         product.fields.description,
  seo_title:           product.fields.seo_title,
  seo_description:     product.fields.seo_description,
  price:               product.fields.price,
  compare_price:       product.fields.compare_price,
  lowest_prior_price:        product.fields.lowest_prior_price,
  unit_pricing_measure:      product.fields.unit_pricing_measure,
  unit_price:                product.fields.unit_price,
  unit_pricing_base_measure: product.fields.unit_pricing_base_measure,
  main_image:          product.fields.main_image,
  gallery:             product.fields.gallery,
  is_featured:         product.fields.is_featured,
  sku:                 product.fields.sku,
  barcode:             product.fields.barcode,
  brand:               product.fields.brand,
  condition:           product.fields.condition,
  invoice_available:   product.fields.invoice_available,
  fast_shipping:       product.fields.fast_shipping,
  warranty_months:     product.fields.warranty_months,
  category_id:         product.fields.category_id,
  custom_fields:       shownCustomValues('products', 'product'),
  is_purchasable:      product.fields.is_purchasable,
  has_discount:        product.fields.has_discount,
  discount_percentage: product.fields.discount_percentage,
  stock_left:          fewLeft(stockLeft.product),
  available_on:        product.fields.available_on,
  requires_shipping:   derive(flag().example(true), isShipped.product)
    .describe('Whether it is shipped; false for a bundle none of whose parts is'),
  bundle_items:        product.fields.bundle_items,
  options:             product.fields.options,
  variants:            many<Entity<typeof publicVariant.fields>>(publicVariant, { count: sql`products.variant_count` }),
  created_at:          product.fields.created_at,
  updated_at:          product.fields.updated_at,
}, {
  search:      filter(text({ max: 200 }), (input, context) => contains('products', 'search_text', input, context)),
  category:    filter(text({ max: 100 }).describe('Slug or ID of the category, whose subcategories count as well'),
    isInCategory),
  collection:  filter(text({ max: 100 }).describe('Slug or ID of the collection'), (collection, { store_id }) => sql`
    products.id in (
      select product_id from collection_products
      where store_id = ${store_id}
        and collection_id = ${idMatching('collections', store_id, collection)})`),
  is_featured: product.filters.is_featured,
  words:       filter(text({ max: 200 })
    .describe('Words to match in any order, by prefix, in names, descriptions, option values and SKUs'),
    (input, { store_id }) => matchesWords(store_id, input)),
  'price[gte]': product.filters['price[gte]'],
  'price[lte]': product.filters['price[lte]'],
  in_stock:    filter(flag(), (isWanted) => (isWanted ? isPurchasable.product : null)),
  options:     filter(text({ max: 2000 })
    .describe('Selected options, e.g. Color:Red,Color:Blue,Size:M; percent-encode names and values'), hasOptions),
  fields:      filter(text({ max: 2000 })
    .describe('Values of custom fields with the visibility filter, e.g. material:Linen,material:Cotton; percent-encode '
      + 'values'), (list) => matchAll(list, hasFilterValue)),
  lang:        languageFilter,
}, {
  noun: 'Product',
  title: 'Storefront product',
  isSearch: (query) => query.search !== undefined || query.words !== undefined,
  orderings: { relevance: ({ words }, { name }) => byRelevance(String(words), name?.spec.expression) },
  total: counterTotal,
  narrow: { ...listedProducts, knows: [...listedProducts.knows, 'lang', isForSale] },
})

function isInCategory(category: string, { store_id, has_subcategories }: ReadContext & { store_id: string }): Sql {
  const id = idMatching('categories', store_id, category)
  if (!has_subcategories) return sql`products.category_id = ${id}`
  return sql`products.category_id = any(array(
      select ${id}
      union all
      select categories.id
      from categories
      where categories.store_id = ${store_id}
        and ${isBelow(sql`array[${id}]`)}))`
}

/** The total comes from the store's counter; filtered lists are counted. */
function counterTotal(query: Record<string, unknown>, storeId: string, within: readonly Sql[]): Sql | null {
  const names = Object.keys(publicProduct.filters)
  const isFiltered =
    names.some((name) => name !== 'lang' && query[name] !== undefined) || within.some((one) => one !== isForSale)
  return isFiltered ? null : sql`select products_active from store_counters where store_id = ${storeId}`
}

const productsIn = inLanguages(publicProduct, productTranslations, { isMarked: true })

/** The resource with texts in a language, or with the records' own texts. */
export const productIn = (language: TextLanguage) => (language ? productsIn(language) : publicProduct)

/** `terms` are the option terms of a translated product. */
export type PublicProduct = Entity<typeof publicProduct.fields> & { terms?: Term[] | null } & Untranslated

/** The language that texts are translated into; null: they are not translated. */
export type TextLanguage = Language | null

/** The products for sale. */
export async function listPublicProducts(
  db: Db,
  store: Store,
  query: ListQuery,
  language: TextLanguage,
): Promise<Json<RecordPage<PublicProduct>>> {
  if (language === null) return page(db, publicProduct, store, query, isForSale)
  const { data, pagination } = await entityList(db, productIn(language), store, query, isForSale)
  return json({ data: data.map(withTerms), pagination }) as Json<RecordPage<PublicProduct>>
}

/** The same products as objects, for the pages of the online store. */
export function readPublicProducts(
  db: Db,
  store: Store,
  query: ListQuery,
  language: TextLanguage,
): Promise<RecordPage<PublicProduct>> {
  return entityPage(db, productIn(language), store, query, isForSale)
}

const walkBatchSize = 250

/** All products for sale, read in batches to limit memory. */
export async function* walkPublicProducts(
  db: Db,
  storeId: string,
  language: TextLanguage,
): AsyncGenerator<PublicProduct[]> {
  const view = productIn(language)
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await db.texts(sql`
      select ${view.columns}
      from products
      where store_id = ${storeId}
        and id > ${last}
        and ${isForSale}
      order by id
      limit ${walkBatchSize}`)
    if (rows.length > 0) yield await loadEntities(db, view, storeId, rows)
    if (rows.length < walkBatchSize) return
    last = rows.at(-1)![0]!
  }
}

export async function findPublicProduct(
  db: Db,
  store: Store,
  idOrSlug: string,
  language: TextLanguage,
): Promise<RecordOf<PublicProduct>> {
  const view = productIn(language)
  const [row] = await db.texts(sql`
    select ${view.columnsOfOne}
    from products
    where store_id = ${store.id}
      and ${matchesIdOrSlug('products', idOrSlug)}`)
  return loadRecord(db, view, store.id, row)
}

/** Products for sale by their uuids, or by those of their variants. */
export async function findProductsForSale(
  db: Db,
  store: Store,
  { products, variants }: { products: readonly string[]; variants: readonly string[] },
  language: TextLanguage,
): Promise<PublicProduct[]> {
  if (products.length + variants.length === 0) return []
  const view = productIn(language)
  const ofVariants = sql`
    select product_id
    from variants
    where store_id = ${store.id}
      and id = any(${[...variants]}::uuid[])`
  const condition = sql`id = any(${[...products]}::uuid[])`
  const rows = await db.texts(sql`
    select ${view.columns}
    from products
    where store_id = ${store.id}
      and ${variants.length === 0 ? condition : sql`(${condition} or id in (${ofVariants}))`}
      and ${isForSale}
    order by id`)
  return rows.length > 0 ? loadEntities(db, view, store.id, rows) : []
}

export type Thumbnail = { slug: string; image: string | null; parts: BundlePart[] | null }

/** The image, the URL and the parts of each line of a cart; null if the product is not for sale. IDs are uuids. */
export async function findThumbnails(
  db: Db,
  storeId: string,
  translation: Language | null,
  lines: readonly { product_id: string; variant_id: string | null }[],
): Promise<(Thumbnail | null)[]> {
  const products = lines.map(({ product_id }) => product_id),
    variants = lines.map(({ variant_id }) => variant_id)
  type Row = Omit<Thumbnail, 'parts'> & { position: number; bundle_items: BundleItem[] | null }
  const rows = await db.rows<Row>(sql`
    select wanted.position, products.slug, coalesce(variants.image, products.main_image) as image,
      coalesce(variants.bundle_items, products.bundle_items) as bundle_items
    from unnest(${products}::uuid[], ${variants}::uuid[])
      with ordinality as wanted (product_id, variant_id, position)
    join products on products.store_id = ${storeId}
      and products.id = wanted.product_id
      and ${isForSale}
    left join variants on variants.store_id = ${storeId}
      and variants.id = wanted.variant_id`)
  const allParts = await findShownParts(
    db,
    storeId,
    translation,
    rows.map(({ bundle_items }) => bundle_items),
  )
  const thumbnails = new Map(
    rows.map(({ position, bundle_items: _, ...row }, index) => [Number(position), { ...row, parts: allParts[index]! }]),
  )
  return lines.map((_, index) => thumbnails.get(index + 1) ?? null)
}

/** The parts of each bundle, with names in another language; null for any other product. */
export async function findShownParts(
  db: Db,
  storeId: string,
  translation: Language | null,
  bundles: readonly (readonly BundleItem[] | null)[],
): Promise<(BundlePart[] | null)[]> {
  const parts = await findBundleParts(db, storeId, bundles)
  const named = await translateLines(
    db,
    storeId,
    translation,
    parts.flatMap((one) => one ?? []),
  )
  let first = 0
  return parts.map((one) => one && named.slice(first, (first += one.length)))
}
