// Search for shoppers: words in any order, each a prefix of a word in the product, its options, its translations or its
// variants' SKUs, or any part of a name in a script without spaces. Case and accents are ignored: the SQL function
// store_words splits stored and typed text into words.
import type { Db } from '../../kit/database/database.ts'
import { and, sql, type Sql } from '../../kit/database/sql.ts'
import { containsPattern, searchable } from '../../kit/values/slug.ts'
import { isForSale } from '../inventory/availability.ts'

const ofVariant = sql`store_words(variants.store_id, variants.sku)`

/** A word of a script without spaces counts as several: one for every two letters. */
const maxWords = 24

/** A condition on a row of products. */
export function matchesWords(storeId: string, input: string): Sql {
  return sql`products.id = any(array(
    select product_id
    from product_words
    where store_id = ${storeId}
      and words @@ ${buildSearchQuery(storeId, input, '&')}
    union
    select variants.product_id
    from variants
    join product_words on product_words.store_id = variants.store_id
      and product_words.product_id = variants.product_id
    where variants.store_id = ${storeId}
      and variants.sku is not null
      and ${ofVariant} @@ ${buildSearchQuery(storeId, input, '|')}
      and (product_words.words || ${ofVariant}) @@ ${buildSearchQuery(storeId, input, '&')}))`
}

/**
 * Names that begin with what was typed come first, then those that have all its words, then other matches; of equals,
 * the newest. Only matches are compared. `name` is a translated name; without it, the stored search text is read.
 */
export function byRelevance(input: string, name?: Sql): Sql {
  const text = name ? foldedText(name) : sql`products.search_text`
  const whole = containsPattern(input.trim()).slice(1)
  const words = searchable(input).split(/\s+/).filter(Boolean).slice(0, maxWords)
  const hasAll = and(words.map((word) => sql`${text} like ${containsPattern(word)}`))
  return sql`case when ${text} like ${whole} then 0 when ${hasAll} then 1 else 2 end,
      products.created_at desc, products.id desc`
}

function foldedText(text: Sql): Sql {
  return sql`fold_letters(lower(regexp_replace(normalize(${text}, nfkd), '[\u0300-\u036f]+', '', 'g')))`
}

function buildSearchQuery(storeId: string, input: string, operator: '&' | '|'): Sql {
  return sql`(
    select string_agg(quote_literal(lexeme) || ':*', ${` ${operator} `})::tsquery
    from (
      select lexeme from unnest(store_words(${storeId}, ${normalizeSearchWords(input)})) limit ${maxWords}) as words)`
}

/** Stored words with an apostrophe are also indexed whole, and Japanese words without the spaces between them. */
function normalizeSearchWords(input: string): string {
  return input.replaceAll(/(?<=\p{L})['’‘ʼ`´＇](?=\p{L})/gu, '').replaceAll(/\s/g, '\n')
}

const maxProductsRead = 10_000

/** Replaces each word with the closest word of the store's newest products. Null if none is close. */
export async function correctSpelling(db: Db, storeId: string, input: string): Promise<string | null> {
  const words = searchable(input)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, maxWords)
  const rows = await db.rows<{ word: string }>(sql`
    select distinct word
    from (
      select search_text
      from products
      where store_id = ${storeId}
        and ${isForSale}
      order by created_at desc, id desc
      limit ${maxProductsRead}) as products,
      string_to_table(translate(search_text, '-', ' '), ' ') as word
    where length(word) between 3 and 40`)
  const vocabulary = rows.map(({ word }) => word)
  const nearest = words.map((word) => pickNearestWord(word, vocabulary) ?? word)
  return nearest.join(' ') === words.join(' ') ? null : nearest.join(' ')
}

/** The word itself if it is a prefix of a known word; otherwise the closest known word, if it is close enough. */
function pickNearestWord(word: string, vocabulary: readonly string[]): string | null {
  const maxDistance = word.length < 4 ? 0 : word.length < 8 ? 1 : 2
  let best: { word: string; distance: number } | null = null
  for (const other of vocabulary) {
    if (other.startsWith(word)) return word
    if (Math.abs(other.length - word.length) > maxDistance) continue
    const distance = computeEditDistance(word, other)
    if (distance <= maxDistance && (best === null || distance < best.distance)) best = { word: other, distance }
  }
  return best?.word ?? null
}

/** The edit distance: insertions, deletions, substitutions and swaps of adjacent letters. */
function computeEditDistance(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)]
  for (let at = 1; at <= from.length; at++) {
    const row = [at]
    for (let index = 1; index <= to.length; index++) {
      const isSame = from[at - 1] === to[index - 1]
      let smallest = Math.min(
        rows[at - 1]![index]! + 1,
        row[index - 1]! + 1,
        rows[at - 1]![index - 1]! + (isSame ? 0 : 1),
      )
      const isSwapped = at > 1 && index > 1 && from[at - 1] === to[index - 2] && from[at - 2] === to[index - 1]
      if (isSwapped) smallest = Math.min(smallest, rows[at - 2]![index - 2]! + 1)
      row.push(smallest)
    }
    rows.push(row)
  }
  return rows[from.length]![to.length]!
}
