// Schemas with a title become components, wherever they stand, and a $ref takes their place.
import type { JsonSchema } from '../../kit/declare/field.ts'
import { bodyExample, exampleOf } from './examples.ts'
import { pascalCase } from './names.ts'

export type Schemas = {
  /** The same schema with its titled parts as $ref. */
  reference(schema: JsonSchema): JsonSchema
  /** Adds a component of that name and answers its $ref. */
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
function mapped({ oneOf, discriminator: { propertyName } }: Discriminated): object {
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
    ...(schema.discriminator ? { discriminator: mapped(schema as Discriminated) } : {}),
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
    example: (schema) => exampleOf(schema, resolve),
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
            schema.examples ? schema : { ...schema, examples: [exampleOf(schema, resolve)] },
          ]),
      ),
  }
}
