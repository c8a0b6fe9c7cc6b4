// Fields of several values: lists, objects, one of several shapes, and the rows of another table.
import { raw, type Sql } from '../database/sql.ts'
import { verbatim } from '../values/columntext.ts'
import type { Fault } from '../values/faults.ts'
import { publicId, type Prefix } from '../values/ids.ts'
import {
  field,
  buildFieldSchema,
  type AnyField,
  type Create,
  type Entity,
  type Field,
  type FieldOf,
  type Fields,
  type FieldSpec,
  type JsonSchema,
  type NestedSpec,
  type ReadContext,
  type Simplify,
} from './field.ts'
import { InvalidValue } from './invalidvalue.ts'

type ListLimits = { min?: number; max: number; unique?: boolean }

/** Elements are read one by one; kept in a json column. */
export function list<T>(element: FieldOf<T>, { min = 0, max, unique = false }: ListLimits) {
  return field<T[]>({
    schema: {
      type: 'array',
      items: element.spec.schema,
      ...(min > 0 ? { minItems: min } : {}),
      maxItems: max,
      ...(unique ? { uniqueItems: true } : {}),
    },
    ...pickNested(element.spec),
    write: verbatim,
    value: JSON.parse,
    read: (values: unknown[], context) => readEach(values, element, context),
    column: (values: unknown[]) => JSON.stringify(values),
  })
}

/** Like list, in a `text[]` or `uuid[]` column selected as json. */
export function set<T>(element: FieldOf<T>, limits: ListLimits) {
  const whole = list(element, limits)
  const { prefix } = element.spec
  return field<T[]>({
    ...whole.spec,
    selectedBy: 'list_json',
    columnType: `${prefix ? 'uuid' : 'text'}[]`,
    ...(prefix
      ? { value: buildIdsParser(prefix), write: (uuids) => JSON.stringify(buildIdsParser(prefix)(uuids)) }
      : {}),
    column: (values) => values,
  })
}

/** Like a list of objects, in a jsonb column that has the uuids of their ids, so that SQL can join them. */
export function joinableList<T>(element: FieldOf<T>, limits: ListLimits) {
  const whole = list(element, limits)
  const prefixes = Object.entries(element.spec.fields!).flatMap(([name, { spec }]) =>
    spec.prefix ? [[name, spec.prefix] as const] : [],
  )
  const withPublicIds = (object: Record<string, any>) => ({
    ...object,
    ...Object.fromEntries(
      prefixes.map(([name, prefix]) => [name, object[name] === null ? null : publicId(prefix, object[name])]),
    ),
  })
  const value = (cell: string) => (JSON.parse(cell) as Record<string, any>[]).map(withPublicIds)
  return field<T[]>({ ...whole.spec, columnType: 'jsonb', value, write: (cell) => JSON.stringify(value(cell)) })
}

function buildIdsParser(prefix: Prefix): (uuids: string) => string[] {
  return (uuids) => (JSON.parse(uuids) as string[]).map((uuid) => publicId(prefix, uuid))
}

function readEach(values: unknown[], element: Field, context: ReadContext): unknown {
  const faults: Fault[] = []
  const read = values.map((value, index) => {
    if (context.faultPaths?.at(String(index))) return undefined
    const result = element.spec.read(value, inside(context, String(index)))
    if (result instanceof InvalidValue) faults.push(...faultsAt(String(index), result))
    return result
  })
  return faults.length > 0 || context.faultPaths ? new InvalidValue(faults) : read
}

function faultsAt(name: string, { faults }: InvalidValue): Fault[] {
  return faults.map((fault) => ({ ...fault, field: fault.field === '' ? name : `${name}.${fault.field}` }))
}

/** Values beside a fault are read too, to find faults of their own; the whole is then invalid. */
function inside(context: ReadContext, name: string): ReadContext {
  const { faultPaths } = context
  if (!faultPaths) return context
  const { faultPaths: _, ...free } = context
  if (!faultPaths.has(name)) return free
  return {
    ...free,
    faultPaths: { at: (path) => faultPaths.at(`${name}.${path}`), has: (path) => faultPaths.has(`${name}.${path}`) },
  }
}

/**
 * An object inside a body, kept in a json column. With `knownBy`, an object that has this field already exists: the
 * required fields are required of new ones only. Responses have all of `always`.
 */
export function object<F extends Fields>(
  fields: F,
  { knownBy, always }: { knownBy?: keyof F & string; always?: readonly (keyof F & string)[] } = {},
) {
  const { required, ...schema } = objectSchema(fields)
  const requirement =
    required && knownBy ? { if: requiring([knownBy]), else: requiring(required as string[]) } : { required }
  return field<Simplify<Create<F>>>({
    schema: required ? { ...schema, ...requirement } : schema,
    fields,
    ...(always ? { always } : {}),
    write: verbatim,
    value: JSON.parse,
    read: (value, context) => {
      const { values, faults } = readFields(fields, value, context, true)
      return faults.length > 0 || context.faultPaths ? new InvalidValue(faults) : values
    },
    column: (value) => JSON.stringify(value),
  })
}

/** Names the required properties, as linters want it. */
function requiring(names: string[]): JsonSchema {
  return { properties: Object.fromEntries(names.map((name) => [name, {}])), required: names }
}

/** An object of a response: it has every field, except perhaps those of `optional`. */
export function complete<F extends Fields, const O extends keyof F & string = never>(
  fields: F,
  { optional = [] }: { optional?: readonly O[] } = {},
) {
  const always = Object.keys(fields).filter((name) => !optional.some((one) => one === name))
  return field<Simplify<Omit<Entity<F>, O> & Partial<Pick<Entity<F>, O>>>>({
    schema: responseObject(fields, always),
    fields,
    always,
    write: verbatim,
    value: JSON.parse,
    column: (value) => JSON.stringify(value),
  })
}

/** The JSON Schema of a field in responses. */
export function responseSchema(spec: FieldSpec): JsonSchema {
  const { default: initial, ...schema } = buildFieldSchema({ ...spec, schema: nestedSchema(spec) })
  return initial === undefined || schema.examples ? schema : { ...schema, examples: [initial] }
}

/** An object inside a response declares which of its fields are always present. */
function nestedSchema({ schema, fields, always }: FieldSpec): JsonSchema {
  if (!fields) return schema
  const whole = responseObject(fields, always)
  if (schema.type !== 'array') return { ...besideShape(schema), ...whole }
  return { ...schema, items: { ...besideShape(schema.items as JsonSchema), ...whole } }
}

function besideShape({ description, examples }: JsonSchema): JsonSchema {
  return { ...(description ? { description } : {}), ...(examples ? { examples } : {}) }
}

function pickNested({ fields, always }: FieldSpec): NestedSpec {
  return { ...(fields ? { fields } : {}), ...(always ? { always } : {}) }
}

function responseObject(fields: Fields, always?: readonly string[]): JsonSchema {
  const names = always ?? Object.keys(fields).filter((name) => isFilled(fields[name]!))
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, { spec }]) => [name, responseSchema(spec)])),
    ...(names.length > 0 ? { required: names } : {}),
  }
}

function isFilled({ spec }: AnyField): boolean {
  return spec.role === 'required' || spec.role === 'defaulted'
}

export type TextsByKey = Record<string, string | null>

type KeyLimits = { maxKeys: number; keys: RegExp; maxLength: number; isInput?: boolean; description: string }

/** Texts by keys of the client's own, kept in a jsonb column; null removes one from an input. */
export function textsByKey({ maxKeys, keys, maxLength, isInput = false, description }: KeyLimits) {
  return field<TextsByKey>({
    schema: {
      type: 'object',
      maxProperties: maxKeys,
      propertyNames: { type: 'string', pattern: keys.source },
      additionalProperties: { type: isInput ? ['string', 'null'] : 'string', maxLength },
      description,
    },
    columnType: 'jsonb',
    write: verbatim,
    value: JSON.parse,
    column: (value) => JSON.stringify(value),
  })
}

/**
 * One of several shapes, e.g. a gallery's element or its bare URL. `read` brings them into one form: if that is an
 * object, `response` is its field.
 */
export function either<T>(
  shapes: JsonSchema[],
  read: (value: any, context: ReadContext) => T | InvalidValue,
  response?: AnyField,
) {
  return field<T>({
    schema: shapes.length === 1 ? shapes[0]! : { anyOf: shapes },
    ...(response ? pickNested(response.spec) : {}),
    write: verbatim,
    value: JSON.parse,
    read,
    column: (value) => JSON.stringify(value),
  })
}

/** Reads the known fields of an object; with `complete`, absent ones get their default. Faults are at their names. */
export function readFields(
  fields: Fields,
  input: Record<string, unknown>,
  context: ReadContext,
  complete: boolean,
): { values: Record<string, unknown>; faults: Fault[] } {
  const values: Record<string, unknown> = {}
  const faults: Fault[] = []
  for (const [name, { spec }] of Object.entries(fields)) {
    if (spec.role === 'readonly' || context.faultPaths?.at(name)) continue
    const value = Object.hasOwn(input, name) ? input[name] : undefined
    if (value === undefined) {
      if (complete && spec.role === 'defaulted') values[name] = spec.initial
      continue
    }
    const { read } = spec.input?.spec ?? spec
    const result = value === null ? (spec.nullMeans ?? null) : read(value, inside(context, name))
    if (result instanceof InvalidValue) faults.push(...faultsAt(name, result))
    else values[name] = result
  }
  return { values, faults }
}

/** The JSON Schema of an input made of these fields. */
export function objectSchema(fields: Fields, isRequired = true): JsonSchema {
  const writable = Object.entries(fields).filter(([, { spec }]) => spec.role !== 'readonly')
  const requiredNames = isRequired
    ? writable.filter(([, { spec }]) => spec.role === 'required').map(([name]) => name)
    : []
  return {
    type: 'object',
    properties: Object.fromEntries(writable.map(([name, { spec }]) => [name, inputSchema(spec)])),
    ...(requiredNames.length > 0 ? { required: requiredNames } : {}),
  }
}

function inputSchema(spec: FieldSpec): JsonSchema {
  const input = spec.input?.spec ?? spec
  return buildFieldSchema({ ...input, nullable: input.nullable || spec.nullMeans !== undefined })
}

/**
 * The stored rows of another resource that belong to this one. `count` is an expression that is 0 if there are none,
 * which saves the query. With `input`, bodies take them too.
 */
export function many<T>(
  resource: { entity: JsonSchema },
  { count = raw('1'), input }: { count?: Sql; input?: AnyField } = {},
): Field<T[], 'optional', false, never> {
  return field<T[], never>({
    schema: { type: 'array', items: resource.entity },
    role: input ? 'optional' : 'readonly',
    write: verbatim,
    expression: count,
    children: resource,
    ...(input ? { input } : {}),
  })
}
