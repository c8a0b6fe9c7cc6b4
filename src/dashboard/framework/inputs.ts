// Reads the API's schema of an input: its type, its choices, and if it may be empty.
import type { JsonSchema } from '../../kit/declare/field.ts'
import type { ScreenAction, FormInput, PageContext } from './screen.ts'

export function resolveInputs(
  { inputs = [] }: Pick<ScreenAction, 'inputs'>,
  context: PageContext,
): readonly FormInput[] {
  return typeof inputs === 'function' ? inputs(context) : inputs
}

/** The input's own schema, or the body's schema at its name. */
export function getInputSchema({ name, schema }: Pick<FormInput, 'name' | 'schema'>, body: JsonSchema): JsonSchema {
  return schema ?? schemaAt(body, name)
}

/** The schema at a path, without null: `items.0.quantity` */
function schemaAt(schema: JsonSchema, path: string): JsonSchema {
  return path.split('.').reduce<JsonSchema>((at, part) => {
    const one = getNonNullBranch(at)
    const inner = (one.properties as Record<string, JsonSchema> | undefined)?.[part]
    const property = inner ?? (/^\d+$/.test(part) ? (one.items as JsonSchema | undefined) : undefined)
    if (!property) throw new Error(`the body has no ${path}`)
    return property
  }, schema)
}

function getNonNullBranch(schema: JsonSchema): JsonSchema {
  const branches = schema.anyOf as JsonSchema[] | undefined
  return branches?.find(({ type }) => type !== 'null') ?? schema
}

export function getSchemaType(schema: JsonSchema): string {
  return [getNonNullBranch(schema).type].flat().find((type) => type !== 'null') as string
}

export function isNullable({ type, anyOf }: JsonSchema): boolean {
  return [type].flat().includes('null') || ((anyOf as JsonSchema[] | undefined)?.some(isNullable) ?? false)
}

export function listSchemaChoices({ enum: values, items }: JsonSchema): string[] {
  const all = (values ?? (items as JsonSchema | undefined)?.enum ?? []) as unknown[]
  return all.filter((value) => typeof value === 'string')
}
