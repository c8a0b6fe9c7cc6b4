// A resource is declared once, like the contract's own table. Its types, select list, bodies, filters, sort columns,
// serialiser and OpenAPI schema follow from the declaration.
import type { RowTexts } from '../database/database.ts'
import {
  type AnyField,
  type Cells,
  type Create,
  type Entity,
  type Fields,
  type FieldSpec,
  type JsonSchema,
  type ReadContext,
} from './field.ts'
import { buildChildRows, buildSelectList } from './columns.ts'
import { responseSchema } from './composites.ts'
import type { Prefix } from '../values/ids.ts'
import { createBody, patchBody, queryReader, type Reader, type Rule } from './shape.ts'
import { select, type Selection } from './row.ts'
import { defaultKeys, type PlaceKeys } from './cursor.ts'
import { listReader, type ListQuery } from './listquery.ts'
import { empty, join, list, raw, sql, type Sql } from '../database/sql.ts'

/** JSON text of a T, as it is sent. */
export type Json<T> = string & { readonly json?: T }

/** One record; each form is made on demand. */
export type RecordOf<T> = {
  /** The public ID that ends the record's address. */
  readonly id: string
  /** The JSON that is sent. */
  readonly json: Json<T>
  readonly entity: T
}

/** A list's parameter: its field, and the condition that it stands for (null: none). */
export type Filter<F extends AnyField = AnyField> = {
  field: F
  where: (value: any, context: ReadContext & { store_id: string }) => Sql | null
}

type Filters = Record<string, Filter>
type FilterFields<Q extends Filters> = { [K in keyof Q]: Q[K]['field'] }

export type { ListQuery }

/** Totals are counted up to this. */
export const maxCounted = 10_000

/** The same list for people: what no counter knows is counted up to one more than the maximum. */
export function withoutExactTotal<F extends Fields, Q extends Filters>(resource: Resource<F, Q>): Resource<F, Q> {
  return { countsUpTo: maxCounted + 1, ...resource }
}

/**
 * A narrow table beside the table of a resource, with the columns that change often, in its own indexes: a change
 * leaves those of the wide rows as they are. Columns have the same names in both.
 */
export type NarrowTable = {
  table: string
  /** Sorts that only its indexes serve. */
  sorts: readonly string[]
  /** Filters that it serves better than the wide rows. */
  filters: readonly string[]
  /** Sorts that it serves too where the list has one of its filters. */
  filteredSorts?: readonly string[]
  /** Further filters, and conditions that narrow a list, whose columns it has. */
  knows?: readonly (string | Sql)[]
}

export type ResourceOptions = {
  /** The noun for messages, e.g. "Product". */
  noun: string
  /** The name of its schema, where another resource of the same noun has that name. */
  title?: string
  /** Faults that need several fields. */
  rules?: Rule[]
  /** The column that names the parent, and the order of its children. */
  parent?: { column: string; order: string }
  /** Lists: children come in the rows of their parents, as they do for one record, not by a statement of their own. */
  holdsChildren?: boolean
  /**
   * Lists: an expression that gets the total from a counter instead of the rows, if there is one; else null. `within`:
   * further conditions on the rows.
   */
  total?: (query: Record<string, unknown>, storeId: string, within: readonly Sql[]) => Sql | null
  /** Lists: the number of rows at which counting stops, e.g. maxCounted. */
  countsUpTo?: number
  /** Lists: true if the query reads all matches anyway, and counts them on the way. */
  isSearch?: (query: Record<string, unknown>) => boolean
  /** Lists: true if the query finds its ids by a covering index first, and then the rows. */
  idsFirst?: (query: Record<string, unknown>) => boolean
  /** Lists: sort orders without a column, for queries made by code. */
  orderings?: Record<string, (query: Record<string, unknown>, fields: Fields) => Sql>
  /** Lists: where columns that change often are sorted and filtered. */
  narrow?: NarrowTable
  defaultSort?: string
  defaultOrder?: 'asc' | 'desc'
  /** Lists: the columns that a cursor follows; defaults to those of creation. */
  keys?: PlaceKeys
}

export type Resource<F extends Fields = Fields, Q extends Filters = Filters> = ResourceOptions & {
  table: string
  /** The table as SQL. */
  wide: Sql
  keys: PlaceKeys
  /** The prefix of its public ids, from the first field; null where they are UUIDs. */
  prefix: Prefix | null
  fields: F
  filters: Q
  names: string[]
  columns: Sql
  /** Select list with children as JSON. */
  columnsOfOne: Sql
  /** All its stored columns. */
  row: Selection<Cells<F>>
  /** Its fields with rows of other resources, and their place in `columns`. */
  children: { name: string; index: number; resource: AnyResource }[]
  create: Reader<Create<F>>
  patch: ReturnType<typeof patchBody<F>>
  query: Reader<Create<FilterFields<Q>> & ListQuery>
  countQuery: Reader<Create<FilterFields<Q>>>
  entity: JsonSchema
  type?: Entity<F>
  serialise(row: RowTexts, children?: ChildrenOf<Json<unknown>>): Json<Entity<F>>
  /** The same row as an object. */
  read(row: RowTexts, children?: ChildrenOf<unknown>): Entity<F>
  /** The record that an operation has written. */
  record(row: RowTexts, children?: ChildrenOf<RowTexts>): RecordOf<Entity<F>>
}

/** A resource with these fields and any filters. */
export type ResourceOf<F extends Fields> = Resource<F, any>

export type AnyResource = Resource<any, any>

/** For each field with children: the uuid of the parent → its children, in one of their forms. */
export type ChildrenOf<T> = Record<string, Map<string, T[]>>

export function filter<F extends AnyField>(
  field: F,
  where: (value: NonNullable<F['type']>['value'], context: ReadContext & { store_id: string }) => Sql | null,
): Filter<F> {
  return { field, where }
}

export function resource<F extends Fields, Q extends Filters = {}>(
  table: string,
  fields: F,
  filters: Q,
  options: ResourceOptions,
): Resource<F, Q> {
  const names = Object.keys(fields)
  const sortable = names.filter((name) => fields[name]!.spec.sortable)
  const filterFields = Object.fromEntries(
    Object.entries(filters).map(([name, { field }]) => [name, field]),
  ) as FilterFields<Q>
  const serialise = serialiser<Entity<F>>(fields)
  const read = reader<Entity<F>>(fields)
  const toRecordId = fields[names[0]!]!.spec.value
  const keys = options.keys ?? defaultKeys(fields)
  const children = names.flatMap((name, index) => {
    const child = getChildResource(fields[name]!.spec)
    return child ? [{ name, index, resource: child }] : []
  })
  return {
    ...options,
    table,
    wide: raw(table),
    keys,
    prefix: fields[names[0]!]!.spec.prefix ?? null,
    fields,
    filters,
    names,
    columns: buildSelectList(table, fields, options.holdsChildren ? buildChildRows : undefined),
    columnsOfOne: buildSelectList(table, fields, buildChildRows),
    row: select({ table, fields }) as Selection<any>,
    children,
    create: createBody(fields, options.rules),
    patch: patchBody(fields, options.rules),
    query: listReader(sortable, filterFields, { ...options, keys }) as Reader<any>,
    countQuery: queryReader(filterFields) as Reader<any>,
    entity: entitySchema(fields, options.title ?? options.noun),
    serialise,
    read,
    record: (row, rows) => ({
      get id() {
        return String(toRecordId(row[0]!))
      },
      get json() {
        return serialise(row, inForm(children, rows, 'serialise'))
      },
      get entity() {
        return read(row, inForm(children, rows, 'read'))
      },
    }),
  }
}

/** The title names the schema in the OpenAPI document. */
function entitySchema(fields: Fields, title: string): JsonSchema {
  return {
    title,
    type: 'object',
    properties: Object.fromEntries(
      Object.entries(fields).map(([name, { spec }]) => [
        name,
        { ...responseSchema(spec), ...(spec.role === 'readonly' ? { readOnly: true } : {}) },
      ]),
    ),
    required: Object.keys(fields),
  }
}

function serialiser<T>(fields: Fields): (row: RowTexts, children?: ChildrenOf<Json<unknown>>) => Json<T> {
  const cells = Object.entries(fields).map(([name, { spec }], index) => ({
    key: `${index === 0 ? '{' : ','}"${name}":`,
    name,
    write: spec.write,
    child: getChildResource(spec),
  }))
  return (row, children) => {
    let json = ''
    for (let index = 0; index < cells.length; index++) {
      const { key, name, write, child } = cells[index]!
      const cell = row[index]
      json += key
      if (child) json += `[${siblings(children, name, row).join(',')}]`
      else json += cell === null || cell === undefined ? 'null' : write(cell)
    }
    return json + '}'
  }
}

function reader<T>(fields: Fields): (row: RowTexts, children?: ChildrenOf<unknown>) => T {
  const cells = Object.entries(fields).map(([name, { spec }]) => ({
    name,
    value: spec.value,
    child: getChildResource(spec),
  }))
  return (row, children) => {
    const entity: Record<string, unknown> = {}
    for (let index = 0; index < cells.length; index++) {
      const { name, value, child } = cells[index]!
      const cell = row[index]
      if (child) entity[name] = siblings(children, name, row)
      else entity[name] = cell === null || cell === undefined ? null : value(cell)
    }
    return entity as T
  }
}

function getChildResource({ children }: FieldSpec): AnyResource | undefined {
  return children as AnyResource | undefined
}

function siblings<T>(children: ChildrenOf<T> | undefined, name: string, [parent]: RowTexts): T[] {
  return children?.[name]?.get(parent!) ?? []
}

/** Converts the rows of children into the form of their parent. */
function inForm(
  children: Resource['children'],
  rows: ChildrenOf<RowTexts> | undefined,
  form: 'serialise' | 'read',
): ChildrenOf<any> {
  const results: ChildrenOf<unknown> = {}
  for (const { name, resource } of children) {
    const rowsByParent = rows?.[name]
    if (rowsByParent)
      results[name] = new Map(
        [...rowsByParent].map(([parent, each]) => [parent, each.map((row) => resource[form](row))]),
      )
  }
  return results
}

/** The columns and parameters of the known, stored fields in `values`, plus columns of the caller's own. */
function listStoredValues(resource: AnyResource, values: object, more: Record<string, unknown>): [string, unknown][] {
  const own = Object.entries(values)
    .filter(([name, value]) => value !== undefined && resource.fields[name] && !resource.fields[name]!.spec.children)
    .map(([name, value]): [string, unknown] => [
      name,
      value === null ? null : resource.fields[name]!.spec.column(value),
    ])
  const further = Object.entries(more).filter(([, value]) => value !== undefined)
  return [...own.filter(([name]) => !(name in more)), ...further]
}

/**
 * `insert into products (…) values (…)`; the caller adds `returning`. `more` has columns that are no fields. `from`
 * names a row to read instead: `insert into … select … from …`. The alias is for a distributed database, which would
 * otherwise write its own name for a part of the table, and not find what the caller returns.
 */
export function insertInto(resource: AnyResource, values: object, more: Record<string, unknown> = {}, from?: Sql): Sql {
  const cells = listStoredValues(resource, values, more)
  const row = list(cells.map(([, value]) => value))
  const { table } = resource
  return sql`
    insert into ${raw(from ? `${table} as ${table}` : table)} (${raw(cells.map(([name]) => name).join(', '))})
    ${from ? sql`select ${row} ${from}` : sql`values (${row})`}`
}

/** `name = $1, price = $2`, or nothing if `values` has no known field. */
export function assignments(resource: AnyResource, values: object, more: Record<string, unknown> = {}): Sql {
  const cells = listStoredValues(resource, values, more)
  return cells.length === 0
    ? empty
    : join(
        cells.map(([name, value]) => sql`${raw(name)} = ${value}`),
        ', ',
      )
}
