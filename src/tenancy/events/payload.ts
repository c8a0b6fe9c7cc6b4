// The part of an event's body between occurred_at and store. Its schema and its writer are derived from the same
// fields.
import { complete } from '../../kit/declare/composites.ts'
import type { Entity, Fields, FieldSpec, JsonSchema } from '../../kit/declare/field.ts'

declare const events: unique symbol

/** Only an event's `write` returns this type, and emit() accepts no other. */
export type Payload<E extends string> = object & { readonly [events]: (event: E) => void }

export type PayloadOf<E extends string, F extends Fields = any> = {
  /** The properties of the body. */
  schema: JsonSchema
  write(values: Entity<F>): Payload<E>
}

/** Declares the payload of these events; other values are dropped. */
export function payload<const E extends string, F extends Fields>(_events: readonly E[], fields: F): PayloadOf<E, F> {
  const { spec } = complete(fields)
  return { schema: spec.schema, write: (values) => pickDeclared(spec, values) as Payload<E> }
}

function pickDeclared({ fields }: FieldSpec, value: unknown): unknown {
  if (!fields || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => pickDeclaredFields(fields, one))
  return pickDeclaredFields(fields, value as Record<string, unknown>)
}

function pickDeclaredFields(fields: Fields, values: Record<string, unknown>): object {
  const entries = Object.entries(fields)
    .filter(([name]) => values[name] !== undefined)
    .map(([name, { spec }]) => [name, pickDeclared(spec, values[name])])
  return Object.fromEntries(entries)
}
