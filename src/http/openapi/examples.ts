// An example of a schema: the declared one, else one made from its rules.
import type { JsonSchema } from '../../kit/declare/field.ts'

/** `resolve` answers the schema behind a $ref. */
export function exampleOf(schema: JsonSchema, resolve: (ref: string) => JsonSchema): unknown {
  if (typeof schema.$ref === 'string') return exampleOf(resolve(schema.$ref), resolve)
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  const types = [schema.type].flat()
  if (types.includes('null')) return null
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const shapes = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (shapes) return exampleOf(shapes.at(schema.discriminator ? 0 : -1)!, resolve)
  switch (types[0]) {
    case 'object':
      return objectExample(schema, resolve)
    case 'array':
      return arrayExample(schema, resolve)
    case 'boolean':
      return false
    case 'integer':
      return wholeExample(schema)
    case 'number':
      return Math.max(((schema.exclusiveMinimum as number) ?? -1) + 1, (schema.minimum as number) ?? 0)
    default:
      return textExample(schema)
  }
}

/** The required fields of a body, and those whose declaration has an example. */
export function bodyExample(schema: JsonSchema, resolve: (ref: string) => JsonSchema): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const required = (schema.required ?? []) as string[]
  const entries = Object.entries(properties).filter(
    ([name, { examples }]) =>
      // The example of an id is of no record.
      required.includes(name) || (Array.isArray(examples) && !/^[a-z]+_[0-9a-z]{26}$/.test(examples[0])),
  )
  return Object.fromEntries(entries.map(([name, property]) => [name, exampleOf(property, resolve)]))
}

function objectExample(schema: JsonSchema, resolve: (ref: string) => JsonSchema): unknown {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  return Object.fromEntries(properties.map(([name, property]) => [name, exampleOf(property, resolve)]))
}

function arrayExample({ minItems = 0, items }: JsonSchema, resolve: (ref: string) => JsonSchema): unknown[] {
  const count = Math.max(minItems as number, items && (items as JsonSchema).$ref ? 1 : 0)
  return Array.from({ length: count }, () => exampleOf(items as JsonSchema, resolve))
}

function wholeExample({ minimum = 0, maximum = 0 }: JsonSchema): number {
  return (minimum as number) > 0 || (maximum as number) < 0 ? (minimum as number) : 0
}

function textExample({ format, minLength = 0, maxLength = 255 }: JsonSchema): string {
  switch (format) {
    case 'date-time':
      return '2026-03-01T12:00:00.000Z'
    case 'email':
      return 'ana@example.com'
    case 'uri':
      return 'https://example.com'
  }
  return 'text'.padEnd(minLength as number, 'x').slice(0, maxLength as number)
}
