// A request that uses a former name is answered as before, with Deprecation (RFC 9745) and Sunset (RFC 8594).
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JsonSchema } from '../kit/declare/field.ts'
import type { Route } from '../kit/declare/route.ts'

/** When the names of version 0.1.0 were replaced, and until when at least they are answered and accepted. */
const deprecatedAt = new Date('2026-12-01T00:00:00Z')
const sunsetAt = new Date('2028-01-01T00:00:00Z')

const deprecationHeaders = { deprecation: `@${deprecatedAt.getTime() / 1000}`, sunset: sunsetAt.toUTCString() }

export function tellDeprecated({ query, body }: FastifyRequest, reply: FastifyReply, route: Route): void {
  if (uses(query, route.query?.schema) || uses(body, route.body?.schema)) reply.headers(deprecationHeaders)
}

/** True if a request to the route may use a former name. */
export function takesFormerNames({ query, body }: Pick<Route, 'query' | 'body'>): boolean {
  const properties = [query, body].flatMap((reader) => Object.values(getSchemaProperties(reader?.schema)))
  return properties.some(
    ({ deprecated, readOnly, ...schema }) => (deprecated && !readOnly) || listFormerValues(schema).length > 0,
  )
}

function uses(input: unknown, schema: JsonSchema | undefined): boolean {
  if (typeof input !== 'object' || input === null) return false
  const properties = getSchemaProperties(schema)
  return Object.entries(input).some(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name]! : {}
    return property.deprecated === true || listFormerValues(property).includes(value)
  })
}

function getSchemaProperties(schema: JsonSchema | undefined): Record<string, JsonSchema> {
  return (schema?.properties ?? {}) as Record<string, JsonSchema>
}

function listFormerValues(schema: JsonSchema): unknown[] {
  return (schema['x-deprecated'] as unknown[] | undefined) ?? []
}
