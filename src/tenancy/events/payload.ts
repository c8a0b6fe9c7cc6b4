// The part of an event's body between occurred_at and store: its schema and what writes it follow from the same fields.
import { complete } from '../../kit/declare/composites.ts'
import type { Entity, Fields, FieldSpec, JsonSchema } from '../../kit/declare/field.ts'

declare const events: unique symbol

/** Only `write` of an event's declaration makes one, and emit() takes nothing else. */
export type Payload<E extends string> = object & { readonly [events]: (event: E) => void }

export type PayloadOf<E extends string, F extends Fields = any> = {
  /** The properties that the body has. */
  schema: JsonSchema
  write(values: Entity<F>): Payload<E>
}

/** Declares what the bodies of these events have; whatever else the values have is left out. */
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
