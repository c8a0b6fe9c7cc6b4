import { set } from '../../kit/declare/composites.ts'
import { derive } from '../../kit/declare/field.ts'
import { flag, id, text, time, url } from '../../kit/declare/scalars.ts'
import { integrationFields, integrationFilters } from '../../kit/declare/metadata.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { containsPattern } from '../../kit/values/slug.ts'
import { raw, sql, type Sql } from '../../kit/database/sql.ts'
import { toUuid } from '../../kit/values/ids.ts'

export const slugField = () => text({ min: 1, max: 100, pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' })

export const seoTitleField = () =>
  text({ min: 1, max: 255 })
    .nullable()
    .example('Canvas backpacks, made to last')
    .describe('Title for search engines. Defaults to the name')
export const seoDescriptionField = () =>
  text({ min: 1, max: 320 })
    .nullable()
    .example('Waxed canvas, brass and leather. Repaired for free.')
    .describe('Description for search engines. Defaults to the description')

/** SQL for the name, normalized as `searchable` does it. */
export const searchableName = (table: string) =>
  raw(String.raw`lower(regexp_replace(normalize(${table}.name, nfd), '[\u0300-\u036f]', '', 'g'))`)

export const maxLevels = 5

/** SQL for the slugs from the top to a category. */
export const categoryPath = sql`(coalesce(categories.parent_path || '/', '') || categories.slug)`

/** A condition on categories: they are below one of these, on any level. */
export function isBelow(ids: Sql): Sql {
  return sql`(categories.parent_id is not null and categories.ancestor_ids && ${ids})`
}

// prettier-ignore
export const category = resource('categories', {
  id:              id('cat').readonly(),
  name:            text({ min: 1, max: 255 }).required().sortable().example('Bags'),
  slug:            slugField().example('bags'),
  description:     text({ max: 5000 }).nullable().example('For the city and for the woods')
    .describe('Markdown, shown at the top of its page in the online store'),
  image:           url().nullable().example('https://images.example/bags.jpg'),
  is_active:       flag().default(true),
  parent_id:       id('cat').nullable()
    .describe(`ID of the category above it; null at the top. Categories have up to ${maxLevels} levels`),
  ancestor_ids:    set(id('cat'), { max: maxLevels - 1 }).readonly()
    .describe('IDs of the categories above it, from the top'),
  path:            derive(text().example('bags'), categoryPath).sortable()
    .describe('Slugs from the top to the category, as in the URL of its page. Sorted by it, each follows its parent'),
  seo_title:       seoTitleField(),
  seo_description: seoDescriptionField(),
  ...integrationFields(),
  created_at:      time().readonly().sortable(),
  updated_at:      time().readonly().sortable(),
}, {
  search:    filter(text({ max: 200 }), (input) => sql`${searchableName('categories')} like ${containsPattern(input)}`),
  is_active: filter(flag(), (active) => sql`categories.is_active = ${active}`),
  parent_id: filter(text({ max: 100 }).describe('Only categories directly below this one; `none`: those at the top'),
    (parent) => (parent === 'none' ? sql`categories.parent_id is null`
      : sql`categories.parent_id = ${toUuid('cat', parent)}::uuid`)),
  ...integrationFilters('categories'),
}, {
  noun: 'Category',
  total: counterTotal,
  orderings: { path: ({ order }) => sql`string_to_array(${categoryPath}, '/') ${raw(String(order))}` },
})

/** The store's counter knows the total; filtered lists are counted. */
function counterTotal(query: Record<string, unknown>, storeId: string): Sql | null {
  const isFiltered = Object.keys(category.filters).some((name) => query[name] !== undefined)
  return isFiltered ? null : sql`select categories from store_counters where store_id = ${storeId}`
}
