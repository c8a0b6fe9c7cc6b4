// Filters products by their options, as in Color:Red,Color:Blue,Size:M.
import { and, join, sql, type Sql } from '../../kit/database/sql.ts'

/** Maps an option title to its values; a product matches if it has one of them. */
export type OptionSelection = Map<string, string[]>

const maxPairs = 20

export function readOptions(list: string): OptionSelection {
  const selection: OptionSelection = new Map()
  for (const pair of list.split(',').slice(0, maxPairs)) {
    const [title, value] = pair.split(':').map(decodeText)
    if (title && value) selection.set(title, [...(selection.get(title) ?? []), value])
  }
  return selection
}

export function encodeOptionPair(title: string, value: string): string {
  return `${encodeURIComponent(title)}:${encodeURIComponent(value)}`
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text).replaceAll('\0', '')
  } catch {
    return text
  }
}

/** A condition on a row of products. */
export function hasOptions(list: string): Sql | null {
  return matchAll(list, hasOption)
}

/** All pairs of the list must match: one of the values of each title. Null for an empty list. */
export function matchAll(list: string, match: (title: string, values: readonly string[]) => Sql): Sql | null {
  const selection = readOptions(list)
  return selection.size === 0 ? null : and([...selection].map(([title, values]) => match(title, values)))
}

export function hasOption(title: string, values: readonly string[]): Sql {
  const each = values.map(
    (value) => sql`products.options::jsonb @> ${JSON.stringify([{ title, values: [value] }])}::jsonb`,
  )
  return sql`(${join(each, ' or ')})`
}
