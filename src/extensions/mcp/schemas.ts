// The schema of a tool's arguments, from the declarations of its operations. It is sent to language models: names fit
// what those accept, and examples are left out. Results have none: theirs would be twice as long as all arguments.
import type { JsonSchema } from '../../kit/declare/field.ts'
import type { Route } from '../../kit/declare/route.ts'
import { parameterDescription } from '../../http/openapi/descriptions.ts'
import type { ToolDeclaration } from './tools.ts'

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

/** The argument of lists whose rows are short. */
export const rowArguments: Properties = {
  all_fields: { type: 'boolean', default: false, description: 'Whether rows have all fields, instead of a few' },
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

export function inputSchema(routes: readonly Route[], { defaults = {}, row }: ToolDeclaration): JsonSchema {
  const all = routes.map(buildArguments)
  const isOnly = routes.length === 1
  const properties: Properties = {}
  for (const { properties: own } of all) {
    for (const [name, { default: usual, ...schema }] of Object.entries(own)) {
      const initial = defaults[name] ?? usual
      properties[name] ??= isOnly && initial !== undefined ? { ...schema, default: initial } : schema
    }
  }
  const isWrite = routes.some(({ method }) => method !== 'GET')
  const names = isOnly ? all[0]!.required : []
  const added = { ...(isWrite ? writeArguments : {}), ...(row ? rowArguments : {}) }
  return {
    type: 'object',
    properties: { ...properties, ...compact(added) },
    ...(names.length > 0 ? { required: names } : {}),
    additionalProperties: false,
  }
}

const isForPrograms = (name: string) =>
  /^cursor$|^metadata$|external_id$|^custom_fields$|^bundle_|^marketing_consent$/.test(name)

function buildArguments(route: Route): { properties: Properties; required: string[] } {
  const { query, body } = route
  const schema = (query ?? body)?.schema ?? {}
  const ids = [...pathArguments(route).values()]
  const describeField = (name: string, own: JsonSchema) => ({
    ...own,
    description: parameterDescription(name, own.description),
  })
  // A model asks for a page or two, by the current names. What integrations keep is for programs; values of custom
  // fields need their definitions, and parts of a bundle the IDs of others. A sort with one choice is the default.
  const own = Object.entries((schema.properties ?? {}) as Properties).filter(
    ([name, { deprecated, enum: choices }]) =>
      !isForPrograms(name) && !deprecated && !(name === 'sort' && (choices as string[] | undefined)?.length === 1),
  )
  return {
    properties: {
      ...Object.fromEntries(ids.map((id) => [id, compact(idSchema(id))])),
      ...Object.fromEntries(own.map(([name, part]) => [toArgumentName(name), argumentOf(describeField(name, part))])),
    },
    required: [...ids, ...((schema.required ?? []) as string[])],
  }
}

export function idSchema(name: string): JsonSchema {
  const description = `ID of the ${name.replace(/_id$/, '').replaceAll('_', ' ')}`
  return { type: 'string', minLength: 1, maxLength: 500, description }
}

// A model keeps lengths by itself; what exceeds one is refused with the limit.
// prettier-ignore
const forPeople = [
  'examples', 'title', 'readOnly', 'discriminator', 'minLength', 'maxLength', 'propertyNames', 'maxProperties',
  'if', 'then', 'else',
]
const limits = ['format', 'pattern', 'minimum', 'maximum', 'exclusiveMinimum', 'minItems', 'maxItems', 'uniqueItems']

/** Parts of lists have none of the fields for programs either. */
const argumentOf = (schema: JsonSchema): JsonSchema => without(schema, forPeople, isForPrograms)

/** Leaves out keywords that only people, generators and validators read. */
export function compact(schema: JsonSchema): JsonSchema {
  return without(schema, forPeople)
}

export function withoutLimits(schema: JsonSchema): JsonSchema {
  return without(schema, [...forPeople, ...limits])
}

/** Keeps only the structure of responses: their fields have the names that the arguments explain. */
export function bare(schema: JsonSchema): JsonSchema {
  return without(schema, [...forPeople, ...limits, 'description', 'default'])
}

/** Keeps only the names of the fields. */
export function outline({ type, properties, items }: JsonSchema): JsonSchema {
  if (items) return { type, items: outline(items as JsonSchema) }
  const names = Object.keys((properties ?? {}) as object)
  return { type, ...(names.length > 0 ? { description: names.join(', ') } : {}) }
}

/** Keeps the fields with their types, and of nested ones only the names. */
export function shallow({ type, properties, items, required }: JsonSchema): JsonSchema {
  if (items) return { type, items: shallow(items as JsonSchema) }
  const fields = Object.entries((properties ?? {}) as Properties)
  const outlines = fields.map(([name, field]) => [name, field.properties || field.items ? outline(field) : bare(field)])
  return { type, ...(fields.length > 0 ? { properties: Object.fromEntries(outlines), required } : {}) }
}

function without<T>(schema: T, keywords: readonly string[], isOmitted: (field: string) => boolean = () => false): T {
  const inside = <P>(part: P): P => without(part, keywords, isOmitted)
  if (Array.isArray(schema)) return schema.map(inside) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const keptEntries = Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword))
  return Object.fromEntries(
    keptEntries.map(([keyword, value]) => {
      if (keyword !== 'properties') return [keyword, keyword === 'enum' ? value : inside(value)]
      const parts = Object.entries(value as Properties).filter(([name]) => !isOmitted(name))
      return [keyword, Object.fromEntries(parts.map(([name, part]) => [name, inside(part)]))]
    }),
  ) as T
}
