// Tags: labels of the merchant's own, in a `text[]` column named tags, with the index of store_tags().
import { raw, sql } from '../database/sql.ts'
import { set } from './composites.ts'
import { filter } from './resource.ts'
import { text } from './scalars.ts'

/** The most tags that a record can have. */
export const maxTags = 50

export const tag = () => text({ min: 1, max: 255, pattern: '^[^,\\r\\n]*$' })

export const tags = () => set(tag(), { max: maxTags, unique: true }).default([])

/** The filter of lists by any of some tags. `one`: a record in words. */
export function tagFilter(table: string, one: string) {
  const own = raw(`store_tags(${table}.store_id, ${table}.tags)`)
  return filter(
    text({ max: 4000 }).describe(`Comma-separated tags, of which ${one} has any; case is ignored`),
    (list, { store_id }) => sql`(${raw(table)}.tags <> '{}'
      and ${own} && store_tags(${store_id}, ${tagsIn(list)}::text[]))`,
  )
}

/** Tags as people type them, separated by commas. */
export function tagsIn(list: string): string[] {
  return [
    ...new Set(
      list
        .split(',')
        .map((one) => one.trim())
        .filter(Boolean),
    ),
  ]
}
