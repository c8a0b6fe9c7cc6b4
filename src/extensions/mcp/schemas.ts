// The schemas of a tool, from the declarations of its operations. They are sent to language models: names fit what
// those accept, and examples are left out.
import type { JsonSchema } from '../../kit/declare/field.ts'
import type { Route } from '../../kit/declare/route.ts'
import { rehearsalSchema } from '../../developer/dryruns/view.ts'
import { parameterDescription } from '../../http/openapi/descriptions.ts'
import { pagination } from '../../http/openapi.ts'

type Properties = Record<string, JsonSchema>

/** Arguments of every write, beside those of its operation. */
// prettier-ignore
export const writeArguments: Properties = {
  dry_run: {
    type: 'boolean', default: false,
    description: 'Whether to only try it: nothing is changed, and all effects are listed',
  },
  idempotency_key: {
    type: 'string', minLength: 1, maxLength: 255,
    description: 'Key of your choice: a repeat with the same key and arguments returns the first answer for 24 hours',
  },
  proposal_note: {
    type: 'string', minLength: 1, maxLength: 500,
    description: 'Note to the person who decides, if the change becomes a proposal',
  },
}

/** The argument for a parameter: models accept letters, digits and underscores. */
export function toArgumentName(parameter: string): string {
  return parameter.replace(/\[(\w+)\]$/, '_$1')
}

/** {name} of the path → the argument: the ID of a product is product_id. */
export function pathArguments({ path, params }: Route): Map<string, string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  return new Map(
    names.map((name) => [name, `${(params![name]!.noun as string).toLowerCase().replaceAll(' ', '_')}_id`]),
  )
}

export function inputSchema(routes: readonly Route[]): JsonSchema {
  const all = routes.map(buildArguments)
  const isOnly = routes.length === 1
  const properties: Properties = {}
  for (const { properties: own } of all) {
    for (const [name, { default: initial, ...schema }] of Object.entries(own)) {
      properties[name] ??= isOnly && initial !== undefined ? { ...schema, default: initial } : schema
    }
  }
  const isWrite = routes.some(({ method }) => method !== 'GET')
  const names = isOnly ? all[0]!.required : []
  return {
    type: 'object',
    properties: { ...properties, ...(isWrite ? writeArguments : {}) },
    ...(names.length > 0 ? { required: names } : {}),
    additionalProperties: false,
  }
}

function buildArguments(route: Route): { properties: Properties; required: string[] } {
  const { query, body } = route
  const schema = (query ?? body)?.schema ?? {}
  const ids = [...pathArguments(route).values()]
  const describeField = (name: string, own: JsonSchema) => ({
    ...own,
    description: parameterDescription(name, own.description),
  })
  // A model asks for a page or two, and by the current names.
  const own = Object.entries((schema.properties ?? {}) as Properties).filter(
    ([name, { deprecated }]) => name !== 'cursor' && !deprecated,
  )
  return {
    properties: {
      ...Object.fromEntries(ids.map((id) => [id, idSchema(id)])),
      ...Object.fromEntries(own.map(([name, part]) => [toArgumentName(name), compact(describeField(name, part))])),
    },
    required: [...ids, ...((schema.required ?? []) as string[])],
  }
}

export function idSchema(name: string): JsonSchema {
  const description = `ID of the ${name.replace(/_id$/, '').replaceAll('_', ' ')}`
  return { type: 'string', minLength: 1, maxLength: 500, description }
}

/** The output of a tool: the data of the operation, the effects of a dry run, or the proposal made instead. */
export function outputSchema(routes: readonly Route[]): JsonSchema {
  const parts = routes.map(({ returns, list }) => bare(list ? { type: 'array', items: returns } : returns))
  const data = parts.length === 1 ? parts[0]! : { anyOf: parts }
  const isWrite = routes.some(({ method }) => method !== 'GET')
  const isList = routes.some(({ list }) => list)
  return {
    type: 'object',
    properties: {
      data,
      ...(isList ? { pagination: bare(pagination) } : {}),
      ...(isWrite ? { rehearsal: { type: 'object', description: rehearsalText }, proposal: proposalSchema } : {}),
    },
    ...(isWrite ? {} : { required: ['data'] }),
  }
}

const rehearsalText = `What a dry run would do: ${Object.keys(rehearsalSchema.properties as object).join(', ')}`

/** The rest of a proposal is what propose_change returns. */
const proposalSchema: JsonSchema = {
  type: 'object',
  description: 'Made in place of the change, which a person has to approve in the dashboard',
  properties: { id: { type: 'string' }, status: { type: 'string' }, expires_at: { type: 'string' } },
  required: ['id', 'status', 'expires_at'],
}

const forPeople = ['examples', 'title', 'readOnly', 'discriminator']
const limits = ['format', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'maxItems']

/** Leaves out keywords that only people and generators read. */
function compact(schema: JsonSchema): JsonSchema {
  return without(schema, forPeople)
}

/** Keeps only the structure of responses: their fields have the names that the arguments explain. */
function bare(schema: JsonSchema): JsonSchema {
  return without(schema, [...forPeople, ...limits, 'description', 'default'])
}

function without<T>(schema: T, keywords: readonly string[]): T {
  if (Array.isArray(schema)) return schema.map((part) => without(part, keywords)) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const keptEntries = Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword))
  return Object.fromEntries(
    keptEntries.map(([keyword, value]) => {
      if (keyword !== 'properties') return [keyword, keyword === 'enum' ? value : without(value, keywords)]
      const parts = Object.entries(value as Properties)
      return [keyword, Object.fromEntries(parts.map(([name, part]) => [name, without(part, keywords)]))]
    }),
  ) as T
}
