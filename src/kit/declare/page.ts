// Reads records of one store: one, a page, a count. Every query names its store.
import { countAtMost } from '../database/counts.ts'
import type { Db, RowTexts, Tx } from '../database/database.ts'
import { notFound } from '../values/errors.ts'
import { publicId } from '../values/ids.ts'
import { loadAllChildren, mapInChunks } from './children.ts'
import { cursorBehind } from './cursor.ts'
import type { Entity, Fields } from './field.ts'
import type { AnyResource, Json, ListQuery, RecordOf, Resource, ResourceOf } from './resource.ts'
import type { WriteResult } from './route.ts'
import {
  chooseCountSource,
  choosePageSource,
  conditions,
  cursorQuery,
  ordering,
  pageQuery,
  type StoreOf,
} from './pagequery.ts'
import { raw, sql, type Sql } from '../database/sql.ts'

export type { StoreOf }

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
  const row = await (db.gather ? db.gather(resource, storeId, id) : findRecordRow(db, resource, storeId, id))
  return loadRecord(db, resource, storeId, row)
}

/** A record that the operation does not need itself, so that it is read in the exchange of the commit. */
export function readWithCommit<F extends Fields>(
  tx: Tx,
  resource: ResourceOf<F>,
  storeId: string,
  id: string,
): WriteResult<Entity<F>> {
  const json = find(tx, resource, storeId, id)
  // A failure fails the commit, whose caller hears of it.
  json.catch(() => {})
  return { id: publicId(resource.prefix!, id), json }
}

async function findRecordRow(
  db: Db,
  resource: AnyResource,
  storeId: string,
  id: string,
): Promise<RowTexts | undefined> {
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
export async function loadRecord<F extends Fields>(
  db: Db,
  resource: ResourceOf<F>,
  storeId: string,
  row: RowTexts | undefined,
): Promise<RecordOf<Entity<F>>> {
  if (!row) throw notFound(resource.noun)
  return resource.record(row, await loadAllChildren(db, resource, storeId, [row], () => (row) => row))
}

/** Several rows as objects, with their children: one query for each kind of child. */
export async function loadEntities<F extends Fields>(
  db: Db,
  resource: Resource<F, any>,
  storeId: string,
  rows: RowTexts[],
): Promise<Entity<F>[]> {
  const children = await loadAllChildren<any>(db, resource, storeId, rows, (child) => child.read)
  return mapInChunks(rows, (row) => resource.read(row, children))
}

/** The same rows as JSON. */
export async function loadEntitiesJson<F extends Fields>(
  db: Db,
  resource: Resource<F, any>,
  storeId: string,
  rows: RowTexts[],
): Promise<Json<Entity<F>>[]> {
  const children = await loadAllChildren<any>(db, resource, storeId, rows, (child) => child.serialise)
  return mapInChunks(rows, (row) => resource.serialise(row, children))
}

export type Pagination = { page: number; per_page: number; total: number; total_pages: number }
/** A page by cursor; `next_cursor` is null on the last one. */
export type CursorPagination = { per_page: number; next_cursor: string | null }

/** `{data: [...], pagination}` as JSON. `within` narrows the list, e.g. to the items of one order. */
export async function page<F extends Fields>(
  db: Db,
  resource: ResourceOf<F>,
  store: StoreOf,
  query: ListQuery,
  ...within: Sql[]
): Promise<Json<RecordPage<Entity<F>>>> {
  const read = query.cursor ? recordsByCursor : recordsOfPage
  const { records, pagination } = await read(db, resource, store, query, { within, form: 'serialise' })
  return `{"data":[${records.join(',')}],"pagination":${JSON.stringify(pagination)}}`
}

export type RecordPage<T> = { data: T[]; pagination: Pagination }

/** The same page as objects, for API lists that add properties to each record. */
export async function entityList<F extends Fields>(
  db: Db,
  resource: ResourceOf<F>,
  store: StoreOf,
  query: ListQuery,
  ...within: Sql[]
): Promise<{ data: Entity<F>[]; pagination: Pagination | CursorPagination }> {
  if (!query.cursor) return entityPage(db, resource, store, query, ...within)
  const { records, pagination } = await recordsByCursor(db, resource, store, query, { within, form: 'read' })
  return { data: records, pagination }
}

/** A page by its number, as objects. */
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
  return loadEntities(db, resource, store.id, rows)
}

/** A page behind a place costs the same wherever that is. One row more tells whether there is a next page. */
async function recordsByCursor(
  db: Db,
  resource: AnyResource,
  store: StoreOf,
  query: ListQuery,
  { within, form }: { within: Sql[]; form: 'serialise' | 'read' },
): Promise<{ records: any[]; pagination: CursorPagination }> {
  const { per_page } = query
  const pageRows = await db.texts(cursorQuery(resource, store, query, within))
  const rows = pageRows.slice(0, per_page)
  const children = await loadAllChildren<any>(db, resource, store.id, rows, (child) => child[form])
  const records = await mapInChunks(rows, (row) => resource[form](row, children))
  const next_cursor = pageRows.length > per_page ? cursorBehind(resource.keys, rows.at(-1)!) : null
  return { records, pagination: { per_page, next_cursor } }
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
  const counter = resource.total?.(query, store.id, within)
  const total = counter ?? buildCountQuery(resource, chooseCountSource(resource, query, within), where)
  const isExact = Boolean(counter) || resource.countsUpTo === undefined
  const rows = await db.texts(pageQuery(resource, store, query, { where, within, total, isExact }))
  // Memory counts here: rows that are alive during a garbage collection are its cost.
  const children = await loadAllChildren<any>(db, resource, store.id, rows, (child) => child[form])
  const records = await mapInChunks(rows, (row) => resource[form](row, children))
  const count = rows[0] ? Number(rows[0].at(-1)) : query.page === 1 ? 0 : await readTotal(db, total)
  const { page, per_page } = query
  return { records, pagination: { page, per_page, total: count, total_pages: Math.ceil(count / per_page) } }
}

/** `{count}` as JSON, with a list's filters. */
export async function count(
  db: Db,
  resource: AnyResource,
  store: StoreOf,
  query: Record<string, unknown>,
): Promise<Json<{ count: number }>> {
  const total =
    resource.total?.(query, store.id, []) ??
    buildCountQuery(resource, chooseCountSource(resource, query), conditions(resource, store, query))
  return JSON.stringify({ count: await readTotal(db, total) })
}

async function readTotal(db: Db, total: Sql): Promise<number> {
  const rows = await db.texts(sql`select (${total})`)
  return Number(rows[0]![0])
}

function buildCountQuery({ countsUpTo }: AnyResource, table: Sql, where: Sql): Sql {
  const source = sql`${table} where ${where}`
  return countsUpTo === undefined ? sql`select count(*) from ${source}` : countAtMost(countsUpTo, source)
}

/** The number of rows that match some of a list's filters, up to a limit. */
export function countUpTo(limit: number, resource: AnyResource, store: StoreOf, query: Record<string, unknown>): Sql {
  return countAtMost(limit, sql`${chooseCountSource(resource, query)} where ${conditions(resource, store, query)}`)
}

/** Some columns, which a narrow table has too, of the rows that match a list's filters, up to a limit. */
export function columnsUpTo(limit: number, columns: Sql, resource: AnyResource, store: StoreOf, query: ListQuery): Sql {
  return sql`
    select ${columns}
    from ${choosePageSource(resource, query)}
    where ${conditions(resource, store, query)}
    order by ${ordering(resource, query)}
    limit ${raw(String(limit))}`
}
