// Descriptions for fields declared without one: names that mean the same everywhere.
import type { JsonSchema } from '../../kit/declare/field.ts'
import { glossary } from './glossary.ts'

/** For a parameter whose name means something else in a body. */
const parameters: Record<string, string> = {
  order: 'Sort direction',
  from: 'Start of the period',
  to: 'End of the period',
}

export function parameterDescription(name: string, description: unknown): unknown {
  return description ?? parameters[name] ?? glossary[name]
}

/** Returns the schema with a description for each property inside it. */
export function describeSchema<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(describeSchema) as T
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(Object.entries(schema).map(describedBelow)) as T
}

function describedBelow([keyword, value]: [string, unknown]): [string, unknown] {
  if (['example', 'examples', 'default', 'const', 'enum'].includes(keyword)) return [keyword, value]
  if (keyword !== 'properties') return [keyword, describeSchema(value)]
  const properties = Object.entries(value as Record<string, JsonSchema>)
  return [
    keyword,
    Object.fromEntries(properties.map(([name, schema]) => [name, describedAs(name, describeSchema(schema))])),
  ]
}

function describedAs(name: string, schema: JsonSchema): JsonSchema {
  // A field that a condition requires is described where it is declared.
  const isDeclared = Object.keys(schema).length > 0
  const description = glossary[name]
  return !isDeclared || schema.$ref || schema.description || !description ? schema : { ...schema, description }
}
