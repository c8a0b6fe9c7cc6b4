// Options of products as a list is narrowed by them: Color:Red,Color:Blue,Size:M.
import { and, join, sql, type Sql } from '../../kit/database/sql.ts'

/** title → the values of which a product has one. */
export type Chosen = Map<string, string[]>

const maximumPairs = 20

export function readOptions(list: string): Chosen {
  const chosen: Chosen = new Map()
  for (const pair of list.split(',').slice(0, maximumPairs)) {
    const [title, value] = pair.split(':').map(decoded)
    if (title && value) chosen.set(title, [...(chosen.get(title) ?? []), value])
  }
  return chosen
}

export function pairOf(title: string, value: string): string {
  return `${encodeURIComponent(title)}:${encodeURIComponent(value)}`
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll('\0', '')
  } catch {
    return text
  }
}

/** Of a row of products. */
export function hasOptions(list: string): Sql | null {
  const chosen = readOptions(list)
  return chosen.size === 0 ? null : and([...chosen].map(([title, values]) => hasOption(title, values)))
}

export function hasOption(title: string, values: readonly string[]): Sql {
  const each = values.map(
    (value) => sql`products.options::jsonb @> ${JSON.stringify([{ title, values: [value] }])}::jsonb`,
  )
  return sql`(${join(each, ' or ')})`
}
