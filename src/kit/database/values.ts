// Converts PostgreSQL's texts to JavaScript: numeric as string, timestamptz as Date, int8 as number, json parsed.
import pg from 'pg'
import type { ColumnFormat, RowTexts } from './exchange.ts'

const bool = 16
const bytea = 17
const int8 = 20
const int2 = 21
const int4 = 23
const json = 114
const float8 = 701
const textArray = 1009
const timestamptz = 1184
const uuidArray = 2951
const jsonb = 3802

// pg knows more array types than its typings do.
const findTypeParser = (oid: number) => pg.types.getTypeParser(oid as never) as (text: string) => unknown

const parsers = new Map<number, (text: string) => unknown>([
  [int8, Number],
  [int4, Number],
  [int2, Number],
  [float8, Number],
  [bool, (text) => text === 't'],
  [json, JSON.parse],
  [jsonb, JSON.parse],
  [timestamptz, (text) => new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)],
  [textArray, findTypeParser(textArray)],
  [uuidArray, findTypeParser(uuidArray)],
  [bytea, findTypeParser(bytea)],
])

export function parseRowTexts(row: RowTexts, columns: ColumnFormat[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index++) {
    const { name, dataTypeID } = columns[index]!
    const text = row[index]!
    const parse = parsers.get(dataTypeID)
    values[name] = text === null || !parse ? text : parse(text)
  }
  return values
}
