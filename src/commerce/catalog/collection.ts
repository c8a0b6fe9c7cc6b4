// A collection: products in an order that the merchant chooses. A product can be in several collections.
import { choice, flag, id, integer, text, time, url } from '../../kit/declare/scalars.ts'
import { integrationFields, integrationFilters } from '../../kit/declare/metadata.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import type { Entity } from '../../kit/declare/field.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { containsPattern } from '../../kit/values/slug.ts'
import { sql, type Sql } from '../../kit/database/sql.ts'
import { searchableName, seoDescriptionField, seoTitleField, slugField } from './category.ts'

const sortOrders = ['manual', 'newest', 'price_up', 'price_down', 'name'] as const

// prettier-ignore
export const collection = resource('collections', {
  id:              id('coll').readonly(),
  name:            text({ min: 1, max: 255 }).required().sortable().example('Summer'),
  slug:            slugField().example('summer'),
  description:     text({ max: 5000 }).nullable().example('Light things for long days')
    .describe('Markdown, shown at the top of its page in the online store'),
  image:           url().nullable().example('https://images.example/summer.jpg'),
  is_active:       flag().default(true),
  sort_order:      choice(sortOrders).default('manual')
    .describe('Default sort order on its page; manual: the order that you set'),
  position:        integer({ min: 0, max: 100_000 }).default(0).sortable().describe('Position among collections'),
  products_count:  integer({ min: 0 }).readonly().describe('Number of products, whatever their status'),
  seo_title:       seoTitleField(),
  seo_description: seoDescriptionField(),
  ...integrationFields(),
  created_at:      time().readonly().sortable(),
  updated_at:      time().readonly().sortable(),
}, {
  search:     filter(text({ max: 200 }), (input) =>
    sql`${searchableName('collections')} like ${containsPattern(input)}`),
  is_active:  filter(flag(), (active) => sql`collections.is_active = ${active}`),
  product_id: filter(text({ max: 100 }).describe('Only collections with this product'), (product, { store_id }) => sql`
    collections.id in (
      select collection_id
      from collection_products
      where store_id = ${store_id}
        and product_id = ${toUuid('prod', product)}::uuid)`),
  ...integrationFilters('collections'),
}, {
  noun: 'Collection',
  total: counterTotal,
})

/** The store's counter knows the total; filtered lists are counted. */
function counterTotal(query: Record<string, unknown>, storeId: string): Sql | null {
  const isFiltered = Object.keys(collection.filters).some((name) => query[name] !== undefined)
  return isFiltered ? null : sql`select collections from store_counters where store_id = ${storeId}`
}

export type Collection = Entity<typeof collection.fields>

/** The maximum number of products in a collection. */
export const maxCollectionProducts = 10_000
