// The statements that read a page of a list, by its number or behind a place.
import { and, raw, sql, type Sql } from '../database/sql.ts'
import { isBehind, keyColumns, keyOrder } from './cursor.ts'
import type { ReadContext } from './field.ts'
import type { AnyResource, ListQuery, Resource } from './resource.ts'

export type StoreOf = ReadContext & { id: string }

/** The rows of a page, with the total behind each. */
export function pageQuery(
  resource: AnyResource,
  store: StoreOf,
  query: ListQuery,
  { where, within, total, isExact }: { where: Sql; within: Sql[]; total: Sql; isExact: boolean },
): Sql {
  const table = raw(resource.table)
  const order = ordering(resource, query)
  const limit = raw(String(query.per_page))
  const offset = (query.page - 1) * query.per_page
  const walks = !isExact && mayWalk(resource, store, query)
  // A search reads all of the store's index entries anyway, and counts the matches on the way.
  if (isSearch(resource, query) && !walks) {
    return sql`
      select ${resource.columns}, found.total
      from (
        select ${table}.id, count(*) over () as total from ${table}
        where ${where}
        order by ${order}
        limit ${limit} offset ${offset}) as found
      join ${table} on ${table}.store_id = ${store.id} and ${table}.id = found.id
      order by ${order}`
  }
  const own = and([sql`${table}.store_id = ${store.id}`, ...within])
  const source = choosePageSource(resource, query, within)
  // A deep page walks a covering index for the ids alone; only the page's rows are then fetched.
  if (walks || (query.page > 1 && isExact)) {
    const ids = walks
      ? idsByWalkOrIndex(resource, query, where, conditions(resource, { ...store, isWalk: true }, query, within))
      : idsFromNearerEnd(resource, query, source, where)
    return sql`
    with counted as materialized (select (${total}) as total)
    select ${resource.columns}, (select total from counted)
    from ${table}
    where ${own}
      and ${table}.id = any(${ids})
    order by ${order}`
  }
  const orderBy =
    query.page > 1 || source !== resource.wide || resource.idsFirst?.(query)
      ? sql`
      where ${own}
        and ${table}.id = any(array(
          select ${table}.id from ${source}
          where ${where}
          order by ${order}
          limit ${limit} offset ${offset}))
      order by ${order}`
      : sql`
      where ${where}
      order by ${order}
      limit ${limit}`
  return sql`
    select ${resource.columns}, (${total})
    from ${table}${orderBy}`
}

const maxWalked = 1000

/** True if a search can read rows in the order of the list, until a page of them matches. */
function mayWalk(resource: AnyResource, { large_tables = [] }: StoreOf, query: ListQuery): boolean {
  const isNear = query.sort === resource.keys[0]![0] && query.page * query.per_page <= maxWalked
  return isSearch(resource, query) && isNear && large_tables.includes(resource.table)
}

/** Matches that are too many to count are soon met on a walk; others are found by the index of their trigrams. */
function idsByWalkOrIndex(resource: AnyResource, query: ListQuery, where: Sql, whereOnWalk: Sql): Sql {
  const table = raw(resource.table)
  const ids = (where: Sql) => sql`array(
          select ${table}.id from ${table}
          where ${where}
          order by ${ordering(resource, query)}
          limit ${raw(String(query.per_page))} offset ${(query.page - 1) * query.per_page})`
  return sql`case when (select total from counted) >= ${resource.countsUpTo}
        then ${ids(whereOnWalk)}
        else ${ids(where)} end`
}

/** A page behind the middle is counted from the end: the last page costs what the first does. */
function idsFromNearerEnd(resource: AnyResource, query: ListQuery, source: Sql, where: Sql): Sql {
  const table = raw(resource.table)
  const limit = raw(String(query.per_page))
  const offset = (query.page - 1) * query.per_page
  const ids = (order: Sql, offset: Sql) => sql`array(
          select ${table}.id from ${source}
          where ${where}
          order by ${order}
          limit ${limit} offset ${offset})`
  const rest = sql`(select total from counted) - ${offset}::bigint`
  const fromEnd = ids(reverseOrdering(resource, query), sql`greatest(${rest} - ${limit}, 0)`)
  return sql`case when ${rest} > ${offset}
        then ${ids(ordering(resource, query), sql`${offset}`)}
        else (${fromEnd})[1:greatest(${rest}, 0)::int] end`
}

/** A page behind a place costs the same wherever that is. One row more tells whether there is a next page. */
export function cursorQuery(resource: AnyResource, store: StoreOf, query: ListQuery, within: Sql[]): Sql {
  const { keys } = resource
  const { per_page, order } = query
  const table = raw(resource.table)
  const where = conditions(resource, store, query, [...within, ...isBehind(resource.table, keys, query.cursor!, order)])
  const keyOrderBy = keyOrder(resource.table, keys, order)
  const limit = raw(String(per_page + 1))
  const source = choosePageSource(resource, { ...query, sort: keys[0]![0] }, within)
  const orderBy =
    isSearch(resource, query) || source !== resource.wide || resource.idsFirst?.(query)
      ? sql`
      where ${and([sql`${table}.store_id = ${store.id}`, ...within])}
        and ${table}.id = any(array(
          select ${table}.id from ${source}
          where ${where}
          order by ${keyOrderBy}
          limit ${limit}))
      order by ${keyOrderBy}`
      : sql`
      where ${where}
      order by ${keyOrderBy}
      limit ${limit}`
  return sql`
    select ${resource.columns}, ${keyColumns(resource.table, keys)}
    from ${table}${orderBy}`
}

function isSearch(resource: AnyResource, query: ListQuery): boolean {
  return resource.isSearch?.(query) ?? query.search !== undefined
}

/** The table that has the order of a page: the narrow one under the name of the wide one, or the wide one. */
export function choosePageSource(resource: AnyResource, query: ListQuery, within: Sql[] = []): Sql {
  const { sorts = [], filteredSorts = [] } = resource.narrow ?? {}
  const isServed = sorts.includes(query.sort) || (filteredSorts.includes(query.sort) && isFiltered(resource, query))
  return isServed ? chooseSource(resource, query, within) : resource.wide
}

/** The table in which the matches of a list are counted: without a counter, the narrow one has the index. */
export function chooseCountSource(resource: AnyResource, query: Record<string, unknown>, within: Sql[] = []): Sql {
  const { narrow, total, wide } = resource
  return narrow && (!total || isFiltered(resource, query)) ? chooseSource(resource, query, within) : wide
}

function isFiltered({ narrow }: AnyResource, query: Record<string, unknown>): boolean {
  return narrow?.filters.some((name) => isSet(query, name) && query[name] !== 'all') ?? false
}

function chooseSource(
  { narrow, table, wide, filters }: AnyResource,
  query: Record<string, unknown>,
  within: Sql[],
): Sql {
  const { filters: served, knows = [] } = narrow!
  const knownFilters = new Set<string | Sql>([...served, ...knows])
  const uses = [...Object.keys(filters).filter((name) => isSet(query, name)), ...within]
  return uses.every((one) => knownFilters.has(one)) ? raw(`${narrow!.table} as ${table}`) : wide
}

function isSet(query: Record<string, unknown>, name: string): boolean {
  return (query[name] ?? null) !== null
}

export function conditions(
  resource: AnyResource,
  store: StoreOf,
  query: Record<string, unknown>,
  within: Sql[] = [],
): Sql {
  const context = { ...store, store_id: store.id, query }
  const own = Object.entries(resource.filters as Resource['filters'])
    .map(([name, { where }]) => (isSet(query, name) ? where(query[name], context) : null))
    .filter((condition) => condition !== null)
  return and([sql`${raw(resource.table)}.store_id = ${store.id}`, ...within, ...own])
}

export function ordering(resource: AnyResource, query: ListQuery, nulls: 'first' | 'last' = 'last'): Sql {
  const { sort, order } = query
  const own = resource.orderings?.[sort]
  if (own) return own(query, resource.fields)
  const { nullable = false, sortable, expression } = resource.fields[sort]?.spec ?? {}
  const column = typeof sortable === 'string' ? sortable : sort
  const sortColumn = expression ?? raw(`${resource.table}.${column}`)
  const rest = raw(`${order}${nullable ? ` nulls ${nulls}` : ''}, ${resource.table}.id ${order}`)
  return sql`${sortColumn} ${rest}`
}

function reverseOrdering(resource: AnyResource, { order, ...query }: ListQuery): Sql {
  return ordering(resource, { ...query, order: order === 'asc' ? 'desc' : 'asc' } as ListQuery, 'first')
}
