import slugify from '@sindresorhus/slugify'
import { sql, type Sql } from '../database/sql.ts'
import { plainText, visibleText } from './names.ts'

/** A URL-safe name; a text without any Latin form falls back to the end of `id`. */
export function slugOf(name: string, id: string, maximumLength = 80): string {
  // Full-width letters and ligatures are Latin too, once they are plain.
  const latin = visibleText(name.slice(0, 200)).replace(/[\uff00-\uffef\ufb00-\ufb06]+/g, plainText)
  const slug = slugify(latin)
    .slice(0, maximumLength)
    .replace(/(?<!-)-+$/, '')
  return (
    slug ||
    id
      .slice(-12)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
  )
}

/**
 * `slug`, or with the end of `id` behind it when `taken` (a select) finds a row. Two that race for one slug meet at the
 * unique index; the loser runs again and takes the longer one.
 */
export function freeSlug(slug: string, id: string, taken: Sql): Sql {
  return sql`case when exists (${taken}) then ${`${slug}-${id.slice(-6).toLowerCase()}`}::text else ${slug}::text end`
}

/** Lower-case and without accents: what searches compare. */
export function searchable(...texts: (string | null | undefined)[]): string {
  return texts
    .filter(Boolean)
    .join(' ')
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
}

/** The pattern of a substring search for what a person typed: wildcards mean themselves. */
export function containsPattern(typed: string): string {
  return `%${searchable(typed).replace(/[\\%_]/g, '\\$&')}%`
}
