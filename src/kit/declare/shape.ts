// Inputs: JSON Schema through Ajv, then each field reads its value. All faults are gathered before any is thrown.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { invalid, type Fault } from '../values/errors.ts'
import { objectSchema } from './composites.ts'
import {
  isNested,
  isRefused,
  type Create,
  type Fields,
  type JsonSchema,
  type Patch,
  type ReadContext,
} from './field.ts'

/** A check over several fields. It runs when none of `fields` has a fault of its own. */
export type Rule<T = any> = { fields: string[]; check: (body: T, context: ReadContext) => Fault | null }

export type Reader<T> = {
  readonly schema: JsonSchema
  readonly type?: T
  /** Throws VALIDATION_ERROR with every fault, `known` ones included. `strict`: unknown fields are faults too. */
  read(input: unknown, context: ReadContext, strict?: boolean, known?: Fault[]): T
}

const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: true })
addFormats.default(ajv)
// 6 to 15 digits (E.164 §6.2.1), grouped as people write them.
ajv.addFormat('phone', /^(?=(\D*\d){6,15}\D*$)\+?[\d\s().\-/]+$/)

/** Everything that a create operation takes; defaults are filled in. */
export function createBody<F extends Fields>(fields: F, rules: Rule[] = []): Reader<Create<F>> {
  return reader(fields, objectSchema(fields), rules, { complete: true }) as Reader<Create<F>>
}

/** Any part of it; nothing is filled in. */
export function patchBody<F extends Fields>(fields: F, rules: Rule[] = []): Reader<Patch<F>> {
  const bare = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { default: _, ...schema } = field.spec.schema
      return [name, { ...field, spec: { ...field.spec, schema } }]
    }),
  )
  return reader(bare, objectSchema(bare, false), rules, { complete: false }) as Reader<Patch<F>>
}

/** A query string: texts become what the schema asks for, a repeated parameter is a fault. */
export function queryReader<F extends Fields>(fields: F): Reader<Create<F>> {
  const whole = reader(fields, objectSchema(fields), [], { complete: true })
  return {
    schema: whole.schema,
    read: (input, context, strict) => {
      // Anybody names the parameters: `constructor` and `__proto__` too are no more than names.
      const query: Record<string, unknown> = Object.create(null)
      for (const [name, given] of Object.entries(input as Record<string, unknown>)) {
        const schema = Object.hasOwn(fields, name) ? fields[name]!.spec.schema : undefined
        if (given === '' && schema?.type !== 'string') continue
        query[name] = schema && typeof given === 'string' ? fromText(given, schema) : given
      }
      return whole.read(query, context, strict) as Create<F>
    },
  }
}

function fromText(given: string, schema: JsonSchema): unknown {
  const isNumber = ['integer', 'number'].includes(schema.type as string)
  if (isNumber && /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(given)) return Number(given)
  if (schema.type === 'boolean' && ['true', '1'].includes(given)) return true
  if (schema.type === 'boolean' && ['false', '0'].includes(given)) return false
  return given
}

function reader(
  fields: Fields,
  schema: JsonSchema,
  rules: Rule[],
  { complete }: { complete: boolean },
): Reader<unknown> {
  let validate: ValidateFunction | undefined
  return {
    schema,
    read(input, context, strict = false, known = []) {
      if (typeof input !== 'object' || input === null || Array.isArray(input)) {
        throw invalid({ field: 'body', message: 'must be a JSON object' })
      }
      const faults = new Faults()
      unreadable(input, '', 0, faults)
      validate ??= ajv.compile(schema)
      if (!validate(input)) validate.errors!.forEach((error) => faults.addSchemaError(error))
      known.forEach(({ field, message }) => faults.add(field, message))
      if (strict) unknownNames(fields, input).forEach((name) => faults.add(name, 'is not a known field'))
      const body = readFields(fields, input as Record<string, unknown>, context, complete, faults)
      for (const { fields: names, check } of rules) {
        const fault = names.some((name) => faults.has(name)) ? null : check(body, context)
        if (fault) faults.add(fault.field, fault.message)
      }
      if (!faults.none) throw invalid(...faults.list)
      return body
    },
  }
}

function readFields(
  fields: Fields,
  input: Record<string, unknown>,
  context: ReadContext,
  complete: boolean,
  faults: Faults,
): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const [name, { spec }] of Object.entries(fields)) {
    if (spec.role === 'readonly' || faults.at(name) || faults.isFull) continue
    const given = Object.hasOwn(input, name) ? input[name] : undefined
    if (given === undefined) {
      if (complete && spec.role === 'defaulted') body[name] = spec.initial
      continue
    }
    const { read } = spec.input?.spec ?? spec
    const within = faults.has(name) ? { ...context, isFaulty: (path: string) => faults.at(`${name}.${path}`) } : context
    const value = given === null ? (spec.nullMeans ?? null) : read(given, within)
    if (isRefused(value)) faults.add(name, value.refused)
    else if (isNested(value)) value.nested.forEach(({ at, refused }) => faults.add(`${name}.${at}`, refused))
    else body[name] = value
  }
  return body
}

class Faults {
  readonly list: Fault[] = []

  get none(): boolean {
    return this.list.length === 0
  }

  /** Then what is not in the list may be faulty too. */
  get isFull(): boolean {
    return this.list.length >= maximumFaults
  }

  at(name: string): boolean {
    return this.list.some(({ field }) => field === name)
  }

  /** Of it or of anything in it. */
  has(name: string): boolean {
    return this.list.some(({ field }) => field === name || field.startsWith(`${name}.`))
  }

  add(field: string, message: string): void {
    if (!this.isFull && !this.list.some((fault) => fault.field === field)) this.list.push({ field, message })
  }

  addSchemaError(error: ErrorObject): void {
    const path = error.instancePath
      .slice(1)
      .split('/')
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    const at = path.filter((part) => part !== '').join('.')
    const missing = error.keyword === 'required' ? String(error.params.missingProperty) : ''
    const field = [at, missing].filter(Boolean).join('.') || 'body'
    // The branches of an anyOf are reported once, as a whole.
    if (/\/anyOf\/\d+\//.test(error.schemaPath)) return
    // What its branch asks for has been said.
    if (error.keyword === 'if') return
    this.add(field, wording(error))
  }
}

const maximumFaults = 100

function wording({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'type':
      return `must be ${article(([params.type].flat() as string[]).join(' or '))}`
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}`
    case 'exclusiveMinimum':
      return `must be greater than ${params.limit}`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'minItems':
      return `must have at least ${params.limit} ${params.limit === 1 ? 'element' : 'elements'}`
    case 'maxItems':
      return `must have at most ${params.limit} elements`
    case 'uniqueItems':
      return `must not repeat an element: ${params.j} and ${params.i} are the same`
    case 'format':
      return params.format === 'date-time'
        ? 'must be an ISO 8601 date-time with an offset'
        : `must be a valid ${params.format}`
    case 'pattern':
      return `must match ${params.pattern}`
    case 'anyOf':
      return 'has none of the accepted forms'
    default:
      return message ?? 'is invalid'
  }
}

function article(type: string): string {
  const nouns = type
    .replace('boolean', 'true or false')
    .replace('array', 'a list')
    .replace('object', 'an object')
    .replace('integer', 'a whole number')
    .replace('number', 'a number')
    .replace('string', 'a string')
    .replace('a whole a number', 'a whole number')
  return nouns
}

const maximumDepth = 32
const maximumElements = 1000

/** What PostgreSQL's text and json cannot hold, and what no honest client sends. */
function unreadable(value: unknown, at: string, depth: number, faults: Faults): void {
  if (typeof value === 'string') {
    if (value.includes('\0')) faults.add(at, 'must not contain the NUL character')
    else if (!value.isWellFormed()) faults.add(at, 'must be well-formed Unicode')
    return
  }
  if (typeof value !== 'object' || value === null) return
  if (depth >= maximumDepth) return faults.add(at, `must not be nested deeper than ${maximumDepth} levels`)
  if (Array.isArray(value) && value.length > maximumElements) {
    return faults.add(at, `must have at most ${maximumElements} elements`)
  }
  for (const [name, inner] of Object.entries(value)) {
    const path = at === '' ? name : `${at}.${name}`
    if (name.includes('\0') || !name.isWellFormed()) {
      faults.add(at || 'body', 'has a field whose name is not well-formed')
    } else {
      unreadable(inner, path, depth + 1, faults)
    }
  }
}

/** Their paths. What is only read is not looked into. */
function unknownNames(fields: Fields, input: object, at = ''): string[] {
  return Object.entries(input).flatMap(([name, value]) => {
    if (!Object.hasOwn(fields, name)) return [`${at}${name}`]
    const { spec } = fields[name]!
    const inner = spec.role === 'readonly' ? undefined : (spec.input?.spec ?? spec).fields
    if (!inner) return []
    const parts = Array.isArray(value) ? value.map((part, index) => [`${name}.${index}`, part]) : [[name, value]]
    return parts.flatMap(([path, part]) =>
      typeof part === 'object' && part !== null ? unknownNames(inner, part, `${at}${path}.`) : [],
    )
  })
}
