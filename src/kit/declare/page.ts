// Reads records of one store: one, a page, a count. Every query names its store.
import { countAtMost } from '../database/counts.ts'
import type { Db, RowTexts } from '../database/database.ts'
import { notFound } from '../values/errors.ts'
import { childrenOf, inSlices } from './children.ts'
import type { Entity, Fields, ReadContext } from './field.ts'
import type { AnyResource, Json, ListQuery, RecordOf, Resource, ResourceOf } from './resource.ts'
import { and, raw, sql, type Sql } from '../database/sql.ts'

export type StoreOf = ReadContext & { id: string }

/** One record as JSON, or NOT_FOUND. */
export async function find<F extends Fields>(
  db: Db,
  resource: ResourceOf<F>,
  storeId: string,
  id: string,
): Promise<Json<Entity<F>>> {
  return (await findRecord(db, resource, storeId, id)).json
}

/** One record, in the form that the operation needs, or NOT_FOUND. */
export async function findRecord<F extends Fields>(
  db: Db,
  resource: ResourceOf<F>,
  storeId: string,
  id: string,
): Promise<RecordOf<Entity<F>>> {
  const row = await (db.gather ? db.gather(resource, storeId, id) : rowOf(db, resource, storeId, id))
  return recordOf(db, resource, storeId, row)
}

async function rowOf(db: Db, resource: AnyResource, storeId: string, id: string): Promise<RowTexts | undefined> {
  const table = raw(resource.table)
  const [row] = await db.texts(sql`
    select ${resource.columnsOfOne}
    from ${table}
    where ${table}.store_id = ${storeId}
      and ${table}.id = ${id}`)
  return row
}

/**
 * The record of a row from `… returning ${resource.columns}` or a select, with its children; NOT_FOUND without a row.
 * They are in the row already if it was selected with `columnsOfOne`.
 */
export async function recordOf<F extends Fields>(
  db: Db,
  resource: ResourceOf<F>,
  storeId: string,
  row: RowTexts | undefined,
): Promise<RecordOf<Entity<F>>> {
  if (!row) throw notFound(resource.noun)
  return resource.record(row, await childrenOf(db, resource, storeId, [row], () => (row) => row))
}

/** Several rows as objects, with their children: one query for each kind of child. */
export async function entitiesOf<F extends Fields>(
  db: Db,
  resource: Resource<F, any>,
  storeId: string,
  rows: RowTexts[],
): Promise<Entity<F>[]> {
  const children = await childrenOf<any>(db, resource, storeId, rows, (child) => child.read)
  return inSlices(rows, (row) => resource.read(row, children))
}

/** The same as JSON. */
export async function jsonOf<F extends Fields>(
  db: Db,
  resource: Resource<F, any>,
  storeId: string,
  rows: RowTexts[],
): Promise<Json<Entity<F>>[]> {
  const children = await childrenOf<any>(db, resource, storeId, rows, (child) => child.serialise)
  return inSlices(rows, (row) => resource.serialise(row, children))
}

export type Pagination = { page: number; per_page: number; total: number; total_pages: number }

/** `{data: [...], pagination}` as JSON. `within` narrows the list, e.g. to the items of one order. */
export async function page<F extends Fields>(
  db: Db,
  resource: ResourceOf<F>,
  store: StoreOf,
  query: ListQuery,
  ...within: Sql[]
): Promise<Json<RecordPage<Entity<F>>>> {
  const { records, pagination } = await recordsOfPage(db, resource, store, query, { within, form: 'serialise' })
  return `{"data":[${records.join(',')}],"pagination":${JSON.stringify(pagination)}}`
}

export type RecordPage<T> = { data: T[]; pagination: Pagination }

/** The same as objects. */
export async function entityPage<F extends Fields>(
  db: Db,
  resource: ResourceOf<F>,
  store: StoreOf,
  query: ListQuery,
  ...within: Sql[]
): Promise<RecordPage<Entity<F>>> {
  const { records, pagination } = await recordsOfPage(db, resource, store, query, { within, form: 'read' })
  return { data: records, pagination }
}

/** Where a walk through a whole list is: behind a value of a unique column, in whose order the records come. */
export type ListPlace = { by: string; after: string | null; size: number }

/** The next records of a list, without a count; each costs the same wherever it is in the list. */
export async function entitiesBehind<F extends Fields>(
  db: Db,
  resource: ResourceOf<F>,
  store: StoreOf,
  query: Record<string, unknown>,
  { by, after, size }: ListPlace,
): Promise<Entity<F>[]> {
  const key = raw(`${resource.table}.${by}`)
  const rows = await db.texts(sql`
    select ${resource.columns}
    from ${raw(resource.table)}
    where ${conditions(resource, store, query, after === null ? [] : [sql`${key} > ${after}`])}
    order by ${key}
    limit ${raw(String(size))}`)
  return entitiesOf(db, resource, store.id, rows)
}

/** `form`: as JSON or as objects. */
async function recordsOfPage(
  db: Db,
  resource: AnyResource,
  store: StoreOf,
  query: ListQuery,
  { within, form }: { within: Sql[]; form: 'serialise' | 'read' },
): Promise<{ records: any[]; pagination: Pagination }> {
  const where = conditions(resource, store, query, within)
  const counter = resource.total?.(query, store.id)
  const total = counter ?? countOf(resource, where)
  const isExact = Boolean(counter) || resource.countsUpTo === undefined
  const rows = await db.texts(pageQuery(resource, store.id, query, { where, within, total, isExact }))
  // Memory counts here: rows that are alive during a garbage collection are its cost.
  const children = await childrenOf<any>(db, resource, store.id, rows, (child) => child[form])
  const records = await inSlices(rows, (row) => resource[form](row, children))
  const count = rows[0] ? Number(rows[0].at(-1)) : query.page === 1 ? 0 : await numberOf(db, total)
  const { page, per_page } = query
  return { records, pagination: { page, per_page, total: count, total_pages: Math.ceil(count / per_page) } }
}

/** The rows of a page, with the total behind each. */
function pageQuery(
  resource: AnyResource,
  storeId: string,
  query: ListQuery,
  { where, within, total, isExact }: { where: Sql; within: Sql[]; total: Sql; isExact: boolean },
): Sql {
  const table = raw(resource.table)
  const order = ordering(resource, query)
  const limit = raw(String(query.per_page))
  const offset = (query.page - 1) * query.per_page
  // A search reads all of the store's index entries anyway, and counts the matches on the way.
  if (resource.isSearch?.(query) ?? query.search !== undefined) {
    return sql`
      select ${resource.columns}, found.total
      from (
        select ${table}.id, count(*) over () as total from ${table}
        where ${where}
        order by ${order}
        limit ${limit} offset ${offset}) as found
      join ${table} on ${table}.store_id = ${storeId} and ${table}.id = found.id
      order by ${order}`
  }
  const own = and([sql`${table}.store_id = ${storeId}`, ...within])
  // A deep page walks a covering index for the ids alone; only the page's rows are then fetched.
  if (query.page > 1 && isExact) {
    return sql`
    with counted as materialized (select (${total}) as total)
    select ${resource.columns}, (select total from counted)
    from ${table}
    where ${own}
      and ${table}.id = any(${idsFromNearerEnd(resource, query, where)})
    order by ${order}`
  }
  const chosen =
    query.page > 1 || resource.idsFirst?.(query)
      ? sql`
      where ${own}
        and ${table}.id = any(array(
          select ${table}.id from ${table}
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
    from ${table}${chosen}`
}

/** A page behind the middle is counted from the end: the last page costs what the first does. */
function idsFromNearerEnd(resource: AnyResource, query: ListQuery, where: Sql): Sql {
  const table = raw(resource.table)
  const limit = raw(String(query.per_page))
  const offset = (query.page - 1) * query.per_page
  const ids = (order: Sql, skipped: Sql) => sql`array(
          select ${table}.id from ${table}
          where ${where}
          order by ${order}
          limit ${limit} offset ${skipped})`
  const left = sql`(select total from counted) - ${offset}::bigint`
  const fromEnd = ids(reverseOrdering(resource, query), sql`greatest(${left} - ${limit}, 0)`)
  return sql`case when ${left} > ${offset}
        then ${ids(ordering(resource, query), sql`${offset}`)}
        else (${fromEnd})[1:greatest(${left}, 0)::int] end`
}

/** `{count}` as JSON, with a list's filters. */
export async function count(
  db: Db,
  resource: AnyResource,
  store: StoreOf,
  query: Record<string, unknown>,
): Promise<Json<{ count: number }>> {
  const total = resource.total?.(query, store.id) ?? countOf(resource, conditions(resource, store, query))
  return JSON.stringify({ count: await numberOf(db, total) })
}

async function numberOf(db: Db, total: Sql): Promise<number> {
  const rows = await db.texts(sql`select (${total})`)
  return Number(rows[0]![0])
}

function countOf({ table, countsUpTo }: AnyResource, where: Sql): Sql {
  const source = sql`${raw(table)} where ${where}`
  return countsUpTo === undefined ? sql`select count(*) from ${source}` : countAtMost(countsUpTo, source)
}

/** The number of rows that match some of a list's filters, up to a limit. */
export function countUpTo(limit: number, resource: AnyResource, store: StoreOf, query: Record<string, unknown>): Sql {
  return countAtMost(limit, sql`${raw(resource.table)} where ${conditions(resource, store, query)}`)
}

/** Some columns of the rows that match a list's filters, newest first, up to a limit. */
export function columnsUpTo(limit: number, columns: Sql, resource: AnyResource, store: StoreOf, query: ListQuery): Sql {
  return sql`
    select ${columns}
    from ${raw(resource.table)}
    where ${conditions(resource, store, query)}
    order by ${ordering(resource, query)}
    limit ${raw(String(limit))}`
}

function conditions(resource: AnyResource, store: StoreOf, query: Record<string, unknown>, within: Sql[] = []): Sql {
  const context = { ...store, store_id: store.id }
  const own = Object.entries(resource.filters as Resource['filters'])
    .map(([name, { where }]) => ((query[name] ?? null) === null ? null : where(query[name], context)))
    .filter((condition) => condition !== null)
  return and([sql`${raw(resource.table)}.store_id = ${store.id}`, ...within, ...own])
}

function ordering(resource: AnyResource, { sort, order }: ListQuery, nulls: 'first' | 'last' = 'last'): Sql {
  const { nullable = false, sortable, expression } = resource.fields[sort]?.spec ?? {}
  const column = typeof sortable === 'string' ? sortable : sort
  const sorted = expression ?? raw(`${resource.table}.${column}`)
  const rest = raw(`${order}${nullable ? ` nulls ${nulls}` : ''}, ${resource.table}.id ${order}`)
  return sql`${sorted} ${rest}`
}

function reverseOrdering(resource: AnyResource, { order, ...query }: ListQuery): Sql {
  return ordering(resource, { ...query, order: order === 'asc' ? 'desc' : 'asc' } as ListQuery, 'first')
}
