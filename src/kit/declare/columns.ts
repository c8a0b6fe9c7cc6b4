// The select list of a resource: a column or an expression for each field.
import { flat, join, raw, sql, bindStore, type Sql } from '../database/sql.ts'
import type { Fields, FieldSpec } from './field.ts'

/** Select list of a resource that is a child in a field. */
type Child = { table: string; fields: Fields; parent?: { column: string; order: string } }

export function buildSelectList(table: string, fields: Fields, select = buildColumnExpression): Sql {
  return flat(
    join(
      Object.entries(fields).map(([name, { spec }]) => select(table, name, spec)),
      ', ',
    ),
  )
}

function buildColumnExpression(table: string, name: string, { expression, selectedBy }: FieldSpec): Sql {
  return expression ?? raw(selectedBy ? `${selectedBy}(${table}.${name})` : `${table}.${name}`)
}

/** JSON of the children's rows, each cell as text; 0 without children. */
export function buildChildRows(table: string, name: string, spec: FieldSpec): Sql {
  const child = spec.children as Child | undefined
  const own = buildColumnExpression(table, name, spec)
  if (!child?.parent) return own
  const { order, column } = child.parent
  const cells = Object.entries(child.fields).map(
    ([name, { spec }]) => sql`(${buildColumnExpression(child.table, name, spec)})::text`,
  )
  return sql`case when ${own} = 0 then '0' else (
    select json_agg(json_build_array(${join(cells, ', ')}) order by ${raw(order)})::text
    from ${raw(child.table)}
    where ${raw(child.table)}.store_id = ${bindStore(`${table}.store_id`)}
      and ${raw(`${child.table}.${column}`)} = ${raw(table)}.id) end`
}
