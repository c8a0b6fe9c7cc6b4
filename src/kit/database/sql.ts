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
  return { strings: joints(parts.length - 1, separator), values: parts, isSql: true }
}

/** sql`values (${list(values)})`: each is a parameter, or a fragment. */
export function list(values: readonly unknown[]): Sql {
  return values.length === 0 ? empty : { strings: joints(values.length - 1, ', '), values, isSql: true }
}

const maxJoints = 200
const jointsBefore = new Map<string, readonly string[]>()

/** The texts around parts with a separator: the same array for the same ones. */
function joints(count: number, separator: string): readonly string[] {
  const name = `${count}${separator}`
  const before = jointsBefore.get(name)
  if (before) return before
  const strings = ['', ...Array.from({ length: count }, () => separator), '']
  if (jointsBefore.size < maxJoints) jointsBefore.set(name, listWritten(strings))
  return strings
}

/**
 * The time of the query (of its transaction, otherwise of the clock), for expressions that are declared once:
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
 * the subselect to its server, otherwise the column: sql`where variants.store_id = ${bindStore('products.store_id')}`
 */
export const bindStore = (column: string): Sql => sql`${new StoreOfRow(column)}`

class StoresInReach {
  readonly column: string

  constructor(column: string) {
    this.column = column
  }
}

/**
 * A condition of statements over all stores: that the row's server can be reached (reach.ts). It leaves nothing out as
 * long as all servers can: sql`where due_at <= ${now} and ${inReach('checkouts.store_id')}`
 */
export const inReach = (column: string): Sql => sql`${new StoresInReach(column)}`

class ByServers {
  readonly one: Sql
  readonly many: Sql

  constructor(one: Sql, many: Sql) {
    this.one = one
    this.many = many
  }
}

/** `one` calls a function that reads tables, which the servers of a distributed database cannot: they take `many`. */
export const byServers = (one: Sql, many: Sql): Sql => sql`${new ByServers(one, many)}`

/** For a handle of no store: all rows that the query names are of this one. */
export const inStore = (storeId: string, query: Sql): Sql => ({ ...query, storeId })

/** The same if the rows are of one store only: a distributed database then asks its server alone. */
export function inStoreOfAll(rows: readonly { store_id: string }[], query: Sql): Sql {
  const [first, ...others] = rows
  return first && others.every(({ store_id }) => store_id === first.store_id) ? inStore(first.store_id, query) : query
}

/** The base of links inside records, without a slash at the end: sql`${baseUrl}::text || '/media/'`. */
export const baseUrl = Symbol('base URL')

/** The address of an online store, with * for its slug: sql`replace(${shopUrl}::text, '*', stores.slug)`. */
export const shopUrl = Symbol('address of an online store')

/** Values of the address symbols. */
export type Addresses = { baseUrl: string; shopUrl: string }

/** Values of the symbols; `storeId` is the store of the handle. */
export type Bindings = Partial<Addresses> & {
  now?: Date
  storeId?: string | undefined
  /** The stores in reach, unless all are. */
  reach?: readonly string[] | undefined
  isDistributed?: boolean
}

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

/** An array as a cell of `records`: JSON has no arrays that PostgreSQL casts to its own. */
export function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
}

export function isSql(value: unknown): value is Sql {
  return typeof value === 'object' && value !== null && (value as Partial<Sql>).isSql === true
}

/**
 * One text with $1, $2, … for the fragments, under the name by which PostgreSQL keeps it if it is frequent. A frequent
 * statement is recognized by its fragments, and its text is not put together again.
 */
export function compile(query: Sql, bindings: Bindings = {}): Statement {
  const outline: Outline = { key: '', values: [], isTimed: false, storePlace: 0, bindings }
  trace(query, outline, bindings.storeId)
  const { key, values, isTimed } = outline
  const { text, name } = statements.get(key) ?? register(key, buildStatementText(query, bindings))
  return { text, values, ...(name === undefined ? {} : { name }), ...(isTimed ? { isTimed } : {}) }
}

/** `key` distinguishes different texts; `storePlace` is the number of the store's parameter, once it has one. */
type Outline = { key: string; values: unknown[]; isTimed: boolean; storePlace: number; bindings: Bindings }

function trace(query: Sql, into: Outline, outer?: string): void {
  const storeId = query.storeId ?? outer
  into.key += buildStatementKey(query.strings)
  for (const value of query.values) {
    if (isSql(value)) trace(value, into, storeId)
    else if (value instanceof ByServers) trace(chooseByServers(value, into.bindings), into, storeId)
    else if (value instanceof StoreOfRow) {
      into.key += storeId === undefined ? buildStatementKey([value.column]) : '@'
      if (storeId !== undefined) into.storePlace ||= into.values.push(storeId)
    } else if (value instanceof StoresInReach) {
      const { reach } = into.bindings
      into.key += buildStatementKey([reach ? value.column : all])
      if (reach) into.values.push(reach)
    } else {
      into.key += '$'
      into.isTimed ||= value === currentTime
      into.values.push(bindValue(value, into.bindings))
    }
  }
}

function chooseByServers({ one, many }: ByServers, { isDistributed }: Bindings): Sql {
  return isDistributed ? many : one
}

function bindValue(value: unknown, bindings: Bindings): unknown {
  if (typeof value !== 'symbol') return value
  return value === currentTime ? bindings.now : value === baseUrl ? bindings.baseUrl : bindings.shopUrl
}

// Keys of texts that are written once in the code: a template has the same array each time.
const keys = new WeakMap<readonly string[], string>()
let keyCount = 0

function buildStatementKey(strings: readonly string[]): string {
  if ('raw' in strings && !keys.has(strings)) listWritten(strings)
  const key = keys.get(strings)
  if (key !== undefined) return key
  if (strings.length === 1 && strings[0]!.length > longText) return buildTextKey(strings[0]!)
  const pieces = strings.map((text) => `${text.length}:${text}`).join('')
  return strings.length === 1 ? pieces : `${strings.length}(${pieces}`
}

// Long texts that code puts together, such as the columns of an insert, recur: each has a short key.
const longText = 20
const textKeys = new LRUCache<string, string>({ max: 2000 })

function buildTextKey(text: string): string {
  const before = textKeys.get(text)
  if (before !== undefined) return before
  // Never reused: a text that was forgotten is another statement.
  const key = `#${keyCount++};`
  textKeys.set(text, key)
  return key
}

function listWritten(strings: readonly string[]): readonly string[] {
  keys.set(strings, `#${keyCount++};`)
  return strings
}

/** `true`, by which test/planner recognizes statements that can leave stores out. */
const all = '(true)'

function buildStatementText(query: Sql, bindings: Bindings): string {
  const { storeId, reach } = bindings
  let [text, count, storePlace] = ['', 0, 0]
  const append = ({ strings, values, storeId: own }: Sql, outer?: string): void => {
    const store = own ?? outer
    strings.forEach((piece, index) => {
      text += piece
      if (index >= values.length) return
      const value = values[index]
      if (isSql(value)) append(value, store)
      else if (value instanceof ByServers) append(chooseByServers(value, bindings), store)
      else if (value instanceof StoresInReach) text += reach ? `${value.column} = any($${++count}::text[])` : all
      else if (!(value instanceof StoreOfRow)) text += `$${++count}`
      else if (store === undefined) text += value.column
      else text += `$${(storePlace ||= ++count)}`
    })
  }
  append(query, storeId)
  return text
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
  return { strings: listWritten(strings), values, isSql: true }
}

// A connection keeps named statements prepared. A statement is named on its second use, so that unique combinations of
// filters take no room; beyond the limit the least recently used one is forgotten.
const maxNames = 400
const statements = new LRUCache<string, Required<Pick<Statement, 'text' | 'name'>>>({ max: maxNames })
const usedOnce = new LRUCache<string, true>({ max: maxNames })
let nameCount = 0

function register(key: string, text: string): Pick<Statement, 'text' | 'name'> {
  if (!usedOnce.delete(key)) {
    usedOnce.set(key, true)
    return { text }
  }
  // Names are never reused: a connection may still hold the statement.
  const statement = { text, name: `s${nameCount++}` }
  statements.set(key, statement)
  return statement
}
