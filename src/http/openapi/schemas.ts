// Schemas with a title become components, and a $ref replaces each occurrence.
import type { JsonSchema } from '../../kit/declare/field.ts'
import { pascalCase } from './names.ts'

export type Schemas = {
  /** Replaces titled parts of the schema by $ref. */
  reference(schema: JsonSchema): JsonSchema
  /** Adds a component of that name and returns its $ref. */
  add(name: string, schema: JsonSchema): JsonSchema
  example(schema: JsonSchema): unknown
  /** A component for a body, with an example that a client may send. */
  addBody(name: string, schema: JsonSchema): JsonSchema
  /** All components so far, each with an example, in the order of their names. */
  all(): Record<string, JsonSchema>
}

type Discriminated = {
  oneOf: { title: string; properties: Record<string, { const?: string }> }[]
  discriminator: { propertyName: string }
}

/** Value of the discriminating property → component. */
function mapDiscriminator({ oneOf, discriminator: { propertyName } }: Discriminated): object {
  const entries = oneOf.map(({ title, properties }) => [properties[propertyName]!.const, refTo(pascalCase(title))])
  return { propertyName, mapping: Object.fromEntries(entries) }
}

function refTo(name: string): string {
  return `#/components/schemas/${name}`
}

export function collectSchemas(): Schemas {
  const components = new Map<string, JsonSchema>()
  const resolve = (ref: string) => components.get(ref.split('/').at(-1)!)!

  const reference = (schema: JsonSchema): JsonSchema => {
    const { title, readOnly, ...rest } = schema
    if (typeof title !== 'string') return within(schema)
    return { ...add(pascalCase(title), { title, ...rest }), ...(readOnly ? { readOnly } : {}) }
  }
  const within = (schema: JsonSchema): JsonSchema => ({
    ...Object.fromEntries(Object.entries(schema).map(below)),
    ...(schema.discriminator ? { discriminator: mapDiscriminator(schema as Discriminated) } : {}),
  })
  const below = ([keyword, value]: [string, unknown]): [string, unknown] => {
    if (keyword === 'properties') {
      return [keyword, Object.fromEntries(Object.entries(value as object).map(([name, of]) => [name, reference(of)]))]
    }
    if (['anyOf', 'oneOf', 'allOf'].includes(keyword)) return [keyword, (value as JsonSchema[]).map(reference)]
    if (keyword === 'items') return [keyword, reference(value as JsonSchema)]
    return [keyword, value]
  }
  const add = (name: string, schema: JsonSchema): JsonSchema => {
    const namesake = components.get(name)
    const component = within(schema)
    if (namesake && JSON.stringify(namesake) !== JSON.stringify(component)) {
      throw new Error(`two different schemas are named ${name}`)
    }
    components.set(name, component)
    return { $ref: refTo(name) }
  }
  return {
    reference,
    add,
    example: (schema) => buildExample(schema, resolve),
    addBody: (name, schema) => {
      const component = within(schema)
      return add(name, { ...component, examples: [bodyExample(component, resolve)] })
    },
    all: () =>
      Object.fromEntries(
        [...components]
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, schema]) => [
            name,
            schema.examples ? schema : { ...schema, examples: [buildExample(schema, resolve)] },
          ]),
      ),
  }
}

// An example of a schema: the declared one, otherwise one made from its rules.

/** `resolve` returns the schema behind a $ref. */
function buildExample(schema: JsonSchema, resolve: (ref: string) => JsonSchema): unknown {
  if (typeof schema.$ref === 'string') return buildExample(resolve(schema.$ref), resolve)
  if (Array.isArray(schema.examples)) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.const !== undefined) return schema.const
  const types = [schema.type].flat()
  if (types.includes('null')) return null
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const shapes = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (shapes) return buildExample(shapes.at(schema.discriminator ? 0 : -1)!, resolve)
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
function bodyExample(schema: JsonSchema, resolve: (ref: string) => JsonSchema): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
  const names = (schema.required ?? []) as string[]
  const entries = Object.entries(properties).filter(
    ([name, { examples }]) =>
      // The example of an ID belongs to no record.
      names.includes(name) || (Array.isArray(examples) && !/^[a-z]+_[0-9a-z]{26}$/.test(examples[0])),
  )
  return Object.fromEntries(entries.map(([name, property]) => [name, buildExample(property, resolve)]))
}

function objectExample(schema: JsonSchema, resolve: (ref: string) => JsonSchema): unknown {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  return Object.fromEntries(properties.map(([name, property]) => [name, buildExample(property, resolve)]))
}

function arrayExample({ minItems = 0, items }: JsonSchema, resolve: (ref: string) => JsonSchema): unknown[] {
  const count = Math.max(minItems as number, items && (items as JsonSchema).$ref ? 1 : 0)
  return Array.from({ length: count }, () => buildExample(items as JsonSchema, resolve))
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
