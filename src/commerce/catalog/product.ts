import { list, many, object } from '../../kit/declare/composites.ts'
import { derive, type Create, type Entity, type Patch, type ReadContext } from '../../kit/declare/field.ts'
import { choice, decimal, flag, id, integer, money, text, time, url } from '../../kit/declare/scalars.ts'
import { integrationFields, integrationFilters, partIdFilter } from '../../kit/declare/metadata.ts'
import { tagFilter, tags } from '../../kit/declare/tags.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { filter, resource, type NarrowTable } from '../../kit/declare/resource.ts'
import { containsPattern } from '../../kit/values/slug.ts'
import { contains, usesTrigrams } from '../../kit/declare/textsearch.ts'
import { sql, type Sql, currentTime, hasRow, bindStore } from '../../kit/database/sql.ts'
import { isPurchasable } from '../inventory/availability.ts'
import { availableOnField, availableOnFilters } from './availableon.ts'
import { bundleFields } from './bundle.ts'
import { customValues, customValuesFilter } from '../../tenancy/stores/customvalues.ts'
import { productStatuses } from './payload.ts'
import { isBelow, seoDescriptionField, seoTitleField, slugField } from './category.ts'
import { galleryField } from './gallery.ts'
import { lowestPriorPrice } from './priorprices.ts'
import { unitMeasureField } from './unitprices.ts'
import {
  barcodeField,
  hsCodeField,
  maxOptions,
  maxVariants,
  option,
  optionNames,
  originField,
  variant,
  weightField,
  type VariantInput,
} from './variant.ts'

// An automatic discount lowers the price of the product for everyone, by its terms alone: without a minimum and without
// buying something else. Discounts are further up. A test compares the condition with what the checkout takes off.
const isDiscounted = hasRow(sql`from discounts
      where discounts.store_id = ${bindStore('products.store_id')}
        and discounts.is_automatic
        and discounts.is_active
        and coalesce(discounts.starts_at <= ${currentTime}, true)
        and coalesce(discounts.expires_at > ${currentTime}, true)
        and (discounts.max_uses = 0 or discounts.current_uses < discounts.max_uses)
        and discounts.type in ('percentage', 'fixed_amount')
        and discounts.customer_group_ids = '{}'
        and discounts.min_order_amount = 0
        and discounts.min_quantity <= 1
        and (discounts.applies_to_all
          or products.id = any(discounts.applicable_product_ids)
          or products.category_id = any(discounts.applicable_category_ids))`)

const quantity = () => integer({ min: 0, max: 1_000_000_000 })

/** Each sale moves the stock of a product and its updated_at. */
export const listedProducts = {
  table: 'listed_products',
  sorts: ['updated_at'],
  filters: ['is_featured'],
  knows: ['price[gte]', 'price[lte]'],
} satisfies NarrowTable

// prettier-ignore
export const product = resource('products', {
  id:                     id('prod').readonly(),
  name:                   text({ min: 1, max: 255 }).required().sortable().example('Canvas backpack'),
  slug:                   slugField().example('canvas-backpack'),
  description:            text({ max: 100_000 }).nullable().example('Waxed canvas, 18 liters')
    .describe('Text in Markdown'),
  seo_title:              seoTitleField(),
  seo_description:        seoDescriptionField(),
  price:                  money({ above: 0 }).required().sortable().example(1500.5),
  compare_price:          money().nullable().example(1800),
  lowest_prior_price:     lowestPriorPrice('products'),
  unit_pricing_measure:   unitMeasureField(),
  unit_price:             derive(money().example(16.67),
    sql`unit_price(products.price, products.unit_pricing_measure)`).nullable()
    .describe('Price of one unit, such as a kilogram; null without unit_pricing_measure'),
  unit_pricing_base_measure: derive(text().example('1 l'), sql`base_measure(products.unit_pricing_measure)`).nullable()
    .describe('What unit_price is the price of'),
  main_image:             url().nullable().example('https://images.example/backpack.jpg')
    .describe('URL of the main image (https); defaults to the first image in the gallery'),
  gallery:                galleryField().describe('Images and videos in display order'),
  product_status:         choice(productStatuses).default('active'),
  publish_at:             time().nullable()
    .describe('When a draft becomes active by itself; null once it has'),
  unpublish_at:           time().nullable()
    .describe('When the active product becomes a draft again; null once it has'),
  archived_at:            time().nullable().readonly(),
  is_featured:            flag().default(false),
  sku:                    text({ max: 255 }).nullable().example('BAG-01'),
  barcode:                barcodeField(),
  weight:                 weightField(),
  requires_shipping:      flag().default(true)
    .describe('Whether it is shipped; false for what is not, such as a download or a service'),
  country_of_origin:      originField(),
  hs_code:                hsCodeField(),
  brand:                  text({ min: 1, max: 255 }).nullable().example('Acme')
    .describe('Brand or manufacturer'),
  tags:                   tags().example(['summer', 'gift'])
    .describe('Labels of your own, for filters; shoppers do not see them'),
  track_inventory:        flag().default(false).describe('Whether stock is tracked'),
  stock_quantity:         integer({ min: -1_000_000_000, max: 1_000_000_000 }).default(0).sortable(),
  low_stock_threshold:    quantity().default(5),
  continue_selling:       flag().default(false).describe('Whether to keep selling when out of stock'),
  available_on:           availableOnField()
    .describe('Day from which it ships; if it lies ahead, orders are pre-orders, and shoppers are told the day'),
  supplier_cost:          money().nullable().describe('Purchase price from the supplier'),
  wholesale_price:        money().nullable().describe('Price for wholesale buyers'),
  wholesale_min_quantity: quantity().nullable().describe('Smallest quantity sold at the wholesale price'),
  condition:              choice(['new', 'used', 'refurbished']).default('new')
    .describe('Condition of the product, such as new'),
  invoice_available:      flag().default(false).describe('Whether an invoice can be issued for the product'),
  fast_shipping:          flag().default(false).describe('Whether the product is marked as shipping fast'),
  warranty_months:        integer({ min: 0, max: 1200 }).nullable().describe('Warranty in months'),
  category_id:            id('cat').nullable(),
  is_purchasable:         derive(flag().example(true), isPurchasable.product),
  has_discount:           derive(flag().example(true),
    sql`(coalesce(products.compare_price > products.price, false) or ${isDiscounted})`)
    .describe('Whether compare_price is above price, or an automatic discount without conditions covers the product'),
  discount_percentage:    derive(money().example(16.64), sql`(
    case when products.compare_price > products.price
      then round((products.compare_price - products.price) * 100 / products.compare_price, 2) else 0 end)`)
        .describe('Reduction from compare_price to price, in percent'),
  options:                list(object(option, { always: optionNames }), { max: maxOptions })
    .describe('Options, such as size and color'),
  variants:               many<Entity<typeof variant.fields>>(variant, {
    count: sql`products.variant_count`,
    input: list(object(variant.fields, { knownBy: 'id' }), { max: maxVariants }),
  }),
  ...bundleFields,
  custom_fields:          customValues('product'),
  ...integrationFields(),
  created_at:             time().readonly().sortable(),
  updated_at:             time().readonly().sortable(),
}, {
  search:       filter(text({ max: 200 }), matches),
  status:       filter(choice([...productStatuses, 'scheduled', 'all']).default('active')
    .describe('Status; scheduled: drafts that have a publish_at'), whereStatus),
  category_id:  filter(text({ max: 4000 }).describe('Comma-separated category IDs'), isInCategories),
  subtree:      filter(flag().describe('Whether category_id also means the categories below those'), () => null),
  collection_id: filter(text({ max: 4000 }).describe('Comma-separated collection IDs'), (ids, { store_id }) => sql`
    products.id in (
      select product_id from collection_products
      where store_id = ${store_id}
        and collection_id = any(${readUuidList('coll', ids)}::uuid[]))`),
  tag:          tagFilter('products', 'a product'),
  is_featured:  filter(flag(), (isFeatured) =>
    (isFeatured ? sql`products.is_featured` : sql`not products.is_featured`)),
  'price[gte]': filter(decimal({ min: 0 }), (least) => sql`products.price >= ${least}`),
  'price[lte]': filter(decimal({ min: 0 }), (most) => sql`products.price <= ${most}`),
  ...availableOnFilters,
  stock_status: filter(choice(['in_stock', 'low_stock', 'out_of_stock']), (status) => stockIs(status)),
  ...customValuesFilter('products'),
  ...integrationFilters('products'),
  variant_external_id: partIdFilter('products', 'variants', 'product_id', 'External ID of one of the variants'),
}, {
  noun: 'Product',
  total: counterTotal,
  narrow: {
    ...listedProducts,
    sorts: ['updated_at', 'stock_quantity'],
    filters: [...listedProducts.filters, 'stock_status'],
    knows: [...listedProducts.knows, 'status'],
  },
})

export type Product = Entity<typeof product.fields>
type FilterContext = ReadContext & { store_id: string }
type Variants = { variants?: VariantInput[] }
export type NewProduct = Omit<Create<typeof product.fields>, 'variants'> & Variants
export type ProductPatch = Omit<Patch<typeof product.fields>, 'variants'> & Variants

function isInCategories(list: string, { store_id, has_subcategories, query }: FilterContext): Sql {
  const ids = readUuidList('cat', list)
  if (!has_subcategories || !query?.subtree) return sql`products.category_id = any(${ids}::uuid[])`
  return sql`products.category_id = any(array(
    select categories.id
    from categories
    where categories.store_id = ${store_id}
      and (categories.id = any(${ids}::uuid[]) or ${isBelow(sql`${ids}::uuid[]`)})))`
}

function whereStatus(status: string): Sql | null {
  if (status === 'all') return null
  return status === 'scheduled' ? sql`products.publish_at is not null` : sql`products.product_status = ${status}`
}

/** Matches the product's own text or a SKU: by trigrams in a large store, otherwise in all texts. */
function matches(input: string, { store_id, ...context }: FilterContext): Sql {
  const pattern = containsPattern(input)
  const isMatch = contains('products', 'search_text', input, context)
  if (usesTrigrams('products', input, context)) {
    return sql`(${isMatch} or products.id = any(array(
      select product_id
      from variants
      where variants.store_id = ${store_id}
        and variants.search_text <> ''
        and variants.search_text like ${pattern})))`
  }
  if (context.isWalk) {
    return sql`(${isMatch} or (products.variant_count > 0 and ${hasRow(sql`
    from variants
    where variants.store_id = ${store_id}
      and variants.product_id = products.id
      and (variants.search_text || '') like ${pattern}`)}))`
  }
  // The store's SKUs are read once, not once per product.
  return sql`(${isMatch} or (products.variant_count > 0 and products.id in (
    select product_id
    from variants
    where store_id = ${store_id}
      and search_text like ${pattern})))`
}

/** The uuids in a comma-separated list. IDs of another kind match nothing. */
function readUuidList(prefix: 'cat' | 'coll', list: string): string[] {
  return list
    .split(',')
    .map((one) => toUuid(prefix, one.trim()))
    .filter((uuid) => uuid !== null)
}

function stockIs(status: 'in_stock' | 'low_stock' | 'out_of_stock'): Sql {
  switch (status) {
    case 'in_stock':
      return sql`(not products.track_inventory
      or products.stock_quantity > products.low_stock_threshold)`
    case 'low_stock':
      return sql`(products.track_inventory and products.stock_quantity > 0
      and products.stock_quantity <= products.low_stock_threshold)`
    case 'out_of_stock':
      return sql`(products.track_inventory and products.stock_quantity <= 0)`
  }
}

/** The store's counters know the number of products by status; other filters are counted. */
// prettier-ignore
function counterTotal(query: Record<string, unknown>, storeId: string, within: readonly Sql[]): Sql | null {
  if (within.length > 0) return null
  const others = Object.keys(product.filters).filter((name) => name !== 'status')
  if (others.some((name) => query[name] !== undefined) || query.status === 'scheduled') return null
  const counters = {
    active:   sql`products_active`,
    draft:    sql`products_draft`,
    archived: sql`products_archived`,
    all:      sql`products_active + products_draft + products_archived`,
  }
  return sql`select ${counters[query.status as keyof typeof counters]} from store_counters where store_id = ${storeId}`
}
