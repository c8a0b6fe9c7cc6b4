// SQL as tagged templates. Values always become parameters; text comes from code only.
import { LRUCache } from 'lru-cache'

export type Sql = {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
  readonly isSql: true
  /** The store of all rows that it names. */
  readonly storeId?: string
}
export type Statement = {
  text: string
  values: unknown[]
  name?: string
  /** True if the time is among its values. */
  isTimed?: true
}

/** sql`select … where id = ${id} and ${condition}`: a nested Sql is spliced in, anything else is a parameter. */
export function sql(strings: TemplateStringsArray, ...values: unknown[]): Sql {
  return { strings, values, isSql: true }
}

/** Text from code (a column, a direction), never from a request. */
export function raw(text: string): Sql {
  return { strings: [text], values: [], isSql: true }
}

export const empty = raw('')

export function join(parts: readonly Sql[], separator: string): Sql {
  if (parts.length === 0) return empty
  const strings = ['', ...Array.from({ length: parts.length - 1 }, () => separator), '']
  return { strings, values: parts, isSql: true }
}

/**
 * The time of the query (its transaction's, else the clock's), for expressions that are declared once:
 * sql`(discounts.expires_at <= ${currentTime})`
 */
export const currentTime = Symbol('current time')

class StoreOfRow {
  readonly column: string

  constructor(column: string) {
    this.column = column
  }
}

/**
 * The store of a row of the outer query: a constant if the handle is of one store, so that a distributed database sends
 * the subselect to its server, otherwise the column: sql`where variants.store_id = ${storeOf('products.store_id')}`
 */
export const storeOf = (column: string): Sql => sql`${new StoreOfRow(column)}`

/** For a handle of no store: all rows that the query names are of this one. */
export const inStore = (storeId: string, query: Sql): Sql => ({ ...query, storeId })

/** The base of links inside records, without a slash at the end: sql`${baseUrl}::text || '/media/'`. */
export const baseUrl = Symbol('base URL')

/** What they stand for; `storeId` is that of the handle. */
export type Bindings = { now?: Date; baseUrl?: string; storeId?: string | undefined }

/** Conditions joined by `and`; with none, `true`. */
export function and(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? raw('true') : join(conditions, '\n  and ')
}

/**
 * True if such a row exists, looked up in an index for each row of the outer query; e.g. hasRow(sql`from products
 * where …`). PostgreSQL may turn `exists` in an expression into a hash of the whole table, of all stores, even for a
 * page of 25; this form it cannot.
 */
export function hasRow(from: Sql): Sql {
  return sql`coalesce((select true ${from} limit 1), false)`
}

/**
 * Records as a table of one parameter, e.g. sql`from ${records('moved', { id: 'uuid', count: 'int' }, moves)}`.
 * Missing properties are null. They are sent as arrays, because finding each cell by its name takes PostgreSQL twice
 * as long.
 */
export function records<T extends object>(name: string, columns: { [K in keyof T]?: string }, rows: readonly T[]): Sql {
  const types = Object.entries(columns) as [keyof T & string, string][]
  const cells = types.map(([column, type], index) => `(cells->>${index})::${type} as ${column}`)
  const values = rows.map((row) => types.map(([column]) => row[column]))
  return sql`(
        select ${raw(cells.join(', '))}
        from jsonb_array_elements(${JSON.stringify(values)}::jsonb) as sent (cells)
        offset 0) as ${raw(name)}`
}

export function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && (value as Partial<Sql>).isSql === true
}

/** Flattens the fragments to one text with $1, $2, …, under the name by which PostgreSQL keeps it if it is frequent. */
export function compile(query: Sql, bindings: Bindings = {}): Statement {
  const statement: Statement = { text: '', values: [] }
  append(query, { statement, bindings, storePlace: 0 }, bindings.storeId)
  const name = nameOf(statement.text)
  if (name) statement.name = name
  return statement
}

/** `storePlace` is the parameter of the store, once it has one. */
type Compilation = { statement: Statement; bindings: Bindings; storePlace: number }

function append(query: Sql, into: Compilation, outer?: string): void {
  const { statement } = into
  const storeId = query.storeId ?? outer
  query.strings.forEach((text, index) => {
    statement.text += text
    if (index >= query.values.length) return
    const value = query.values[index]
    if (isSql(value)) append(value, into, storeId)
    else if (value === currentTime) {
      statement.isTimed = true
      statement.text += `$${statement.values.push(into.bindings.now)}`
    } else if (value === baseUrl) statement.text += `$${statement.values.push(into.bindings.baseUrl)}`
    else if (!(value instanceof StoreOfRow)) statement.text += `$${statement.values.push(value)}`
    else if (storeId === undefined) statement.text += value.column
    else statement.text += `$${(into.storePlace ||= statement.values.push(storeId))}`
  })
}

/** The same fragment with as few pieces as possible, for fragments that are declared once and used often. */
export function flat(query: Sql): Sql {
  const strings = ['']
  const values: unknown[] = []
  const walk = (part: Sql): void =>
    part.strings.forEach((text, index) => {
      strings[strings.length - 1] += text
      if (index >= part.values.length) return
      const value = part.values[index]
      if (isSql(value)) return walk(value)
      values.push(value)
      strings.push('')
    })
  walk(query)
  return { strings, values, isSql: true }
}

// A connection keeps named statements prepared. A text is named on its second use, so that unique combinations of
// filters take no room; beyond the limit the least recently used name is dropped.
const maxNames = 400
const names = new LRUCache<string, string>({ max: maxNames })
const usedOnce = new LRUCache<string, true>({ max: maxNames })
let nameCount = 0

function nameOf(text: string): string | undefined {
  const current = names.get(text)
  if (current !== undefined) return current
  if (!usedOnce.delete(text)) {
    usedOnce.set(text, true)
    return undefined
  }
  // Names are never reused: a connection may still hold the statement.
  const name = `s${nameCount++}`
  names.set(text, name)
  return name
}
