import { flag, id, text, time, url } from '../../kit/declare/scalars.ts'
import { filter, resource } from '../../kit/declare/resource.ts'
import { containsPattern } from '../../kit/values/slug.ts'
import { raw, sql } from '../../kit/database/sql.ts'

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

// prettier-ignore
export const category = resource('categories', {
  id:              id('cat').readonly(),
  name:            text({ min: 1, max: 255 }).required().sortable().example('Bags'),
  slug:            slugField().example('bags'),
  description:     text({ max: 5000 }).nullable().example('For the city and for the woods')
    .describe('Markdown, shown at the top of its page in the online store'),
  image:           url().nullable().example('https://images.example/bags.jpg'),
  is_active:       flag().default(true),
  seo_title:       seoTitleField(),
  seo_description: seoDescriptionField(),
  created_at:      time().readonly().sortable(),
  updated_at:      time().readonly().sortable(),
}, {
  search:    filter(text({ max: 200 }), (input) => sql`${searchableName('categories')} like ${containsPattern(input)}`),
  is_active: filter(flag(), (active) => sql`categories.is_active = ${active}`),
}, {
  noun: 'Category',
  total: (query, storeId) => query.search === undefined && query.is_active === undefined
    ? sql`select categories from store_counters where store_id = ${storeId}`
    : null,
})
