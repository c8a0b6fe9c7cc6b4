// Searches for a part of a text. Where a store has many rows in a table, an index of trigrams finds the matches; where
// it has few, reading their texts is faster (docs/decisions/0014-search.md).
import { raw, sql, type Sql } from '../database/sql.ts'
import { containsPattern, hasTrigram } from '../values/slug.ts'
import type { ReadContext } from './field.ts'

/** True if the index of trigrams is to find the matches. */
export function usesTrigrams(table: string, input: string, { large_tables = [], isWalk }: ReadContext): boolean {
  return !isWalk && large_tables.includes(table) && hasTrigram(input)
}

/** Each case has its own statement: a generic plan does not know the size of the store. No index has `text || ''`. */
export function contains(table: string, column: string, input: string, context: ReadContext): Sql {
  const text = raw(`${table}.${column}`)
  return usesTrigrams(table, input, context)
    ? sql`${text} like ${containsPattern(input)}`
    : sql`(${text} || '') like ${containsPattern(input)}`
}
