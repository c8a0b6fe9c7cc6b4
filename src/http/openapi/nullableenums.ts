// Enumerations with null, as a choice between the enumeration and null: some generators take all values for strings.
import type { JsonSchema } from '../../kit/declare/field.ts'

/** Returns the schema with each such enumeration inside it replaced. */
export function splitNullableEnums<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(splitNullableEnums) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([keyword, value]) => [
    keyword,
    ['examples', 'default', 'enum'].includes(keyword) ? value : splitNullableEnums(value),
  ])
  const { type, enum: values, ...rest } = Object.fromEntries(entries) as JsonSchema
  if (!Array.isArray(values) || !values.includes(null)) return Object.fromEntries(entries) as T
  const valueType = [type].flat().find((name) => name !== 'null')
  const own = { type: valueType, enum: values.filter((value) => value !== null) }
  return { anyOf: [own, { type: 'null' }], ...rest } as T
}
