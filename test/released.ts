// What a released OpenAPI document promised, and what of it a later one no longer keeps: /v1 only grows.
type Schema = Record<string, any>
export type Promised = { paths: Record<string, Record<string, any>>; components: { schemas: Record<string, Schema> } }
type Side = 'request' | 'response'

const lowest = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems']
const highest = ['maximum', 'maxLength', 'maxItems']
const kept = ['type', 'enum', 'const', 'required', ...lowest, ...highest]
const nested = ['items', 'additionalProperties']
const branches = ['anyOf', 'oneOf', 'allOf']
const media = 'application/json'

/** The part of a document that clients rely on: operations, parameters, bodies and successful answers. */
export function promisesOf(document: Promised): Promised {
  const operations = ([path, methods]: [string, Record<string, any>]) => [path, mapped(methods, operation)]
  return {
    paths: Object.fromEntries(Object.entries(document.paths).map(operations as any)),
    components: { schemas: mapped(document.components.schemas, schema) },
  } as Promised
}

function operation({ operationId, parameters = [], requestBody, responses }: any) {
  const own = parameters.filter(({ $ref }: any) => !$ref)
  // A file is text.
  const isJson = ([status, { content }]: [string, any]) => status.startsWith('2') && content?.[media]
  const answers = Object.entries<any>(responses).filter(isJson)
  const answer = ([status, { content }]: [string, any]) => [status, schema(content[media].schema)]
  return {
    operationId,
    parameters: own.map((one: any) => ({
      name: one.name,
      in: one.in,
      required: one.required,
      schema: schema(one.schema),
    })),
    ...(requestBody ? { body: schema(requestBody.content[media].schema) } : {}),
    answers: Object.fromEntries(answers.map(answer)),
  }
}

function schema(of: any): any {
  if (of.$ref) return { $ref: of.$ref }
  // A choice between values and null is the same as null among the values.
  const [values, other] = of.anyOf ?? []
  if (values?.enum && other?.type === 'null')
    return schema({ type: [values.type, 'null'], enum: [...values.enum, null] })
  return {
    ...Object.fromEntries(kept.filter((name) => name in of).map((name) => [name, of[name]])),
    ...Object.fromEntries(
      nested.filter((name) => typeof of[name] === 'object').map((name) => [name, schema(of[name])]),
    ),
    ...Object.fromEntries(branches.filter((name) => of[name]).map((name) => [name, of[name].map(schema)])),
    ...(of.properties ? { properties: mapped(of.properties, schema) } : {}),
  }
}

function mapped<T, U>(values: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

/** One sentence for each promise of `before` that `after` breaks. */
export function brokenPromises(before: Promised, after: Promised): string[] {
  const broken = new Set<string>()
  const compare = (at: string, old: Schema, now: Schema, side: Side, seen = new Set<string>()): void => {
    const key = `${old.$ref} ${now.$ref} ${side}`
    if (old.$ref && seen.has(key)) return
    const place = old.$ref ? `${side} ${old.$ref.split('/').at(-1)}` : at
    const [one, other] = [resolved(before, old), resolved(after, now)]
    const deeper = new Set([...seen, key])
    for (const fault of faultsOf(one, other, side)) broken.add(`${place}: ${fault}`)
    for (const [name, property] of Object.entries<Schema>(one.properties ?? {})) {
      const same = other.properties?.[name]
      if (same) compare(`${place}.${name}`, property, same, side, deeper)
      else if (!isOpen(other)) broken.add(`${place}.${name} is gone`)
    }
    for (const name of nested) {
      if (one[name] && other[name]) compare(`${place}[]`, one[name], other[name], side, deeper)
    }
  }
  for (const [path, methods] of Object.entries(before.paths)) {
    for (const [method, old] of Object.entries<any>(methods)) {
      const at = `${method.toUpperCase()} ${path}`
      const now = after.paths[path]?.[method]
      if (!now) broken.add(`${at} is gone`)
      else compareOperation(at, old, now)
    }
  }
  return [...broken].sort()

  function compareOperation(at: string, old: any, now: any): void {
    // Generated clients name their methods by it.
    if (old.operationId !== now.operationId) broken.add(`${at} is ${now.operationId} now`)
    for (const one of old.parameters) {
      const same = now.parameters.find(({ name, in: place }: any) => name === one.name && place === one.in)
      if (!same) broken.add(`${at}?${one.name} is gone`)
      else compare(`${at}?${one.name}`, one.schema, same.schema, 'request')
    }
    const wasRequired = new Set(old.parameters.filter(({ required }: any) => required).map(({ name }: any) => name))
    for (const { name, required } of now.parameters) {
      if (required && !wasRequired.has(name)) broken.add(`${at}?${name} is required now`)
    }
    if (old.body) compare(`${at} body`, old.body, now.body ?? {}, 'request')
    for (const [status, answer] of Object.entries<Schema>(old.answers)) {
      if (now.answers[status]) compare(`${at} ${status}`, answer, now.answers[status], 'response')
      else broken.add(`${at} no longer answers ${status}`)
    }
  }
}

function resolved({ components }: Promised, { $ref, ...own }: Schema): Schema {
  const whole: Schema = $ref ? { ...components.schemas[$ref.split('/').at(-1)!]!, ...own } : own
  return whole.anyOf?.length === 1 ? { ...whole, ...whole.anyOf[0] } : whole
}

/** Any property may be sent. */
function isOpen({ properties, type }: Schema): boolean {
  return properties === undefined && type === undefined
}

function faultsOf(old: Schema, now: Schema, side: Side): string[] {
  const [values, newValues] = [listOf(old.enum), listOf(now.enum)]
  const missing = values.filter((value) => newValues.length > 0 && !newValues.includes(value))
  const faults = missing.map((value) => `the value ${value} is gone`)
  return [...faults, ...(side === 'response' ? responseFaults(old, now) : requestFaults(old, now))]
}

function responseFaults(old: Schema, now: Schema): string[] {
  const [types, newRequired] = [typesOf(old), listOf(now.required)]
  const more = typesOf(now).filter((type) => types.length > 0 && !fits(type, types))
  const optional = listOf(old.required).filter((name) => !newRequired.includes(name) && now.properties?.[name])
  return [...more.map((type) => `may be ${type} now`), ...optional.map((name) => `${name} may be left out now`)]
}

function requestFaults(old: Schema, now: Schema): string[] {
  const [newTypes, required] = [typesOf(now), listOf(old.required)]
  const fewer = typesOf(old).filter((type) => newTypes.length > 0 && !fits(type, newTypes))
  const needed = listOf(now.required).filter((name) => !required.includes(name))
  // A list of values has its own lengths.
  const isLimited = (name: string) => !old.enum && now[name] !== undefined
  const higher = lowest.filter((name) => isLimited(name) && now[name] > (old[name] ?? -Infinity))
  const lower = highest.filter((name) => isLimited(name) && now[name] < (old[name] ?? Infinity))
  return [
    ...(old.enum || !now.enum ? [] : ['takes only some values now']),
    ...fewer.map((type) => `is no longer taken as ${type}`),
    ...needed.map((name) => `${name} is required now`),
    ...higher.map((name) => `${name} is higher`),
    ...lower.map((name) => `${name} is lower`),
  ]
}

function listOf(values: unknown): any[] {
  return Array.isArray(values) ? values : []
}

function typesOf({ type, anyOf, oneOf }: Schema): string[] {
  if (type) return [type].flat()
  return [...new Set<string>([...(anyOf ?? []), ...(oneOf ?? [])].flatMap((one: Schema) => typesOf(one)))]
}

/** An integer is a number. */
function fits(type: string, types: string[]): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'))
}
