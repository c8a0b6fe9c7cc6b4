// Whatever id a request may carry, one of another store is as unknown as one that nobody has, and nothing over there
// changes. The requests follow from the route table: a new route is tested without a line here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid, publicId, type Prefix } from '../src/kit/values/ids.ts'
import { raw, sql } from '../src/kit/database/sql.ts'
import type { nouns as portalNouns } from '../src/identity/account/portal.ts'
import { portal, portalRoutes } from '../src/identity/account/routes.ts'
import { routes } from '../src/developer/routes.ts'
import { newInvitation, newRecord, personOf, type Person } from './people.ts'
import { nounOfPrefix, recordsOf, type Records } from './records.ts'
import { answering } from './strangers.ts'
import { openWorld, type TestStore } from './world.ts'

const world = await openWorld({ ROW_SECURITY: 'on' }, { network: { resolver: answering(['93.184.216.34']) } })

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
} & Record<string, any>
type Route = (typeof routes)[number]
/** Where a body names a record: `items.0.product_id`, and what may stand there. */
type Reference = { at: string[]; noun: string }

const prefixOf = new Map([...nounOfPrefix].map(([prefix, noun]) => [noun, prefix as Prefix]))
const nouns = new Set([...nounOfPrefix.values(), 'Variant'])

let other: TestStore
/** The ids of the other store. */
const theirs = new Map<string, string>()

other = await world.newStore()
const of = recordsOf(world, other)
for (const noun of nouns) theirs.set(noun, await of(noun))

/** Such a request ends what it is about, or its own record is not what it asks for. */
const once = new Set([
  ...['POST /returns/{id}/exchange', 'POST /customers/{id}/merge'],
  ...['PATCH /categories/{id}', 'POST /products', 'PATCH /products/{id}'],
])

// 409: what is asked for was done before, or is under way.
const served = /^(200|201|409) /

const unknownOf = (noun: string) => (noun === 'Variant' ? newUuid() : publicId(prefixOf.get(noun)!, newUuid()))

for (const route of routes) {
  const { method, path, params = {}, words = {}, body } = route
  const schema: Schema = body?.schema ?? {}
  const references = referencesIn(schema)
  if (Object.keys(params).length === 0 && references.length === 0) continue

  test(`${method} /v1${path}: another store's ids are unknown`, async () => {
    const shop = await world.newStore()
    const of = recordsOf(world, shop)
    const own: Record<string, string> = {}
    for (const [name, { example }] of Object.entries(words)) own[name] = example
    for (const [name, { noun }] of Object.entries(params)) own[name] = await of(noun)
    const given = await bodyOf(route, of)
    const complete = { ...given, ...(await alone[`${method} ${path}`]?.(of)) }
    const untouched = await everythingOf(other)

    for (const names of subsets(Object.keys(params))) {
      const withIds = (idOf: (noun: string) => string) => {
        const ids = Object.fromEntries(names.map((name) => [name, idOf(params[name]!.noun)]))
        return { path: filled(path, { ...own, ...ids }), ids: Object.values(ids), body: given }
      }
      const answer = await assertAlike(
        shop,
        method,
        withIds((noun) => theirs.get(noun)!),
        withIds(unknownOf),
      )
      assert.match(answer, /^404 .*"code":"NOT_FOUND"/, `${names} of another store: ${answer}`)
    }
    for (const { at, noun } of references) {
      const withId = (id: string) => ({ path: filled(path, own), ids: [id], body: placed(complete, at, id, schema) })
      const answer = await assertAlike(shop, method, withId(theirs.get(noun)!), withId(unknownOf(noun)))
      const refused = new RegExp(`^422 .*"field":"${at.join('\\.')}"`)
      if (isDemanded(at)) assert.match(answer, refused, `${at.join('.')}: ${answer}`)
    }
    assert.deepEqual(await everythingOf(other), untouched)

    // With its own ids the same request is served: it was refused for the others' alone. Last, since it may delete.
    const repeated = once.has(`${method} ${path}`) ? [] : references.filter(({ at }) => isDemanded(at))
    for (const { at, noun } of repeated) {
      const answer = await ask(shop, method, filled(path, own), placed(given, at, await of(noun), schema))
      assert.match(answer, served, `${at.join('.')} of its own: ${answer}`)
    }
    const answer = await ask(shop, method, filled(path, own), given)
    assert.match(answer, served, `with its own ids: ${answer}; test/isolation.test.ts may need a body for it`)
  })
}

/** What the lists show. */
const listed = [
  ...['Order', 'Product', 'Collection', 'Customer group', 'Draft order', 'Return'],
  ...['Marketing consent', 'Back-in-stock request', 'Download', 'License key'],
]
/** The audit log leaves out requests that change nothing, nothing is short here, and no order is paid. */
const withoutOwn = new Set(['/audit', '/inventory/backorders', '/downloads/grants'])

for (const { path, params = {}, query, list } of routes.filter(({ method, query }) => method === 'GET' && query)) {
  const free = Object.entries((query!.schema as Schema).properties!)
    .filter(([, { type, enum: values }]) => type === 'string' && !values)
    .map(([name]) => name)

  test(`GET /v1${path}: a filter finds nothing of another store`, async () => {
    const shop = await world.newStore()
    const of = recordsOf(world, shop)
    for (const noun of listed) await of(noun)
    const own: Record<string, string> = {}
    for (const [name, { noun }] of Object.entries(params)) own[name] = await of(noun)
    for (const name of free) {
      for (const noun of nouns) {
        const withId = (id: string) => ({ path: `${filled(path, own)}?${name}=${id}`, ids: [id], body: undefined })
        await assertAlike(shop, 'GET', withId(theirs.get(noun)!), withId(unknownOf(noun)))
      }
      world.clock.advance(60)
      const noun = [...nouns].find((one) => `${one.toLowerCase()}_id` === name)
      if (!noun || withoutOwn.has(path)) continue
      const answer = await ask(shop, 'GET', `${filled(path, own)}?${name}=${await of(noun)}`)
      // A variant has come into stock, and was ordered.
      assert.match(answer, list ? /"total":[12],/ : /"count":1/, `${name} of its own`)
    }
  })
}

test('a store that has nothing lists and counts nothing, whatever others have', async () => {
  const { api } = await world.newStore()
  for (const { path, query, list, beside } of routes.filter(({ params, query, words }) => query && !params && !words)) {
    if (!list && !path.endsWith('/count')) continue
    // That the store and its key were made is in it.
    if (path === '/audit') continue
    const hasStatus = 'status' in (query!.schema as Schema).properties!
    const { status, body } = await api.get(`/v1${path}${hasStatus ? '?status=all' : ''}`)
    assert.equal(status, 200, path)
    if (beside) assert.deepEqual(body.data, [], path)
    else assert.deepEqual(list ? [body.data, body.pagination.total] : body.data.count, list ? [[], 0] : 0, path)
  }
})

// The portal's JSON: what is named is a person's own, or of a store in which they work.

type PortalNoun = keyof typeof portalNouns

const unknownRecord: Record<PortalNoun, () => string> = {
  store: () => 'SH-ZZZZZZZZ',
  session: newUuid,
  person: () => publicId('usr', newUuid()),
  role: () => publicId('role', newUuid()),
  app: () => `client_${newUuid()}`,
  client: () => `client_${newUuid()}`,
  passkey: newUuid,
}

/** In the place of a member an invitation may stand. */
const members = { creators: newRecord, unknown: unknownRecord }
const invitations = {
  creators: { ...newRecord, person: newInvitation },
  unknown: { ...unknownRecord, person: newUuid },
}

/** What a schema alone does not tell. */
const portalBodies: Record<string, object> = {
  'POST /stores/{store}/team': { email: 'bo@example.com', role: 'staff' },
  'POST /stores/{store}/team/{person}': { role: 'staff' },
}

for (const route of portalRoutes) {
  const { method, path, body } = route
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as PortalNoun)
  if (names.length === 0) continue

  test(`${method} ${portal.prefix}${path}: what others have is unknown`, async () => {
    const own = await personOf(world, await world.newStore())
    const stranger = await personOf(world, await world.newStore())
    const known = portalBodies[`${method} ${path}`]
    const given = known ?? (body && (await sampleOf(body.schema as Schema, async () => '')))
    const ask = (ids: Record<string, string>) => askAs(own, method, portal.prefix + filledWith(path, ids), given)
    for (const { creators, unknown } of names.includes('person') ? [members, invitations] : [members]) {
      const idsOf = async (person: Person) =>
        Object.fromEntries(await Promise.all(names.map(async (name) => [name, await creators[name](world, person)])))
      const [mine, theirs] = [await idsOf(own), await idsOf(stranger)]
      const untouched = [await everythingOf(stranger.shop), await everythingOfPerson(stranger)]
      for (const some of subsets(names) as PortalNoun[][]) {
        const pick = (idOf: (name: PortalNoun) => string) => Object.fromEntries(some.map((name) => [name, idOf(name)]))
        const seen = await ask({ ...mine, ...pick((name) => theirs[name]!) })
        assert.equal(seen, await ask({ ...mine, ...pick((name) => unknown[name]()) }), `${some} of another`)
        assert.match(seen, /^404 .*"code":"NOT_FOUND"/, `${some} of another`)
      }
      assert.deepEqual([await everythingOf(stranger.shop), await everythingOfPerson(stranger)], untouched)
      // Roles are changed of members alone, and only an invitation is sent again.
      const isOfInvitation = path.endsWith('/resend')
      const isServed =
        method !== 'POST' || !names.includes('person') || (creators === invitations.creators) === isOfInvitation
      assert.match(await ask(mine), isServed ? served : /^404 /, 'of its own')
    }
  })
}

async function askAs({ api }: Person, method: string, path: string, body?: object): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const answer = await api.send(method, path, body ? { body: JSON.stringify(body), headers } : {})
  return `${answer.status} ${JSON.stringify(answer.body)}`
}

/** What a person has beside any store. */
async function everythingOfPerson({ userId }: Person): Promise<unknown> {
  const { db } = world.app
  return [
    await db.rows(sql`select sessions::text as row from sessions where user_id = ${userId} order by id`),
    await db.rows(sql`select passkeys::text as row from passkeys where user_id = ${userId} order by id`),
    await db.rows(sql`select oauth_clients::text as row from oauth_clients where owner_id = ${userId} order by id`),
  ]
}

type Asked = { path: string; ids: string[]; body: unknown }

/** Both get the same bytes, but for the ids that they sent. Answers them. */
async function assertAlike(shop: TestStore, method: string, foreign: Asked, unknown: Asked): Promise<string> {
  const [seen, expected] = await Promise.all(
    [foreign, unknown].map(async ({ path, ids, body }) => {
      const answer = await ask(shop, method, path, body)
      return ids.reduce((text, id) => text.replaceAll(id, '<id>'), answer)
    }),
  )
  assert.equal(seen, expected, `${method} ${foreign.path}`)
  return seen!
}

async function ask(shop: TestStore, method: string, path: string, body?: unknown): Promise<string> {
  if (method === 'POST' && path === '/v1/downloads/files') return askWithFile(shop, path, body as object)
  const response = await fetch(world.url + path, {
    method,
    headers: { 'x-api-key': shop.api.key, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return `${response.status} ${await response.text()}`
}

async function askWithFile(shop: TestStore, path: string, fields: object): Promise<string> {
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.set(name, String(value))
  body.set('file', new Blob(['How to use it']), 'Manual.txt')
  const response = await fetch(world.url + path, { method: 'POST', headers: { 'x-api-key': shop.api.key }, body })
  return `${response.status} ${await response.text()}`
}

/** Every row of every table that belongs to a store; when keys were last used is noted late. */
async function everythingOf({ store }: TestStore): Promise<unknown> {
  const tables = await world.app.db.rows<{ name: string }>(sql`
    select table_name as name
    from information_schema.columns
    where column_name = 'store_id'
      and table_schema = 'public'
      and table_name <> 'api_keys'
    order by table_name`)
  assert.ok(tables.length > 15)
  const rows = await Promise.all(
    tables.map(({ name }) =>
      world.app.db.rows<{ row: string }>(sql`
    select ${raw(name)}::text as row
    from ${raw(name)}
    where store_id = ${store.id}
    order by 1`),
    ),
  )
  const self = await world.app.db.rows<{ row: string }>(sql`
    select stores::text as row
    from stores
    where id = ${store.id}`)
  return Object.fromEntries([['stores', self], ...tables.map(({ name }, index) => [name, rows[index]])])
}

// Bodies

/** What a schema alone does not tell. */
const small = { option_values: [{ option_title: 'Size', value: 'S' }] }

const bodies: Record<string, (of: Records) => Promise<object>> = {
  'PATCH /imports/{id}': async () => ({ on_duplicate: 'update' }),
  'PATCH /inventory/products/{productId}': async (of) => ({ quantity: 1, variant_id: await of('Variant') }),
  'PATCH /inventory/products/{productId}/settings': async (of) => ({ variant_id: await of('Variant') }),
  'POST /customers/{id}/merge': async (of) => ({ customer_id: await of('Other customer') }),
  'POST /discounts/validate': async (of) => ({
    code: 'TEN',
    order_total: 20,
    items: [{ product_id: await of('Product'), quantity: 1 }],
  }),
  'POST /products': async (of) => ({
    name: 'Set',
    price: 20,
    variants: [{ ...small, bundle_items: [{ product_id: await of('Product'), variant_id: await of('Variant') }] }],
  }),
  'PATCH /products/{id}': async (of) => ({
    options: [{ title: 'Size', values: ['S'] }],
    variants: [{ ...small, bundle_items: [{ product_id: await of('Other product') }] }],
  }),
  'POST /store/shipping-rates': async (of) => ({
    code: 'courier',
    name: 'Courier',
    price: 5,
    surcharges: [{ category_id: await of('Category'), amount: 1 }],
  }),
  'PATCH /store/shipping-rates/{id}': async (of) => ({
    surcharges: [{ category_id: await of('Category'), amount: 1 }],
  }),
  'POST /orders': async (of) => ({
    items: [{ product_id: await of('Product'), variant_id: await of('Variant'), quantity: 1 }],
  }),
  'POST /store/shipping-rates/preview': async (of) => ({
    items: [{ product_id: await of('Product'), variant_id: await of('Variant'), quantity: 1 }],
  }),
  'POST /draft-orders': async (of) => ({
    items: [{ product_id: await of('Product'), variant_id: await of('Variant'), quantity: 1 }],
  }),
  'PATCH /draft-orders/{id}': async (of) => ({
    items: [{ product_id: await of('Product'), variant_id: await of('Variant'), quantity: 1 }],
    customer_id: await of('Customer'),
  }),
  'POST /orders/{id}/capture': async (of) => {
    await of('Hold')
    return { amount: 1 }
  },
  'POST /captures/batch': async (of) => {
    await of('Hold')
    return { orders: [{ id: await of('Order') }] }
  },
  'POST /orders/{id}/edits': async (of) => ({
    items: [{ product_id: await of('Product'), variant_id: await of('Variant'), quantity: 1 }],
  }),
  // Of an order that was paid.
  'POST /orders/{id}/refunds': async (of) => {
    await of('Refund')
    return {}
  },
  'POST /orders/{id}/returns': async (of) => ({
    items: [{ item_id: await of('Shipped item'), quantity: 1, reason: 'other' }],
  }),
  'POST /returns/{id}/approve': async () => ({}),
  'POST /returns/{id}/decline': async () => ({}),
  ...Object.fromEntries(
    ['refund', 'close'].map((end) => [
      `POST /returns/{id}/${end}`,
      async (of: Records) => {
        await of('Received return')
        return {}
      },
    ]),
  ),
  'POST /returns/{id}/receive': async (of) => {
    await of('Approved return')
    return {}
  },
  'POST /returns/{id}/exchange': async (of) => {
    await of('Received return')
    return { items: [{ product_id: await of('Product'), variant_id: await of('Variant'), quantity: 1 }] }
  },
  'POST /products/batch': async (of) => ({
    products: [{ id: await of('Product'), price: 3 }],
    variants: [{ id: await of('Variant'), price: 4 }],
  }),
  'POST /store/order-bumps': async (of) => ({
    title: 'Wrap',
    product_id: await of('Product'),
    variant_id: await of('Variant'),
  }),
  'POST /store/tax-zones': async (of) => ({
    name: 'VAT',
    country_code: 'DE',
    rate: 19,
    category_rates: [{ category_id: await of('Category'), rate: 7 }],
  }),
  'PATCH /store/tax-zones/{id}': async (of) => ({ category_rates: [{ category_id: await of('Category'), rate: 7 }] }),
  'POST /webhooks/{id}/recover': async () => ({ since: '2026-01-01T00:00:00Z' }),
  'POST /webhooks/{id}/replay': async () => ({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' }),
}

async function bodyOf(route: Route, of: Records): Promise<any> {
  const known = bodies[`${route.method} ${route.path}`]
  if (known) return known(of)
  return route.body && sampleOf(route.body.schema as Schema, of)
}

const ofBundle = async (of: Records) => ({ bundle_items: [{ product_id: await of('Other product') }] })

/** What else names records, but not in one body with the rest. */
const alone: Record<string, (of: Records) => Promise<object>> = {
  'POST /products': ofBundle,
  'PATCH /products/{id}': ofBundle,
}

/** Required fields; where none is, those with an example. */
async function sampleOf(schema: Schema, of: Records): Promise<any> {
  const noun = nounAt(schema)
  if (noun) return of(noun)
  const type = [schema.type].flat()[0]
  if (type === 'object') {
    const properties = Object.entries(schema.properties ?? {})
    const chosen = properties.filter(([name, one]) => schema.required?.includes(name) ?? (one.examples && !nounAt(one)))
    return Object.fromEntries(await Promise.all(chosen.map(async ([name, one]) => [name, await sampleOf(one, of)])))
  }
  if (schema.examples) return schema.examples[0]
  if (schema.enum) return schema.enum[0]
  if (type === 'array') return [await sampleOf(schema.items!, of)]
  return { string: 'text', integer: 1, number: 1, boolean: true }[type as string]
}

function referencesIn(schema: Schema, at: string[] = []): Reference[] {
  const noun = nounAt(schema)
  if (noun) return [{ at, noun }]
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, one]) => referencesIn(one, [...at, name]))
  return schema.items ? [...inner, ...referencesIn(schema.items, [...at, '0'])] : inner
}

/** A field that is an id is known by its example. */
function nounAt({ type, examples }: Schema): string | undefined {
  const example = [type].flat().includes('string') ? String(examples?.[0]) : ''
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(example)) return 'Variant'
  const prefix = /^([a-z]+)_[0-7][0-9a-z]{25}$/.exec(example)?.[1]
  return prefix && nounOfPrefix.get(prefix)
}

/** A variant that is not known is a new one, whoever has its id. What is expected is only compared. */
function isDemanded(at: string[]): boolean {
  return !(at[0] === 'variants' && at.at(-1) === 'id') && !at.includes('expected')
}

/** A copy of the body with the id at its place. */
function placed(body: any, [name, ...rest]: string[], id: string, schema: Schema): any {
  if (name === undefined) return id
  if (schema.items) return [placed(body?.[0] ?? {}, rest, id, schema.items)]
  const inner = schema.properties![name]!
  return { ...body, [name]: placed(body?.[name], rest, id, inner) }
}

function filled(path: string, ids: Record<string, string>): string {
  return `/v1${filledWith(path, ids)}`
}

function filledWith(path: string, ids: Record<string, string>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name]!)
}

/** Every choice of at least one. */
function subsets(names: string[]): string[][] {
  return names.reduce<string[][]>((all, name) => [...all, ...all.map((some) => [...some, name])], [[]]).slice(1)
}
