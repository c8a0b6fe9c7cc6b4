// Custom fields of products, variants and customers through the API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from './shop.ts'
import { openWorld, type TestStore } from './world.ts'

const world = await openWorld()

async function define(shop: TestStore, applies_to: string, fields: Record<string, object>): Promise<void> {
  for (const [key, field] of Object.entries(fields)) {
    dataOf(await shop.api.post('/v1/store/custom-fields', { applies_to, key, label: key, ...field }), 201)
  }
}

const faultsOf = ({ error }: { error: { details: { field: string; message: string }[] } }) =>
  Object.fromEntries(error.details.map(({ field, message }) => [field, message]))

const allTypes = {
  material: { type: 'choice', choices: ['Linen', 'Wool'] },
  care: { type: 'text' },
  length: { type: 'number' },
  made_on: { type: 'date' },
  handmade: { type: 'boolean' },
  shade: { type: 'color' },
  maker: { type: 'url' },
  manual: { type: 'file' },
  goes_with: { type: 'product' },
}

for (const [kind, path, body] of [
  ['product', '/v1/products', { name: 'Shirt', price: 5 }],
  ['customer', '/v1/customers', { name: 'Ana' }],
] as const) {
  test(`a ${kind} has values of each type, which a change joins and null removes`, async () => {
    const shop = await world.newStore()
    await define(shop, kind, allTypes)
    const other = dataOf(await shop.api.post('/v1/products', { name: 'Belt', price: 5 }), 201)
    const values = {
      material: 'Linen',
      care: 'Wash\ncold',
      length: 71.5,
      made_on: '2026-02-28',
      handmade: false,
      shade: '#1A2b3c',
      maker: 'https://maker.example/linen',
      manual: 'https://files.example/manual.pdf',
      goes_with: other.id,
    }
    const record = dataOf(await shop.api.post(path, { ...body, custom_fields: values }), 201)
    const stored = { ...values, shade: '#1a2b3c' }
    assert.deepEqual(record.custom_fields, stored)
    const change = async (custom_fields: object | null) =>
      dataOf(await shop.api.patch(`${path}/${record.id}`, { custom_fields }), 200).custom_fields
    const { care: _, ...others } = stored
    assert.deepEqual(await change({ care: null, length: 70 }), { ...others, length: 70 })
    assert.deepEqual(await change({ material: '' }).then(({ material }) => material), undefined)
    assert.deepEqual(await change(null), {})
    assert.deepEqual((await shop.api.get(`${path}/${record.id}`)).data.custom_fields, {})
  })

  test(`values of a ${kind} that do not fit are refused, all at once`, async () => {
    const shop = await world.newStore()
    await define(shop, kind, { ...allTypes, size: { is_required: true }, old: { is_active: false } })
    const custom_fields = {
      material: 'Silk',
      care: 5,
      length: '71',
      made_on: '2026-02-30',
      handmade: 'yes',
      shade: 'red',
      maker: 'maker.example',
      manual: 'javascript:alert(1)',
      goes_with: 'prod_01h455vb4pex5vsknk084sn02q',
      old: 'x',
      constructor: 'x',
    }
    const refused = await shop.api.post(path, { ...body, custom_fields })
    assert.equal(refused.status, 422)
    const address = 'must be an http or https URL'
    assert.deepEqual(faultsOf(refused), {
      'custom_fields.material': 'must be one of Linen, Wool',
      'custom_fields.care': 'must be a string',
      'custom_fields.length': 'must be a number',
      'custom_fields.made_on': 'must be a date, such as 2026-01-31',
      'custom_fields.handmade': 'must be true or false',
      'custom_fields.shade': 'must be a color, such as #1a2b3c',
      'custom_fields.maker': address,
      'custom_fields.manual': address,
      'custom_fields.goes_with': 'does not exist',
      'custom_fields.old': 'is not a recognized field',
      'custom_fields.constructor': 'is not a recognized field',
      'custom_fields.size': 'is required',
    })
    assert.deepEqual((await shop.api.get(path)).data, [])
  })

  test(`a ${kind} needs its required fields when it is created, and when a change has custom fields`, async () => {
    const shop = await world.newStore()
    const before = dataOf(await shop.api.post(path, body), 201)
    await define(shop, kind, { size: { is_required: true }, care: {} })
    const missing = { 'custom_fields.size': 'is required' }
    assert.deepEqual(faultsOf(await shop.api.post(path, body)), missing)
    dataOf(await shop.api.patch(`${path}/${before.id}`, { name: 'Belt' }), 200)
    const change = (custom_fields: object) => shop.api.patch(`${path}/${before.id}`, { custom_fields })
    assert.deepEqual(faultsOf(await change({ care: 'Cold' })), missing)
    dataOf(await change({ care: 'Cold', size: 'M' }), 200)
    assert.deepEqual(faultsOf(await change({ size: null })), missing)
  })

  test(`${kind}s are found by the value of a custom field, of their own store alone`, async () => {
    const [shop, other] = [await world.newStore(), await world.newStore()]
    for (const one of [shop, other]) await define(one, kind, allTypes)
    const create = async (one: TestStore, custom_fields: object) =>
      dataOf(await one.api.post(path, { ...body, custom_fields }), 201).id
    const linen = await create(shop, { material: 'Linen', handmade: true, length: 71.5 })
    await create(shop, { material: 'Wool', care: 'Linen' })
    await create(other, { material: 'Linen', handmade: true })
    const listed = async (query: string) => {
      const { data, pagination } = (await shop.api.get(`${path}?${query}`)).body
      assert.equal(pagination.total, data.length)
      return data.map(({ id }: any) => id)
    }
    assert.deepEqual(await listed('custom_fields[material]=Linen'), [linen])
    assert.deepEqual(await listed('custom_fields[handmade]=true&custom_fields[length]=71.5'), [linen])
    assert.deepEqual(await listed('custom_fields[handmade]=false'), [])
    assert.deepEqual(await listed('custom_fields[material]='), [])
    assert.equal((await shop.api.get(`${path}?custom_fields[a.b]=c`)).status, 422)
  })
}

test('variants have fields of their own', async () => {
  const shop = await world.newStore()
  await define(shop, 'variant', { wash: { type: 'number' }, fit: { is_required: true } })
  const red = { option_title: 'Color', value: 'Red' }
  const blue = { option_title: 'Color', value: 'Blue' }
  const product = { name: 'Shirt', price: 5 }
  const variants = [{ option_values: [red], custom_fields: { wash: 'cold', fit: 'Slim' } }, { option_values: [blue] }]
  assert.deepEqual(faultsOf(await shop.api.post('/v1/products', { ...product, variants })), {
    'variants.0.custom_fields.wash': 'must be a number',
    'variants.1.custom_fields.fit': 'is required',
  })
  const right = variants.map((one) => ({ ...one, custom_fields: { fit: 'Slim' } }))
  const { id, variants: stored } = dataOf(await shop.api.post('/v1/products', { ...product, variants: right }), 201)
  const [first, second] = stored
  const changed = dataOf(
    await shop.api.patch(`/v1/products/${id}`, {
      variants: [{ id: first.id, custom_fields: { wash: 30 } }, { id: second.id }],
    }),
    200,
  )
  assert.deepEqual(
    changed.variants.map((one: any) => one.custom_fields),
    [{ fit: 'Slim', wash: 30 }, { fit: 'Slim' }],
  )
})

test('a change of values is in the audit log and can be undone; the same values change nothing', async () => {
  const shop = await world.newStore()
  await define(shop, 'product', { material: {}, care: {} })
  const { id, updated_at } = dataOf(
    await shop.api.post('/v1/products', { name: 'Shirt', price: 5, custom_fields: { material: 'Linen' } }),
    201,
  )
  world.clock.advance(5)
  const same = dataOf(await shop.api.patch(`/v1/products/${id}`, { custom_fields: { material: 'Linen' } }), 200)
  assert.equal(same.updated_at, updated_at)
  const { headers } = await shop.api.patch(`/v1/products/${id}`, { custom_fields: { care: 'Cold' } })
  dataOf(await shop.api.post(`/v1/changes/${headers.get('x-request-id')}/revert`, {}), 200)
  assert.deepEqual((await shop.api.get(`/v1/products/${id}`)).data.custom_fields, { material: 'Linen' })
})

test('a field that is switched off keeps its values, which a change of others leaves as they are', async () => {
  const shop = await world.newStore()
  await define(shop, 'product', { material: {}, care: {} })
  const custom_fields = { material: 'Linen', care: 'Cold' }
  const { id } = dataOf(await shop.api.post('/v1/products', { name: 'Shirt', price: 5, custom_fields }), 201)
  const [field] = (await shop.api.get('/v1/store/custom-fields')).data
  dataOf(await shop.api.patch(`/v1/store/custom-fields/${field.id}`, { is_active: false }), 200)
  const changed = dataOf(
    await shop.api.patch(`/v1/products/${id}`, { custom_fields: { ...custom_fields, care: 'Warm' } }),
    200,
  )
  assert.deepEqual(changed.custom_fields, { material: 'Linen', care: 'Warm' })
})
