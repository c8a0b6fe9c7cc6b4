// The vocabulary of declarations: a field knows its JSON Schema, how a valid input is read, how a column's text
// becomes JSON and how a value becomes a column. Types follow from it.
import type { Prefix } from '../values/ids.ts'
import { quote, verbatim } from '../values/columntext.ts'
import type { Sql } from '../database/sql.ts'
import type { Reason } from '../values/faults.ts'
import { InvalidValue, type FaultPaths } from './invalidvalue.ts'

/** Marks the schema of personal or secret data; a symbol, so that no document shows it. */
export const sensitive: unique symbol = Symbol('sensitive')

export type JsonSchema = { [keyword: string]: unknown; [sensitive]?: true }

/** The properties of its store that reading an input needs. */
export type ReadContext = {
  currency: string
  timezone: string
  country_code: string
  /** The languages into which the store has translations. */
  translated?: readonly string[]
  /** Tables in which it has too many rows for a search to read all their texts. */
  large_tables?: readonly string[]
  /** True if some of its categories are below others. */
  has_subcategories?: boolean
  /** The parameters of the list that is filtered. */
  query?: Record<string, unknown>
  /** True if a search reads rows in the order of the list, until enough match. */
  isWalk?: boolean
  /** The paths that already have a fault, relative to the value; absent if it has none. */
  faultPaths?: FaultPaths
}

type FieldRole = 'optional' | 'defaulted' | 'required' | 'readonly'

/** How the value of a body is read. */
type InputSpec = {
  /** Turns a value that fits the schema into the one that operations use. */
  read: (value: any, context: ReadContext) => unknown
  /** The value on create when the input has none. */
  initial?: unknown
  /** The value for which an explicit null stands, where the field itself is never null. */
  nullMeans?: unknown
  /** The field that bodies are read by, where they have another form than responses. */
  input?: AnyField
}

/** How the value is stored, and how it is read from the text of its cell. */
type ColumnSpec = {
  /** JSON of the text; the caller writes null. */
  write: (text: string) => string
  /** The value of the text: that of its JSON, with times as dates. */
  value: (text: string) => unknown
  /** The parameter of an insert or update. */
  column: (value: any) => unknown
  /** The type of the column, where the schema does not determine it. */
  columnType?: string
  /** The prefix of the public ids for which the column has uuids. */
  prefix?: Prefix
  /** The SQL function through which the column is selected. */
  selectedBy?: string
  /** Lists may be sorted by it: by its own column, or by the named one, which has the same order and an index. */
  sortable?: boolean | string
  /** The expression of a derived field, or of a stored one whose column has another form. */
  expression?: Sql
  /** The resource whose rows belong to this one; they are loaded once per page. */
  children?: { entity: JsonSchema }
}

/** The fields of an object, or of each element of a list. */
export type NestedSpec = {
  fields?: Fields
  /** The fields that every response has; by default those that are required or have a default. */
  always?: readonly string[]
}

export type FieldSpec = InputSpec &
  ColumnSpec &
  NestedSpec & {
    schema: JsonSchema
    role: FieldRole
    nullable: boolean
    /** Personal data: no log shows it, and erasure removes it. */
    isPersonal?: boolean
    /** Never answered, and shown in no log. */
    isSecret?: boolean
  }

/** `C`: the type of its cell in a row of the database. */
export type Field<T = unknown, R extends FieldRole = FieldRole, N extends boolean = boolean, C = T> = {
  readonly spec: FieldSpec
  readonly type?: { value: T; role: R; nullable: N; cell: C }
  required(): Field<T, 'required', N, C>
  readonly(): Field<T, 'readonly', N, C>
  nullable(): Field<T, R, true, C>
  /** Lists may be sorted by it; `column` has the same order and an index. */
  sortable(column?: string): Field<T, R, N, C>
  default(value: T): Field<T, 'defaulted', N, C>
  describe(description: string): Field<T, R, N, C>
  example(value: T): Field<T, R, N, C>
  /** A former name, answered and taken beside the one that replaces it. */
  replacedBy(name: string): Field<T, R, N, C>
  /** A former value, taken beside the one that replaces it. */
  formerValue(value: T, replacement: T): Field<T, R, N, C>
  /** Personal data: no log shows it, and erasure removes it. */
  personal(): Field<T, R, N, C>
  /** Never answered, and shown in no log. Its owner seals it (`Vault.seal`) and marks the column `sealed`. */
  secret(): Field<T, R, N, C>
  /** Bodies are read by `input`. */
  takes(input: FieldOf<T>): Field<T, R, N, C>
  /** An explicit null in a body stands for this value; the field itself is never null. */
  nullMeans(value: T): Field<T, R, N, C>
  /** Changes a value that was read, e.g. to capitals. */
  becomes<U = T>(change: (value: T) => U): Field<U, R, N>
  /** A check beyond JSON Schema: the reason why the value is invalid, or null. */
  rule(check: (value: T, context: ReadContext) => Reason | null): Field<T, R, N, C>
}

/** A field of this type, with any role, nullable or not. */
export type FieldOf<T> = Field<T, any, any, any>

/** Fields of different types are not subtypes of each other or of Field<unknown>, as their methods take values. */
export type AnyField = FieldOf<any>

export type Fields = Record<string, AnyField>

type TypeOf<F extends AnyField> = NonNullable<F['type']>
type NullOf<F extends AnyField> = TypeOf<F>['nullable'] extends true ? null : never
type ValueOf<F extends AnyField> = TypeOf<F>['value'] | NullOf<F>
/** The type of its cell in a row of the database: decimals are texts, ids are uuids. */
type CellOf<F extends AnyField> = TypeOf<F>['cell'] | NullOf<F>
type StoredKeys<F extends Fields> = { [K in keyof F]: [TypeOf<F[K]>['cell']] extends [never] ? never : K }[keyof F]
export type Cells<F extends Fields> = Simplify<{ [K in StoredKeys<F>]: CellOf<F[K]> }>
type KeysWith<F extends Fields, R extends FieldRole> = {
  [K in keyof F]: TypeOf<F[K]>['role'] extends R ? K : never
}[keyof F]
export type Simplify<T> = { [K in keyof T]: T[K] } & {}

export type Entity<F extends Fields> = { [K in keyof F]: ValueOf<F[K]> }
/** The input of a create operation: required and defaulted fields are present, the others may be. */
export type Create<F extends Fields> = Simplify<
  { [K in KeysWith<F, 'required' | 'defaulted'>]: ValueOf<F[K]> } & { [K in KeysWith<F, 'optional'>]?: ValueOf<F[K]> }
>
/** The fields that a body may have. */
export type Writable<F extends Fields> = Pick<F, KeysWith<F, 'required' | 'defaulted' | 'optional'>>
export type Patch<F extends Fields> = { [K in KeysWith<F, 'required' | 'defaulted' | 'optional'>]?: ValueOf<F[K]> }

/** A field of a JSON Schema: by default optional, not null, and kept as it was sent. */
export function field<T, C = T>(spec: Partial<FieldSpec> & { schema: JsonSchema }): Field<T, 'optional', false, C> {
  return build<T, 'optional', false, C>({
    role: 'optional',
    nullable: false,
    read: (value) => value,
    write: quote,
    value: verbatim,
    column: (value) => value,
    ...spec,
  })
}

function build<T, R extends FieldRole, N extends boolean, C = T>(spec: FieldSpec): Field<T, R, N, C> {
  const withSpec = (change: Partial<FieldSpec>) => build<T, any, any, C>({ ...spec, ...change })
  return {
    spec,
    required: () => withSpec({ role: 'required' }),
    readonly: () => withSpec({ role: 'readonly' }),
    nullable: () => withSpec({ nullable: true }),
    sortable: (column) => withSpec({ sortable: column ?? true }),
    default: (initial) => withSpec({ role: 'defaulted', initial, schema: { ...spec.schema, default: initial } }),
    describe: (description) => withSpec({ schema: { ...spec.schema, description } }),
    replacedBy: (name) =>
      withSpec({ schema: { ...spec.schema, deprecated: true, description: `Deprecated: use ${name}` } }),
    formerValue: (value, replacement) =>
      build<T, R, N, C>({ ...spec, schema: withFormer(spec.schema, value, replacement) }).becomes((one) =>
        one === value ? replacement : one,
      ) as Field<any, R, N, any>,
    example: (value) => withSpec({ schema: { ...spec.schema, examples: [value] } }),
    personal: () => withSpec({ isPersonal: true, schema: { ...spec.schema, [sensitive]: true } }),
    secret: () => withSpec({ isSecret: true, schema: { ...spec.schema, [sensitive]: true } }),
    takes: (input) => withSpec({ input }),
    nullMeans: (value) => withSpec({ nullMeans: value }),
    becomes: <U>(change: (value: T) => U) =>
      withSpec({
        read: (value, context) => {
          const result = spec.read(value, context)
          return result instanceof InvalidValue ? result : change(result as T)
        },
      }) as unknown as Field<any, R, N>,
    rule: (check) =>
      withSpec({
        read: (value, context) => {
          const result = spec.read(value, context)
          if (result instanceof InvalidValue) return result
          const reason = check(result as T, context)
          return reason === null ? result : new InvalidValue([{ field: '', ...reason }])
        },
      }),
  }
}

function withFormer(schema: JsonSchema, value: unknown, replacement: unknown): JsonSchema {
  const { description = 'One of the values', enum: values } = schema as { description?: string; enum: unknown[] }
  return {
    ...schema,
    enum: [...values, value],
    'x-deprecated': [value],
    description: `${description}; \`${value}\` is deprecated: use \`${replacement}\``,
  }
}

/** The schema of the field, which allows null if the field is nullable. */
export function buildFieldSchema(spec: FieldSpec): JsonSchema {
  if (!spec.nullable) return spec.schema
  const { type, enum: values, anyOf, ...rest } = spec.schema
  return {
    ...(anyOf ? { anyOf: [...(anyOf as unknown[]), { type: 'null' }] } : { type: [type, 'null'] }),
    ...(values ? { enum: [...(values as unknown[]), null] } : {}),
    ...rest,
  }
}

/** A field that is computed by the database whenever it is read. */
export function derive<T>(of: FieldOf<T>, expression: Sql): Field<T, 'readonly', false, never> {
  return build<T, 'readonly', false, never>({ ...of.spec, role: 'readonly', nullable: false, expression })
}
