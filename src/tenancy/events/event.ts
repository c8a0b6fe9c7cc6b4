// An event is declared once, beside its noun: its types, when they occur, the part of their bodies between occurred_at
// and store, which scope reads them, and a sample with invented content.
import { complete } from '../../kit/declare/composites.ts'
import type { Entity, Fields, FieldSpec, JsonSchema } from '../../kit/declare/field.ts'
import type { Feature } from '../plans/plan.ts'

declare const events: unique symbol

/** Only an event's `write` returns this type, and emit() accepts no other. */
export type Payload<E extends string> = object & { readonly [events]: (event: E) => void }

/** One type of event. */
export type DeclaredEvent<E extends string = string> = {
  type: E
  /** When it occurs, worded for the guide to webhooks. */
  when: string
  /** The scope that reads its data. */
  scope: string
  /** The plan feature that it needs, at subscription and at each delivery. */
  feature: Feature | null
  /** Its body has the store's name beside its ID and time zone. */
  namesStore: boolean
  /** The properties of its body. */
  schema: JsonSchema
  sample: { subjectId: string; payload: Payload<E> }
}

/** Several types with the same payload. */
export type Events<E extends string, F extends Fields = any> = {
  types: readonly DeclaredEvent<E>[]
  write(values: Entity<F>): Payload<E>
}

type SharedMarks<F extends Fields> = Pick<DeclaredEvent, 'scope'> &
  Partial<Pick<DeclaredEvent, 'feature' | 'namesStore'>> & {
    fields: F
    /** The public ID of the record that a sample is about. */
    subjectId: string
  }

type TypeMarks<F extends Fields> = { when: string; sample: Entity<F> }

/** Declares events with the same payload. Other values than those of its fields are dropped. */
export function declareEvents<E extends string, F extends Fields>(
  { scope, feature = null, namesStore = false, fields, subjectId }: SharedMarks<F>,
  types: Record<E, TypeMarks<NoInfer<F>>>,
): Events<E, F> {
  const { spec } = complete(fields)
  const write = (values: Entity<F>) => pickDeclared(spec, values) as Payload<E>
  const events = Object.entries<TypeMarks<F>>(types).map(([type, { when, sample }]): DeclaredEvent<E> => {
    const marks = { type: type as E, when, scope, feature, namesStore, schema: spec.schema }
    return { ...marks, sample: { subjectId, payload: write(sample) } }
  })
  for (const event of events) eventsByType.set(event.type, event)
  return { types: events, write }
}

const eventsByType = new Map<string, DeclaredEvent<any>>()

/** Returns the declaration, which code that emits or reads an event has already loaded. */
export function declaredEvent(type: string): DeclaredEvent<any> {
  const event = eventsByType.get(type)
  if (!event) throw new Error(`the event ${type} is not declared`)
  return event
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
