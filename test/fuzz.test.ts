// Requests made from the OpenAPI document: right ones, nearly right ones, and rubbish. None may be answered with a 5xx,
// and every answer must be one that the document describes. FUZZ_CASES=20000 for the long run, SEED to repeat one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { hashSecret } from '../src/kit/values/secrets.ts'
import { sql } from '../src/kit/database/sql.ts'
import { portal } from '../src/identity/account/routes.ts'
import { buyer, productOf, shopperOf } from './checkouts.ts'
import { newInvitation, newRecord, personOf } from './people.ts'
import { recordsOf } from './records.ts'
import { answering } from './strangers.ts'
import { openWorld } from './world.ts'
import { fc } from './random.ts'

const cases = Number(process.env.FUZZ_CASES ?? 1500)

const world = await openWorld({}, { network: { resolver: answering(['93.184.216.34']) } })
const document = (await world.app.server.inject('/openapi.json')).json()
const shop = await world.newStore()
const idOf = recordsOf(world, shop)

type Schema = Record<string, any>
type Operation = { method: string; path: string; parameters: Schema[]; body: Schema | undefined; responses: Schema }

const methods = ['get', 'post', 'patch', 'delete']
const operations: Operation[] = Object.entries<Schema>(document.paths).flatMap(([path, item]) =>
  Object.entries<Schema>(item)
    // A file has the rows of its list, whose requests are tried.
    .filter(([method]) => methods.includes(method) && !/\.(csv|ndjson|jsonl|xlsx)$/.test(path))
    .map(([method, one]) => ({
      method: method.toUpperCase(),
      path,
      parameters: [...(item.parameters ?? []), ...(one.parameters ?? [])].map(resolve),
      body: one.requestBody && resolve(one.requestBody.content['application/json'].schema),
      responses: one.responses,
    })),
)

const ids = await Promise.all(
  ['Product', 'Variant', 'Category', 'Collection', 'Customer', 'Discount', 'Order', 'Webhook'].map(idOf),
)
const mug = await productOf(shop, { name: 'Mug' })
for (const path of ['/v1/categories', '/v1/collections']) await shop.api.post(path, { name: 'Mug' })
await shop.api.post('/v1/discounts', { code: 'WELCOME10', type: 'percentage', value: 10 })
const paused = await world.newStore()
await paused.api.patch('/v1/store', { maintenance_mode: true })
const tokens = await Promise.all(Array.from({ length: 40 }, beginCheckout))
const [expired] = tokens
await world.app.db.transaction((tx) =>
  tx.rows(sql`
  update checkouts
  set status = 'expired'
  where store_id = ${shop.store.id}
    and token_hash = ${hashSecret(expired!)}`),
)

const person = await personOf(world, shop)
const several = (make: () => Promise<string>) => Promise.all(Array.from({ length: 8 }, make))

/** What stands in paths that know no other ids. */
const words: Record<string, string[] | undefined> = {
  token: tokens,
  slug: [...Array(20).fill(shop.store.slug), paused.store.slug],
  idOrSlug: [mug.id, mug.slug],
  store: [shop.store.id],
  session: await several(() => newRecord.session(world, person)),
  person: [person.id, ...(await several(() => newInvitation(world, person)))],
  passkey: await several(() => newRecord.passkey(world, person)),
  app: await several(() => newRecord.app(world, person)),
  client: await several(() => newRecord.client(world, person)),
}
/** The product that examples name. */
const anyProduct = document.components.schemas.Product.properties.id.examples[0]

async function beginCheckout(): Promise<string> {
  const items = [{ product_id: mug.id, quantity: 1 }]
  const { status, data, error } = await shopperOf(world, shop).begin({ items, ...buyer() })
  assert.equal(status, 201, JSON.stringify(error))
  return data.token
}

const rubbishText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    '%',
    '_',
    '\\',
    "'; drop table products; --",
    '__proto__',
    'null',
    'NaN',
    '1e400',
    '-0',
    '9223372036854775808',
    '1000000000000000000',
    '+294277-01-01T00:00:00Z',
    '0000-01-01',
    '2026-02-30T00:00:00Z',
    '🧺',
    'x'.repeat(10_000),
    '../../etc/passwd',
    '<script>',
    '${7*7}',
    'prod_00000000000000000000000000',
    ...ids,
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
)

const rubbish: fc.Arbitrary<unknown> = fc.oneof(
  rubbishText,
  fc.constantFrom(
    null,
    true,
    -0,
    0,
    -1,
    Infinity,
    -1e308,
    2 ** 53,
    2 ** 31,
    2 ** 63,
    0.001,
    1e-320,
    [],
    {},
    [[]],
    [null],
    { a: null },
    Array(10_001).fill(0),
    JSON.parse('{"__proto__": {"admin": true}}'),
  ),
  fc.jsonValue(),
)

/** Mostly what the schema asks for; one time in eight anything. */
function valueOf(schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  return mostly(7, rightValue(resolve(schema), depth), rubbish)
}

/** So many times as often the usual as the other. */
function mostly<T>(times: number, usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: times, arbitrary: usual }, { weight: 1, arbitrary: other })
}

function rightValue(schema: Schema, depth: number): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one: Schema) => valueOf(one, depth)))
  const types = [schema.type ?? 'string'].flat()
  const examples = schema.examples ? [fc.constantFrom(...schema.examples)] : []
  return fc.oneof(...types.map((type) => ofType(type, schema, depth)), ...examples)
}

function ofType(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return integerOf(schema)
    case 'number':
      return numberOf(schema)
    case 'array':
      return listOf(schema, depth)
    case 'object':
      return objectOf(schema, depth)
    default:
      return textOf(schema)
  }
}

function integerOf({ minimum = -1000, maximum = 100_000 }: Schema): fc.Arbitrary<number> {
  const max = Math.max(minimum, Math.min(maximum, 1000))
  return fc.oneof(fc.integer({ min: minimum, max }), fc.constantFrom(minimum, maximum, maximum + 1))
}

function numberOf({ minimum = -1000, maximum = 100_000 }: Schema): fc.Arbitrary<number> {
  const amount = fc.integer({ min: 1, max: 100_000 }).map((cents) => cents / 100)
  return fc.oneof(amount, fc.constantFrom(minimum, maximum))
}

function listOf({ items = {} }: Schema, depth: number): fc.Arbitrary<unknown[]> {
  return depth > 4 ? fc.constant([]) : fc.array(valueOf(items, depth + 1), { maxLength: 3 })
}

function textOf({ format, maxLength = 255 }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  if (format === 'email') return fc.emailAddress()
  return fc.oneof(
    fc.constantFrom(...ids),
    fc.string({ maxLength: 30 }),
    fc.constantFrom('x'.repeat(maxLength), 'x'.repeat(maxLength + 1)),
    fc.constantFrom('https://img.example/1.jpg', 'summer-sale', 'MXN', 'MX'),
  )
}

function objectOf({ properties = {}, required = [] }: Schema, depth: number): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries<Schema>(properties).map(([name, one]) => [name, valueOf(one, depth + 1)]),
  )
  const optional = Object.keys(fields).filter((name) => !required.includes(name))
  return fc
    .tuple(fc.record(fields, { requiredKeys: [] }), fc.record(fields), few(optional, 6))
    .map(([some, all, picked]) => {
      const chosen = Object.fromEntries([...required, ...picked].map((name) => [name, all[name]]))
      return { ...chosen, ...(depth > 3 ? some : {}) }
    })
}

function few<T>(of: T[], most: number): fc.Arbitrary<T[]> {
  return fc.subarray(of, { maxLength: Math.min(most, of.length) })
}

const depths = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const rawBodies = fc.constantFrom(
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '{"name":1e400,"price":1e999}',
  '{"name":"a","name":"b","price":1}',
  '\ufeff{"name":"x"}',
  '{"__proto__":{"x":1},"constructor":{}}',
  depths(10_000),
  `{"name":"${'x'.repeat(1024 * 1024)}"}`,
  '{"price":-0,"name":"\\ud800"}',
  '{"price":12345678901234567890}',
)
const otherTypes = fc.constantFrom('text/plain', 'application/xml', 'application/x-www-form-urlencoded')
const otherHeaders = fc.constantFrom<Record<string, string>>(
  { prefer: 'handling=strict' },
  { 'idempotency-key': 'fuzz' },
)

const request = fc
  .constantFrom(...operations)
  .chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      path: pathOf(operation),
      query: queryOf(operation),
      raw: operation.body ? mostly(12, bodyOf(operation.body), rawBodies) : fc.constant(undefined),
      type: mostly(20, fc.constant('application/json'), otherTypes),
      headers: mostly(8, fc.constant({}), otherHeaders),
    }),
  )

function pathOf({ parameters }: Operation): fc.Arbitrary<Record<string, string>> {
  return fc.record(
    Object.fromEntries(
      parameters
        .filter((one) => one.in === 'path')
        .map(({ name }) => [name, mostly(6, fc.constantFrom(...(words[name] ?? ids)), rubbishText)]),
    ),
  )
}

function queryOf({ parameters }: Operation) {
  return few(
    parameters.filter((one) => one.in === 'query'),
    5,
  ).chain((picked) =>
    fc.tuple(...picked.map(({ name, schema }) => valueOf(schema).map((value) => [name, value] as const))),
  )
}

function bodyOf(schema: Schema): fc.Arbitrary<string> {
  return valueOf(schema).map((value) => JSON.stringify(value)?.replaceAll(anyProduct, mug.id) ?? '')
}

test(`${cases} requests made from the document: no 5xx, and no answer that it does not describe`, async () => {
  const statuses = new Map<number, number>()
  let sent = 0,
    served = 0,
    worked = 0
  await fc.assert(
    fc.asyncProperty(request, async ({ operation, path, query, raw, type, headers }) => {
      if (++sent % 400 === 0) world.clock.advance(61) // a new window of the key's quota
      const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_match, name) => encode(path[name]!) || 'x')
      const url = filled + search(query)
      const init = raw === undefined ? { headers } : { body: raw, headers: { 'content-type': type, ...headers } }
      const { api } = url.startsWith(portal.prefix) ? person : shop
      const answer = await api.send(operation.method, url, init)
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (url.startsWith('/v1/store') && operation.method === 'PATCH' && answer.status === 200) await reopen()
      const asked = `${operation.method} ${url.slice(0, 300)} ${raw?.slice(0, 2000)}`
      const described = `${asked} → ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 600)}`
      assert.ok(answer.status < 500 || answer.error.code === 'STORE_UNAVAILABLE', described)
      if (answer.status < 300 && url.startsWith('/storefront/')) served++
      if (answer.status < 300 && api === person.api) worked++
      const validate = validatorOf(operation, answer.status)
      assert.ok(validate, `not in the document: ${described}`)
      assert.ok(validate(answer.body), `${JSON.stringify(validate.errors?.slice(0, 3))}: ${described}`)
      const shown = resolve(operation.responses[answer.status]).headers ?? {}
      for (const name of ['Location', 'ETag']) {
        // A list has no tag while some other write can change it.
        const isOptional = name === 'ETag' && Array.isArray(answer.data)
        if (!isOptional || answer.headers.has(name)) assert.equal(answer.headers.has(name), name in shown, described)
      }
    }),
    { numRuns: cases, endOnFailure: true },
  )
  for (const status of [200, 422]) {
    assert.ok((statuses.get(status) ?? 0) > cases / 20, JSON.stringify([...statuses]))
  }
  assert.ok(served > cases / 100, `shoppers were served ${served} times`)
  assert.ok(worked > cases / 100, `people were served ${worked} times`)
  console.log(`statuses: ${JSON.stringify(Object.fromEntries(statuses))}`)
})

/** Under its first name, for shoppers. */
async function reopen(): Promise<void> {
  const { status } = await shop.api.patch('/v1/store', {
    slug: shop.store.slug,
    status: 'active',
    maintenance_mode: false,
  })
  assert.equal(status, 200)
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function search(query: readonly (readonly [string, unknown])[]): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, 3000)
  const pairs = query.map(([name, value]) => `${encode(name)}=${encode(text(value))}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function resolve(schema: Schema): Schema {
  if (typeof schema.$ref !== 'string') return schema
  return resolve(
    schema.$ref
      .slice(2)
      .split('/')
      .reduce((at: Schema, key: string) => at[key], document),
  )
}

function validatorOf({ responses, method, path }: Operation, status: number): ValidateFunction | undefined {
  const name = `${method} ${path} ${status}`
  const known = validators.get(name)
  if (known) return known
  const schema = responses[status] && resolve(responses[status]).content?.['application/json']?.schema
  if (!schema) return undefined
  const validate = ajv.compile({ ...schema, $defs: {}, components: document.components })
  validators.set(name, validate)
  return validate
}

const validators = new Map<string, ValidateFunction>()
const ajv = new Ajv2020({ strict: false, allErrors: false })
addFormats.default(ajv)
ajv.addFormat('phone', true)
