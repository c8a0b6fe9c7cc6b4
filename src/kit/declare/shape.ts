// Inputs: JSON Schema through Ajv, then each field reads its value. All faults are collected before any is thrown.
import { invalid } from '../values/errors.ts'
import { fault, type Fault, generalFaults } from '../values/faults.ts'
import { objectSchema, readFields } from './composites.ts'
import type { Create, Fields, JsonSchema, Patch, ReadContext } from './field.ts'
import { FaultList } from './invalidvalue.ts'
import { listFieldNames } from './row.ts'
import { schemaFaults } from './schema.ts'
import { checkStorable } from './storable.ts'

/** A check over several fields. It runs when none of `fields` has a fault of its own. */
export type Rule<T = any> = {
  fields: string[]
  check: (body: T, context: ReadContext) => Fault | readonly Fault[] | null
}

export type Reader<T> = {
  readonly schema: JsonSchema
  readonly type?: T
  /** Ignored fields. */
  readonly readOnly: readonly string[]
  /**
   * Throws VALIDATION_ERROR with every fault, including `outsideFaults`. With `strict`, unknown fields are faults too,
   * and so are read-only ones of a record that does not exist yet.
   */
  read(input: unknown, context: ReadContext, strict?: boolean, outsideFaults?: Fault[]): T
}

/** The body of a create operation; defaults are filled in. */
export function createBody<F extends Fields>(fields: F, rules: Rule[] = []): Reader<Create<F>> {
  return reader(fields, objectSchema(fields), rules, { complete: true }) as Reader<Create<F>>
}

/** The body of an update: any of the fields, without defaults. */
export function patchBody<F extends Fields>(fields: F, rules: Rule[] = []): Reader<Patch<F>> {
  const bare = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { default: _, ...schema } = field.spec.schema
      return [name, { ...field, spec: { ...field.spec, schema } }]
    }),
  )
  return reader(bare, objectSchema(bare, false), rules, { complete: false }) as Reader<Patch<F>>
}

/** A query string: texts are converted as the schema says, a repeated parameter is a fault. */
export function queryReader<F extends Fields>(
  fields: F,
  faultsOf: (query: Record<string, unknown>) => Fault[] = () => [],
): Reader<Create<F>> {
  const whole = reader(fields, objectSchema(fields), [], { complete: true })
  return {
    schema: whole.schema,
    readOnly: whole.readOnly,
    read: (input, context, strict) => {
      // Parameter names come from strangers: `constructor` and `__proto__` must be plain names too.
      const query: Record<string, unknown> = Object.create(null)
      for (const [name, value] of Object.entries(gatherKeys(fields, input as Record<string, unknown>))) {
        const schema = Object.hasOwn(fields, name) ? fields[name]!.spec.schema : undefined
        if (value === '' && schema?.type !== 'string') continue
        query[name] = schema && typeof value === 'string' ? fromText(value, schema) : value
      }
      const names = Object.keys(query).filter((name) => Object.hasOwn(fields, name))
      const withSpaces = names.filter((name) => hasLostPlus(query[name], fields[name]!.spec.schema))
      if (withSpaces.length > 0) throw invalid(...withSpaces.map((name) => fault(name, generalFaults.plus_as_space)))
      return whole.read(query, context, strict, faultsOf(query)) as Create<F>
    },
  }
}

/** `metadata[source]=erp` is a key of an object; other parameters with brackets are names of their own. */
function gatherKeys(fields: Fields, input: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(input)
  const keyed = entries.flatMap(([name, value]) => {
    const [, own = '', key] = /^(\w+)\[(.*)\]$/s.exec(name) ?? []
    return Object.hasOwn(fields, own) && fields[own]!.spec.schema.type === 'object' ? [{ name, own, key, value }] : []
  })
  if (keyed.length === 0) return input
  const names = new Set(keyed.map(({ name }) => name))
  const objects = Object.entries(Object.groupBy(keyed, ({ own }) => own)).map(([own, all]) => [
    own,
    Object.fromEntries(all!.map(({ key, value }) => [key, value])),
  ])
  return Object.fromEntries([...entries.filter(([name]) => !names.has(name)), ...objects])
}

/** A plus sign that is not encoded is a space in a query: that of an offset from UTC, or of an email. */
function hasLostPlus(value: unknown, schema: JsonSchema | undefined): boolean {
  if (typeof value !== 'string' || !schema) return false
  return /^\d{4}-\d\d-\d\dT[\d:.]+ \d\d:?\d\d$/.test(value) || (schema.format === 'email' && /^\S+ \S+@/.test(value))
}

function fromText(text: string, schema: JsonSchema): unknown {
  const isNumber = ['integer', 'number'].includes(schema.type as string)
  if (isNumber && /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return Number(text)
  if (schema.type === 'boolean' && ['true', '1'].includes(text)) return true
  if (schema.type === 'boolean' && ['false', '0'].includes(text)) return false
  return text
}

function reader(
  fields: Fields,
  schema: JsonSchema,
  rules: Rule[],
  { complete }: { complete: boolean },
): Reader<unknown> {
  const refusedBySchema = schemaFaults(schema)
  const readOnly = listFieldNames(fields, ({ role }) => role === 'readonly')
  return {
    schema,
    readOnly,
    read(input, context, strict = false, outsideFaults = []) {
      if (typeof input !== 'object' || input === null || Array.isArray(input)) {
        throw invalid(fault('body', generalFaults.not_json_object))
      }
      const faults = new FaultList()
      const addAll = (more: readonly Fault[]) => more.forEach((fault) => faults.add(fault))
      checkStorable(faults, input)
      addAll(refusedBySchema(input))
      addAll(outsideFaults)
      if (strict) addUnknown(faults, fields, input)
      if (strict && complete) addAll(readOnlyFaults(readOnly.filter((name) => Object.hasOwn(input, name))))
      const paths = faults.none ? {} : { faultPaths: faults }
      const read = readFields(fields, input as Record<string, unknown>, { ...context, ...paths }, complete)
      addAll(read.faults)
      for (const { fields: names, check } of rules) {
        if (!names.some((name) => faults.has(name))) addAll([check(read.values, context) ?? []].flat())
      }
      if (!faults.none) throw invalid(...faults.list)
      return read.values
    },
  }
}

function readOnlyFaults(names: readonly string[]): Fault[] {
  return names.map((name) => fault(name, generalFaults.read_only))
}

/** Read-only fields are not searched, nor values that have a fault themselves, such as a list over its maximum. */
function addUnknown(faults: FaultList, fields: Fields, input: object, at = ''): void {
  for (const name in input) {
    if (!Object.hasOwn(fields, name)) {
      faults.add(fault(`${at}${name}`, generalFaults.unknown_field))
      continue
    }
    const { spec } = fields[name]!
    const inner = spec.role === 'readonly' ? undefined : (spec.input?.spec ?? spec).fields
    if (!inner || faults.at(`${at}${name}`)) continue
    const value = (input as Record<string, unknown>)[name]
    const parts: [string, unknown][] = Array.isArray(value)
      ? value.map((part, index) => [`${name}.${index}`, part])
      : [[name, value]]
    for (const [path, part] of parts) {
      if (typeof part === 'object' && part !== null) addUnknown(faults, inner, part, `${at}${path}.`)
    }
  }
}
