// Records with a value that only the response to their creation has, such as a secret.
import type { JsonSchema } from './field.ts'

const originals = new WeakMap<JsonSchema, { record: JsonSchema; names: string[] }>()

export function withOneTimeValues(record: JsonSchema, title: string, values: Record<string, JsonSchema>): JsonSchema {
  const names = Object.keys(values)
  const schema = {
    ...record,
    title,
    properties: { ...(record.properties as object), ...values },
    required: [...(record.required as string[]), ...names],
  }
  originals.set(schema, { record, names })
  return schema
}

/** The schema of the record as it is read later. */
export function getRecordSchema(schema: JsonSchema): JsonSchema {
  return originals.get(schema)?.record ?? schema
}

/** The text of the record as it is read later. */
export function stripOneTimeFields(schema: JsonSchema, text: string): string {
  const original = originals.get(schema)
  if (!original) return text
  const record = Object.entries(JSON.parse(text) as object).filter(([name]) => !original.names.includes(name))
  return JSON.stringify(Object.fromEntries(record))
}
