// The row behind a resource: its typed form, its select list, and inserts of many rows.
import { join, raw, sql, type Sql } from '../database/sql.ts'
import { publicId } from '../values/ids.ts'
import type { Cells, Entity, Fields, FieldSpec, Writable } from './field.ts'

type Declared<F extends Fields> = { table: string; fields: F }

/** Some columns of a table, as a query selects and returns them. */
export type Selection<T> = { readonly columns: Sql; readonly names: readonly string[]; readonly type?: T }

/** The row of a selection: `db.rows<Row<typeof sold>>`. Decimals are texts, ids are uuids. */
export type Row<S extends Selection<any>> = NonNullable<S['type']>

/** Selects the columns of these fields, or of all stored ones. */
export function select<F extends Fields, K extends keyof Cells<F> & string = keyof Cells<F> & string>(
  { table, fields }: Declared<F>,
  names: readonly K[] = listFieldNames(fields, ({ expression }) => !expression) as string[] as K[],
): Selection<Pick<Cells<F>, K>> {
  return { columns: raw(names.map((name) => `${table}.${name}`).join(', ')), names }
}

/** The names of the fields that pass. */
export function listFieldNames<F extends Fields>(
  fields: F,
  passes: (spec: FieldSpec) => unknown,
): (keyof F & string)[] {
  return Object.keys(fields).filter((name) => passes(fields[name]!.spec))
}

/** The fields that are personal, or have a personal part. */
export function personalNames<F extends Fields>(fields: F): (keyof F & string)[] {
  return listFieldNames(fields, hasPersonalData)
}

function hasPersonalData({ isPersonal, fields = {} }: FieldSpec): boolean {
  return isPersonal || Object.values(fields).some(({ spec }) => hasPersonalData(spec))
}

/** `set` of an update: null in every personal column. */
export function withoutPersonal(fields: Fields): Sql {
  const columns = personalNames(fields).filter((name) => !fields[name]!.spec.expression)
  return raw(columns.map((name) => `${name} = null`).join(', '))
}

/** Some entries of an object: fields of a declaration, or cells of a row. */
export function pick<T extends object, K extends keyof T & string>(whole: T, names: readonly K[]): Pick<T, NoInfer<K>> {
  return Object.fromEntries(names.map((name) => [name, whole[name]])) as Pick<T, K>
}

/** The fields that a body may have. */
export function writable<F extends Fields>(fields: F): Writable<F> {
  return pick(
    fields,
    listFieldNames(fields, ({ role }) => role !== 'readonly'),
  ) as Writable<F>
}

/** The same fields, none of which a body may change. */
export function readonly<F extends Fields>(fields: F): F {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.readonly()])) as Fields as F
}

/** An empty row: null in every nullable field. */
export function blank<F extends Fields>(fields: F): Partial<Cells<F>> {
  return Object.fromEntries(listFieldNames(fields, ({ nullable }) => nullable).map((name) => [name, null])) as Partial<
    Cells<F>
  >
}

/**
 * `json_build_object('code', shipping_rates.code, …)`; `instead` has expressions for names that are not columns.
 */
export function jsonObject(
  { table }: Declared<Fields>,
  names: readonly string[],
  instead: Record<string, Sql> = {},
): Sql {
  const pairs = names.map((name) => sql`'${raw(name)}', ${instead[name] ?? raw(`${table}.${name}`)}`)
  return sql`json_build_object(${join(pairs, ', ')})`
}

/** A row as a response has it: ids are public, decimals are numbers. */
export function toEntity<F extends Fields>(fields: F, row: { [K in keyof F]: unknown }): Entity<F> {
  const cells = Object.entries(fields).map(([name, { spec }]) => [name, shownCell(spec, row[name])])
  return Object.fromEntries(cells) as Entity<F>
}

function shownCell({ prefix, schema }: FieldSpec, cell: unknown): unknown {
  if (typeof cell !== 'string') return cell
  if (prefix) return publicId(prefix, cell)
  return schema.type === 'number' ? Number(cell) : cell
}

/** The type of a field's column, as a migration writes it; text for a column without a field. */
export function columnType({ columnType: own, schema }: Pick<FieldSpec, 'columnType' | 'schema'> = textual): string {
  if (own) return own
  if (schema.format === 'date-time') return 'timestamptz(3)'
  const types: Record<string, string> = { string: 'text', integer: 'int', number: 'numeric', boolean: 'boolean' }
  return types[String(schema.type)] ?? 'json'
}

const textual = { schema: { type: 'string' } }

/**
 * `insert into variants (…) select … from …` for any number of rows in one statement, which keeps their order; the
 * caller adds `on conflict` and `returning`. `same` has the values that all rows share, `types` those of columns that
 * are no fields.
 */
export function insertRows(
  { table, fields }: Declared<Fields>,
  names: readonly string[],
  rows: readonly Record<string, any>[],
  { same, types = {} }: { same: Record<string, unknown>; types?: Record<string, string> },
): Sql {
  const findColumnType = (name: string) => types[name] ?? columnType(fields[name]?.spec)
  const conditions = Object.entries(same).map(([name, value]) => sql`${value}::${raw(findColumnType(name))}`)
  // Not jsonb, which would sort the keys of what is kept as json.
  const cells = JSON.stringify(rows.map((row) => pick(row, names)))
  return sql`
    insert into ${raw(table)} (${raw([...Object.keys(same), ...names].join(', '))})
    select ${join([...conditions, raw(names.map((name) => `row.${name}`).join(', '))], ', ')}
    from json_to_recordset(${cells}::json) as row (
      ${raw(names.map((name) => `${name} ${findColumnType(name)}`).join(', '))})`
}

/** `set` of an upsert: each of these columns takes the new value. */
export function excludedColumns(names: readonly string[]): Sql {
  return raw(names.map((name) => `${name} = excluded.${name}`).join(', '))
}
