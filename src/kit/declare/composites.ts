// Fields of several values: lists, objects, one of several shapes, and the rows of another table.
import { raw, type Sql } from '../database/sql.ts'
import { verbatim } from '../values/columntext.ts'
import { publicId } from '../values/ids.ts'
import {
  build,
  field,
  isNested,
  isRefused,
  schemaOf,
  type Create,
  type Field,
  type Fields,
  type FieldSpec,
  type JsonSchema,
  type Nested,
  type ReadContext,
  type Refused,
  type Simplify,
} from './field.ts'

type ListLimits = { min?: number; max: number; unique?: boolean }

/** Elements are read one by one; kept in a json column. */
export function list<T>(element: Field<T, any, any, any>, { min = 0, max, unique = false }: ListLimits) {
  return field<T[]>({
    schema: {
      type: 'array',
      items: element.spec.schema,
      ...(min > 0 ? { minItems: min } : {}),
      maxItems: max,
      ...(unique ? { uniqueItems: true } : {}),
    },
    fields: element.spec.fields,
    write: verbatim,
    read: (values: unknown[], context) => readEach(values, element, context),
    column: (values: unknown[]) => JSON.stringify(values),
  })
}

/** Like list, in a `text[]` or `uuid[]` column selected as json. */
export function set<T>(element: Field<T, any, any, any>, limits: ListLimits) {
  const whole = list(element, limits)
  const { prefix } = element.spec
  return build<T[], 'optional', false>({
    ...whole.spec,
    selectedBy: 'array_to_json',
    columnType: `${prefix ? 'uuid' : 'text'}[]`,
    write: prefix
      ? (uuids) => JSON.stringify((JSON.parse(uuids) as string[]).map((uuid) => publicId(prefix, uuid)))
      : verbatim,
    column: (values) => values,
  })
}

function readEach(values: unknown[], element: Field, context: ReadContext): unknown {
  const nested: Nested = []
  const read = values.map((value, index) => {
    if (context.isFaulty?.(String(index))) return undefined
    const known = element.spec.read(value, inside(context, String(index)))
    if (isRefused(known)) nested.push({ at: String(index), refused: known.refused })
    if (isNested(known)) nested.push(...known.nested.map(({ at, refused }) => ({ at: `${index}.${at}`, refused })))
    return known
  })
  return nested.length > 0 || context.isFaulty ? { nested } : read
}

/** What is beside a fault is read too, for faults of its own; the whole is then no value. */
function inside(context: ReadContext, name: string): ReadContext {
  const { isFaulty } = context
  return isFaulty ? { ...context, isFaulty: (path) => isFaulty(`${name}.${path}`) } : context
}

/**
 * An object inside a body, kept in a json column. With `knownBy`, an object that has this field is one that is there
 * already: only of a new one are the required fields required.
 */
export function object<F extends Fields>(fields: F, { knownBy }: { knownBy?: keyof F & string } = {}) {
  const { required, ...schema } = objectSchema(fields)
  const demand = required && knownBy ? { if: { required: [knownBy] }, else: { required } } : { required }
  return field<Simplify<Create<F>>>({
    schema: required ? { ...schema, ...demand } : schema,
    fields,
    write: verbatim,
    read: (value, context) => readObject(fields, value, context, true),
    column: (value) => JSON.stringify(value),
  })
}

/** One of several shapes, e.g. a gallery's element or its bare URL. `read` makes them one. */
export function either<T>(
  shapes: JsonSchema[],
  read: (value: any, context: ReadContext) => T | Refused | { nested: Nested },
) {
  return field<T>({ schema: { anyOf: shapes }, write: verbatim, read, column: (value) => JSON.stringify(value) })
}

/** Known fields of `value`, read; absent ones get their default when `complete`. */
function readObject(fields: Fields, value: Record<string, unknown>, context: ReadContext, complete: boolean): unknown {
  const nested: Nested = []
  const read: Record<string, unknown> = {}
  for (const [name, { spec }] of Object.entries(fields)) {
    if (spec.role === 'readonly') continue
    const given = value[name]
    if (given === undefined) {
      if (complete && spec.role === 'defaulted') read[name] = spec.initial
      continue
    }
    if (context.isFaulty?.(name)) continue
    const taken = spec.input?.spec ?? spec
    const known = given === null ? (spec.nullMeans ?? null) : taken.read(given, inside(context, name))
    if (isRefused(known)) nested.push({ at: name, refused: known.refused })
    else if (isNested(known)) nested.push(...known.nested.map(({ at, refused }) => ({ at: `${name}.${at}`, refused })))
    else read[name] = known
  }
  return nested.length > 0 || context.isFaulty ? { nested } : read
}

/** The JSON Schema of an input made of these fields. */
export function objectSchema(fields: Fields, required = true): JsonSchema {
  const writable = Object.entries(fields).filter(([, { spec }]) => spec.role !== 'readonly')
  const needed = required ? writable.filter(([, { spec }]) => spec.role === 'required').map(([name]) => name) : []
  return {
    type: 'object',
    properties: Object.fromEntries(writable.map(([name, { spec }]) => [name, inputSchema(spec)])),
    ...(needed.length > 0 ? { required: needed } : {}),
  }
}

function inputSchema(spec: FieldSpec): JsonSchema {
  const taken = spec.input?.spec ?? spec
  return schemaOf({ ...taken, nullable: taken.nullable || spec.nullMeans !== undefined })
}

/**
 * The stored rows of another resource that belong to this one. `count` is an expression that is 0 when there are none:
 * then nothing is looked for. With `input`, bodies take them too.
 */
export function many<T>(
  resource: { entity: JsonSchema },
  { count = raw('1'), input }: { count?: Sql; input?: Field<any[], any, any> } = {},
): Field<T[], 'optional', false, never> {
  return build<T[], 'optional', false, never>({
    schema: { type: 'array', items: resource.entity },
    role: input ? 'optional' : 'readonly',
    nullable: false,
    sortable: false,
    read: (value) => value,
    write: verbatim,
    column: (value) => value,
    expression: count,
    children: { resource },
    ...(input ? { input } : {}),
  })
}
