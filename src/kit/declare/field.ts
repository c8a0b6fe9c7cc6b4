// The vocabulary of declarations: a field knows its JSON Schema, how a valid input is read, how a column's text
// becomes JSON and how a value becomes a column. Types follow from it.
import { isoOf, plain, quote, verbatim } from '../values/columntext.ts'
import { isUuid, publicId, uuidOf, type Prefix } from '../values/ids.ts'
import { maximumMoney, round, toNumber } from '../values/money.ts'
import { raw, type Sql } from '../database/sql.ts'

export type JsonSchema = { [keyword: string]: unknown }

/** What reading an input needs to know about its store. */
export type ReadContext = {
  currency: string
  timezone: string
  country_code: string
  now: Date
  /** Whether what stands at a path, seen from the value, has a fault already; absent when nothing of it has. */
  isFaulty?: (path: string) => boolean
}

/** A value that reads but is refused: the message completes "<field> …". */
export type Refused = { refused: string }

export type Role = 'optional' | 'defaulted' | 'required' | 'readonly'

export type FieldSpec = {
  schema: JsonSchema
  role: Role
  nullable: boolean
  sortable: boolean
  /** The column that sorts the same and has an index. */
  sortedBy?: string
  /** The value on create when the input has none. */
  initial?: unknown
  /** Turns a value that fits the schema into what operations work with. */
  read: (value: any, context: ReadContext) => unknown
  /** JSON of a column's text; null is written by the caller. */
  write: (text: string) => string
  /** The parameter of an insert or update. */
  column: (value: any) => unknown
  /** A derived field's expression, or a stored one whose column has another form. */
  expression?: Sql
  /** The SQL function through which the column is selected. */
  selectedBy?: string
  /** Of a public id. */
  prefix?: Prefix
  /** What bodies take, where that has another form than what is answered. */
  input?: Field<any, any, any>
  /** What a body's explicit null means, where the field itself is never null. */
  nullMeans?: unknown
  /** Those of an object, or of each element of a list. */
  fields?: Fields
  /** Rows of another table, loaded once per page. */
  children?: { resource: any }
}

export type Field<T = unknown, R extends Role = Role, N extends boolean = boolean> = {
  readonly spec: FieldSpec
  readonly type?: { value: T; role: R; nullable: N }
  required(): Field<T, 'required', N>
  readonly(): Field<T, 'readonly', N>
  nullable(): Field<T, R, true>
  /** Lists may be sorted by it, by way of `column` where that sorts the same and has the index. */
  sortable(column?: string): Field<T, R, N>
  default(value: T): Field<T, 'defaulted', N>
  describe(description: string): Field<T, R, N>
  example(value: T): Field<T, R, N>
  /** Bodies take what `input` describes and reads. */
  takes(input: Field<T, any, any>): Field<T, R, N>
  /** An explicit null in a body is taken for this value; the field itself is never null. */
  nullMeans(value: T): Field<T, R, N>
  /** Changes a value that was read, e.g. to capitals. */
  becomes<U = T>(change: (value: T) => U): Field<U, R, N>
  /** A check beyond JSON Schema: the reason why a value is refused, or null. */
  rule(check: (value: T, context: ReadContext) => string | null): Field<T, R, N>
}

export type Fields = Record<string, Field<any, any, any>>

type ValueOf<F> = F extends Field<infer T, any, infer N> ? (N extends true ? T | null : T) : never
type RoleOf<F> = F extends Field<any, infer R, any> ? R : never
type KeysWith<F extends Fields, R extends Role> = { [K in keyof F]: RoleOf<F[K]> extends R ? K : never }[keyof F]
type Simplify<T> = { [K in keyof T]: T[K] } & {}

export type Entity<F extends Fields> = { [K in keyof F]: ValueOf<F[K]> }
/** What a create operation receives: required and defaulted fields are there, the others may be. */
export type Create<F extends Fields> = Simplify<
  { [K in KeysWith<F, 'required' | 'defaulted'>]: ValueOf<F[K]> } & { [K in KeysWith<F, 'optional'>]?: ValueOf<F[K]> }
>
export type Patch<F extends Fields> = { [K in KeysWith<F, 'required' | 'defaulted' | 'optional'>]?: ValueOf<F[K]> }

function field<T>(spec: Partial<FieldSpec> & { schema: JsonSchema }): Field<T, 'optional', false> {
  return build<T, 'optional', false>({
    role: 'optional',
    nullable: false,
    sortable: false,
    read: (value) => value,
    write: quote,
    column: (value) => value,
    ...spec,
  })
}

function build<T, R extends Role, N extends boolean>(spec: FieldSpec): Field<T, R, N> {
  const withSpec = (change: Partial<FieldSpec>) => build<T, any, any>({ ...spec, ...change })
  return {
    spec,
    required: () => withSpec({ role: 'required' }),
    readonly: () => withSpec({ role: 'readonly' }),
    nullable: () => withSpec({ nullable: true }),
    sortable: (column) => withSpec({ sortable: true, sortedBy: column }),
    default: (initial) => withSpec({ role: 'defaulted', initial, schema: { ...spec.schema, default: initial } }),
    describe: (description) => withSpec({ schema: { ...spec.schema, description } }),
    example: (value) => withSpec({ schema: { ...spec.schema, examples: [value] } }),
    takes: (input) => withSpec({ input }),
    nullMeans: (value) => withSpec({ nullMeans: value }),
    becomes: <U>(change: (value: T) => U) =>
      withSpec({
        read: (value, context) => {
          const known = spec.read(value, context)
          return isRefused(known) || isNested(known) ? known : change(known as T)
        },
      }) as Field<any, R, N>,
    rule: (check) =>
      withSpec({
        read: (value, context) => {
          const known = spec.read(value, context)
          if (isRefused(known) || isNested(known)) return known
          const reason = check(known as T, context)
          return reason === null ? known : { refused: reason }
        },
      }),
  }
}

export function isRefused(value: unknown): value is Refused {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<Refused>).refused === 'string' &&
    Object.keys(value).length === 1
  )
}

// Scalars

/** A string, trimmed of nothing: what was sent is kept. Lengths are in UTF-16 units. */
export function text(limits: { min?: number; max?: number; pattern?: string; format?: string } = {}) {
  const { min = 0, max = 255, ...rest } = limits
  return field<string>({
    schema: { type: 'string', ...(min ? { minLength: min } : {}), maxLength: max, ...rest },
  }).rule((value) => (min > 0 && value.trim() === '' ? 'must not be blank' : null))
}

export function choice<const V extends string>(values: readonly V[]) {
  return field<V>({ schema: { type: 'string', enum: values }, write: plain })
}

export function integer(limits: { min?: number; max?: number } = {}) {
  const { min = -2_147_483_648, max = 2_147_483_647 } = limits
  return field<number>({ schema: { type: 'integer', minimum: min, maximum: max }, write: verbatim })
}

export function decimal(limits: { min?: number; max?: number; above?: number } = {}) {
  return field<number>({ schema: { type: 'number', ...bounds(limits) }, write: verbatim, read: zeroUnsigned })
}

/** Decimal major units, rounded half-up to the store's currency when read. */
export function money(limits: { min?: number; max?: number; above?: number } = {}) {
  const least = bounds(limits.above === undefined ? { min: 0, ...limits } : limits)
  return field<number>({
    schema: { type: 'number', maximum: maximumMoney, ...least },
    write: verbatim,
    read: (value: number, { currency }) => {
      const rounded = toNumber(round(value, currency))
      const tooSmall = limits.above !== undefined && rounded <= limits.above
      if (!tooSmall) return zeroUnsigned(rounded)
      return { refused: `must be greater than ${limits.above} in the smallest unit of ${currency}` }
    },
  })
}

export function flag() {
  return field<boolean>({ schema: { type: 'boolean' }, write: (bit) => (bit === 't' ? 'true' : 'false') })
}

/** An ISO 8601 date-time with an offset; in the database timestamptz(3). */
export function time() {
  return field<Date>({
    schema: { type: 'string', format: 'date-time', maxLength: 64 },
    write: (stamp) => `"${isoOf(stamp)}"`,
    read: (value: string) => {
      const instant = new Date(value)
      const year = instant.getUTCFullYear()
      return year >= 1 && year <= 9999 ? instant : { refused: 'must be a date-time between the years 1 and 9999' }
    },
  })
}

/** A public id; operations and the database work with its uuid. */
export function id(prefix: Prefix) {
  return field<string>({
    schema: { type: 'string', maxLength: 64, examples: [publicId(prefix, '01912d68-783e-7a03-8467-5661c1243ad4')] },
    prefix,
    write: (uuid) => `"${publicId(prefix, uuid)}"`,
    read: (value: string) => uuidOf(prefix, value) ?? { refused: 'does not exist' },
  })
}

export function uuid() {
  return field<string>({
    schema: { type: 'string', maxLength: 64, examples: ['01912d68-783e-7a03-8467-5661c1243ad4'] },
    write: plain,
    read: (value: string) => (isUuid(value) ? value.toLowerCase() : { refused: 'must be a UUID' }),
  })
}

/** An absolute http or https address. */
export function url(limits: { max?: number } = {}) {
  return text({ min: 1, max: limits.max ?? 2048 }).rule((value) =>
    /^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value) ? null : 'must be an http or https URL',
  )
}

export function email() {
  return text({ max: 254, format: 'email' })
}

// Composites

type ListLimits = { min?: number; max: number; unique?: boolean }

/** Elements are read one by one; kept in a json column. */
export function list<T>(element: Field<T, any, any>, { min = 0, max, unique = false }: ListLimits) {
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
export function set<T>(element: Field<T, any, any>, limits: ListLimits) {
  const whole = list(element, limits)
  const { prefix } = element.spec
  return build<T[], 'optional', false>({
    ...whole.spec,
    selectedBy: 'array_to_json',
    write: prefix
      ? (uuids) => JSON.stringify((JSON.parse(uuids) as string[]).map((uuid) => publicId(prefix, uuid)))
      : verbatim,
    column: (values) => values,
  })
}

export type Nested = { at: string; refused: string }[]

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

export function isNested(value: unknown): value is { nested: Nested } {
  return (
    typeof value === 'object' &&
    value !== null &&
    Array.isArray((value as { nested?: unknown }).nested) &&
    Object.keys(value).length === 1
  )
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
export function readObject(
  fields: Fields,
  value: Record<string, unknown>,
  context: ReadContext,
  complete: boolean,
): unknown {
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

/** With null where it may be null. */
export function schemaOf(spec: FieldSpec): JsonSchema {
  if (!spec.nullable) return spec.schema
  const { type, enum: values, anyOf, ...rest } = spec.schema
  return {
    ...(anyOf ? { anyOf: [...(anyOf as unknown[]), { type: 'null' }] } : { type: [type, 'null'] }),
    ...(values ? { enum: [...(values as unknown[]), null] } : {}),
    ...rest,
  }
}

/** A field that is computed by the database whenever it is read. */
export function derived<T>(of: Field<T, any, any>, expression: Sql): Field<T, 'readonly', false> {
  return build<T, 'readonly', false>({ ...of.spec, role: 'readonly', nullable: false, expression })
}

/**
 * The stored rows of another resource that belong to this one. `count` is an expression that is 0 when there are none:
 * then nothing is looked for. With `input`, bodies take them too.
 */
export function many<T>(
  resource: { entity: JsonSchema },
  { count = raw('1'), input }: { count?: Sql; input?: Field<any[], any, any> } = {},
): Field<T[], 'optional', false> {
  return build<T[], 'optional', false>({
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

function bounds({ min, max, above }: { min?: number; max?: number; above?: number }): JsonSchema {
  return {
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  }
}

function zeroUnsigned(value: number): number {
  return value === 0 ? 0 : value
}
