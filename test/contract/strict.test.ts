// What a body may carry beside what it changes: unknown fields, read-only ones, whole records, and null.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldSpec } from '../../src/kit/declare/field.ts'
import type { Resource } from '../../src/kit/declare/resource.ts'
import { routes } from '../../src/developer/routes.ts'
import { store } from '../../src/tenancy/stores/store.ts'
import { pathOf, recordsOf } from '../records.ts'
import { faultsOf } from '../shop.ts'
import { answering } from '../strangers.ts'
import { openWorld, type TestStore } from '../world.ts'

const world = await openWorld({}, { network: { resolver: answering(['93.184.216.34']) } })

const strict = { headers: { prefer: 'handling=strict' } }
const isUnknown = 'is not a recognized field'

/** Every resource that can be changed, with the field by which a test changes it. */
// prettier-ignore
const edits: Record<string, Record<string, unknown>> = {
  'Store':          { store_title: 'The corner' },
  'Product':        { name: 'Renamed', price: 21.5, is_featured: true },
  'Category':       { name: 'Renamed', is_active: false },
  'Collection':     { name: 'Renamed', sort_order: 'name', position: 3 },
  'Image':          { alt_text: 'Changed' },
  'Customer':       { name: 'Renamed', notes: 'Changed' },
  'Customer group': { name: 'Renamed', min_orders_count: 3, customer_tags: ['vip'] },
  'Discount':       { value: 20, is_active: false },
  'Order':          { internal_notes: 'Changed' },
  'Draft order':    { internal_notes: 'Changed', tags: ['phone'] },
  'Payment':        { needs_review: true, needs_attention: true },
  'Webhook':        { description: 'Changed', events: ['order.created', 'order.updated'] },
  'Shipping rate':  { name: 'Renamed', price: 12 },
  'Tax zone':       { name: 'Renamed', rate: 12 },
  'Payment method': { name: 'Renamed', instructions: 'Changed' },
  'Order bump':     { title: 'Renamed', price: 12 },
  'Custom field':   { label: 'Renamed', description: 'Changed' },
  'Page':           { title: 'Renamed', is_published: false },
  'Return':         { external_id: 'erp-1', metadata: { source: 'erp' } },
  'Redirect':       { target: '/pages/other' },
  'Import':         { on_duplicate: 'update' },
}

// What else a change moves.
const moved: Record<string, string[]> = {
  Product: ['has_discount', 'discount_percentage', 'lowest_prior_price'],
  Discount: ['is_usable', 'unusable_reason'],
  // It is previewed again.
  Import: ['status', 'rows_to_create', 'rows_rejected'],
}

/** The resource behind a record's path, e.g. /products/{id}. */
const resources = routes.flatMap(({ method, path, params, list }) => {
  const byId = path.endsWith('/{id}') ? params?.id : undefined
  const own: Resource<any, any> | undefined = path === '/store' ? store : byId
  const isRecord = method === 'PATCH' && own !== undefined && !list
  return isRecord ? [{ path, own, noun: own.noun }] : []
})

test('every resource that can be changed is tested here', () => {
  assert.deepEqual(resources.map(({ noun }) => noun).sort(), Object.keys(edits).sort())
})

async function recordAt(shop: TestStore, { path, noun }: { path: string; noun: string }): Promise<string> {
  return `/v1${path === '/store' ? path : path.replace('{id}', await recordsOf(world, shop)(noun))}`
}

for (const resource of resources) {
  const { noun, own, path } = resource
  const fields: [string, { spec: FieldSpec }][] = Object.entries(own.fields)
  const specs = fields.map(([name, { spec }]) => ({ name, ...spec }))
  const route = routes.find((one) => one.method === 'PATCH' && one.path === path)!
  const writable = route.body!.schema.properties as object

  test(`${noun}: what was read is sent back whole, edited, and only the edit changes`, async () => {
    const shop = await world.newStore()
    const at = await recordAt(shop, resource)
    const { data: read } = await shop.api.get(at)
    world.clock.advance(1)
    const changed = { ...read, ...edits[noun] }
    for (const extra of [{}, strict]) {
      const answer = await shop.api.patch(at, changed, extra)
      assert.equal(answer.status, 200, JSON.stringify(answer.error))
      assert.deepEqual(settled(answer.data, noun), settled(changed, noun))
    }
    const { data: now } = await shop.api.get(at)
    assert.deepEqual(settled(now, noun), settled(changed, noun))
    for (const [name, value] of Object.entries(edits[noun]!)) assert.notDeepEqual(read[name], value, name)
  })

  test(`${noun}: read-only fields are ignored, strictly too`, async () => {
    const shop = await world.newStore()
    const at = await recordAt(shop, resource)
    const { data: read } = await shop.api.get(at)
    const fixed = specs.filter(({ name }) => !(name in writable)).map(({ name }) => name)
    assert.ok(fixed.includes('id') && fixed.includes('created_at'))
    for (const value of ['other', null, -1, { a: 1 }]) {
      for (const extra of [{}, strict]) {
        const answer = await shop.api.patch(at, Object.fromEntries(fixed.map((name) => [name, value])), extra)
        assert.equal(answer.status, 200, JSON.stringify(answer.error))
        assert.deepEqual(answer.data, read)
      }
    }
  })

  test(`${noun}: null clears each field that may be empty, and no other`, async () => {
    const shop = await world.newStore()
    const at = await recordAt(shop, resource)
    const { data: read } = await shop.api.get(at)
    for (const { name, nullable, nullMeans } of specs.filter(({ name }) => name in writable)) {
      const given = name in tied ? { ...tied[name], [name]: null } : { [name]: null }
      const answer = await shop.api.patch(at, given)
      if (!nullable && nullMeans === undefined) {
        assert.ok(name in faultsOf(answer), name)
        continue
      }
      assert.equal(answer.status, 200, `${name}: ${JSON.stringify(answer.error)}`)
      assert.deepEqual(answer.data[name], fallbacks[name]?.(read) ?? nullMeans ?? null, name)
    }
  })
}

/** An edit of the price moves what is derived from it. */
function settled(record: any, noun: string): object {
  const { updated_at: _, ...rest } = record
  for (const name of moved[noun] ?? []) delete rest[name]
  for (const variant of rest.variants ?? []) delete variant.updated_at
  return rest
}

// What cannot be empty unless this is so too.
const tied: Record<string, object> = { product_id: { variant_id: null, price: 10 } }
// What stands in for an empty one.
const fallbacks: Record<string, (read: any) => unknown> = { main_image: ({ gallery }) => gallery[0]?.url }

test('an unknown field is ignored, and 422 with Prefer: handling=strict, wherever there is a body', async () => {
  const shop = await world.newStore()
  const of = recordsOf(world, shop)
  const taking = routes.filter(({ body }) => body)
  // Before anything is sent: one request may use up what the record of another is made of.
  const paths: string[] = []
  for (const route of taking) paths.push(await pathOf(route, of))
  for (const [index, route] of taking.entries()) {
    const at = paths[index]!
    const what = `${route.method} ${route.path}`
    const send = (extra: object) =>
      shop.api.send(route.method, at, {
        body: JSON.stringify({ no_such_field: 1 }),
        headers: { 'content-type': 'application/json', ...extra },
      })
    assert.equal(faultsOf(await send(strict.headers)).no_such_field, isUnknown, what)
    const { error } = await send({})
    assert.ok(!JSON.stringify(error ?? {}).includes('no_such_field'), what)
  }
})

test('an unknown field deeper in a body is told by its path, strictly, and ignored else', async () => {
  const { api } = await world.newStore()
  const product = {
    name: 'Mug',
    price: 1,
    options: [{ title: 'Size', values: ['S'], colour: 1 }],
    variants: [{ option_values: [{ option_title: 'Size', value: 'S', hex: 1 }], is_purchasable: true, hue: 1 }],
  }
  const order = {
    items: [{ product_name: 'Mug', unit_price: 1, quantity: 1, qty: 1 }],
    customer: { name: 'Ana', age: 1 },
    shipping_address: { city: 'Puebla', zip: 1 },
    custom_fields: [{ anything: 1 }],
  }
  for (const [path, body, unknown] of [
    ['/v1/products', product, ['options.0.colour', 'variants.0.hue', 'variants.0.option_values.0.hex']],
    ['/v1/orders', order, ['customer.age', 'items.0.qty', 'shipping_address.zip']],
  ] as const) {
    const refused = await api.post(path, body, strict)
    assert.deepEqual([refused.status, Object.keys(faultsOf(refused)).sort()], [422, unknown])
    assert.equal((await api.post(path, body)).status, 201)
  }
})

test('an unknown parameter is ignored, and 422 with Prefer: handling=strict, wherever there is a query', async () => {
  const shop = await world.newStore()
  const of = recordsOf(world, shop)
  for (const route of routes.filter(({ query }) => query)) {
    const at = `${await pathOf(route, of)}?no_such_parameter=1`
    assert.equal((await shop.api.get(at)).status, 200, at)
    assert.deepEqual(faultsOf(await shop.api.get(at, strict)), { no_such_parameter: isUnknown }, at)
  }
})

test('Prefer is read as RFC 7240 writes it: any case, among others, and lenient means lenient', async () => {
  const { api } = await world.newStore()
  const send = async (prefer: string) =>
    (await api.post('/v1/customers', { name: 'Ana', nickname: 'A' }, { headers: { prefer } })).status
  for (const prefer of [
    'handling=strict',
    'HANDLING=STRICT',
    'respond-async, handling=strict',
    'handling=strict; a=b',
    'handling="strict"',
    'handling = strict',
  ])
    assert.equal(await send(prefer), 422, prefer)
  for (const prefer of ['handling=lenient', 'strict', 'handling=strictly', 'mishandling=strict']) {
    assert.equal(await send(prefer), 201, prefer)
  }
})
