// Defaults of bodies in words. Generators of clients read `default` as a field that is always there, and would require
// clients to send it.
import type { JsonSchema } from '../../kit/declare/field.ts'

/** The bodies among the components, their fields without `default`. */
export function withDefaultsInWords(components: Record<string, JsonSchema>): Record<string, JsonSchema> {
  const entries = Object.entries(components)
  return Object.fromEntries(entries.map(([name, schema]) => [name, name.endsWith('Body') ? inWords(schema) : schema]))
}

function inWords(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf, ...rest } = schema as JsonSchema & { items?: JsonSchema; anyOf?: JsonSchema[] }
  const fields = Object.entries((properties ?? {}) as Record<string, JsonSchema>)
  return {
    ...rest,
    ...(properties ? { properties: Object.fromEntries(fields.map(([name, field]) => [name, ofField(field)])) } : {}),
    ...(items ? { items: inWords(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map(inWords) } : {}),
  }
}

function ofField(field: JsonSchema): JsonSchema {
  const { default: initial, ...rest } = inWords(field) as JsonSchema & { description?: string }
  if (initial === undefined) return rest
  const text = `Default: \`${JSON.stringify(initial)}\``
  return { ...rest, description: rest.description ? `${rest.description}. ${text}` : text }
}
