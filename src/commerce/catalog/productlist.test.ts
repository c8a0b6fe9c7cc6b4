// Filters, search and sorting of GET /v1/products.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../../test/client.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()

const namesOf = async (api: Client, query: string): Promise<string[]> => {
  const { status, data } = await api.get(`/v1/products?${query}`)
  assert.equal(status, 200, query)
  return data.map(({ name }: { name: string }) => name)
}

async function shelf(): Promise<{ api: Client; shoes: string }> {
  const { api } = await world.newStore()
  const shoes = (await api.post('/v1/categories', { name: 'Shoes' })).data.id
  const products = [
    { name: 'Ámbar lamp', price: 10, sku: 'LMP-1', is_featured: true },
    { name: 'Boots 50%', price: 20, category_id: shoes, track_inventory: true, stock_quantity: 6 },
    { name: 'Clogs_x', price: 30, category_id: shoes, track_inventory: true, stock_quantity: 5 },
    { name: 'Derby', price: 40, category_id: shoes, track_inventory: true, stock_quantity: 0 },
    { name: 'Etching', price: 50, product_status: 'draft' },
    { name: 'Fan', price: 60, product_status: 'archived' },
    {
      name: 'Gown',
      price: 70,
      variants: [{ sku: 'GWN-RED', option_values: [{ option_title: 'Colour', value: 'Red' }] }],
    },
  ]
  for (const product of products) assert.equal((await api.post('/v1/products', product)).status, 201)
  return { api, shoes }
}

test('each filter finds what it says, and filters add up', async () => {
  const { api, shoes } = await shelf()
  const cases: [string, string[]][] = [
    ['', ['Ámbar lamp', 'Boots 50%', 'Clogs_x', 'Derby', 'Gown']],
    ['status=draft', ['Etching']],
    ['status=archived', ['Fan']],
    ['status=all', ['Ámbar lamp', 'Boots 50%', 'Clogs_x', 'Derby', 'Etching', 'Fan', 'Gown']],
    [`category_id=${shoes}`, ['Boots 50%', 'Clogs_x', 'Derby']],
    [`category_id=cat_00000000000000000000000000,${shoes}`, ['Boots 50%', 'Clogs_x', 'Derby']],
    ['category_id=nonsense', []],
    ['is_featured=true', ['Ámbar lamp']],
    ['is_featured=0', ['Boots 50%', 'Clogs_x', 'Derby', 'Gown']],
    ['price[gte]=20&price[lte]=30', ['Boots 50%', 'Clogs_x']],
    ['stock_status=in_stock', ['Ámbar lamp', 'Boots 50%', 'Gown']],
    ['stock_status=low_stock', ['Clogs_x']],
    ['stock_status=out_of_stock', ['Derby']],
    ['search=AMBAR', ['Ámbar lamp']],
    ['search=lmp-1', ['Ámbar lamp']],
    ['search=gwn-r', ['Gown']],
    ['search=50%25', ['Boots 50%']],
    ['search=_', ['Clogs_x']],
    ['search=%5C', []],
    [`category_id=${shoes}&stock_status=low_stock&search=clog`, ['Clogs_x']],
  ]
  for (const [query, names] of cases) {
    assert.deepEqual(await namesOf(api, `${query}&sort=name&order=asc`.replace(/^&/, '')), names.toSorted(), query)
    const count = await api.get(`/v1/products/count?${query}`)
    assert.deepEqual(count.data, { count: names.length }, `count ${query}`)
  }
})

test('every sort column goes both ways, the newest first by default', async () => {
  const { api } = await shelf()
  const visible = ['Ámbar lamp', 'Boots 50%', 'Clogs_x', 'Derby', 'Gown']
  assert.deepEqual(await namesOf(api, ''), visible.toReversed())
  assert.deepEqual(await namesOf(api, 'sort=price&order=asc'), visible)
  assert.deepEqual(await namesOf(api, 'sort=price'), visible.toReversed())
  assert.deepEqual(await namesOf(api, 'sort=created_at&order=asc'), visible)
  assert.equal((await namesOf(api, 'sort=stock_quantity&order=desc'))[0], 'Boots 50%')
  assert.equal((await namesOf(api, 'sort=updated_at&order=desc')).length, 5)
})

test('a price is compared as it is given, however exact or large', async () => {
  const { api } = await world.newStore({ currency: 'JPY' })
  await api.post('/v1/products', { name: 'Cup', price: 100 })
  const cases: [string, number][] = [
    ['price[gte]=100', 1],
    ['price[gte]=100.4', 0],
    ['price[lte]=99.6', 0],
    ['price[lte]=1e15', 1],
    ['price[gte]=1e15', 0],
  ]
  for (const [query, count] of cases) assert.equal((await namesOf(api, query)).length, count, query)
})

test('a slug that got a suffix is found by all of it', async () => {
  const { api } = await world.newStore()
  await api.post('/v1/products', { name: 'Cup', price: 1 })
  const {
    data: { slug },
  } = await api.post('/v1/products', { name: 'Cup', price: 2 })
  const { data } = await api.get(`/v1/products?search=${slug}`)
  assert.deepEqual(
    data.map((found: { slug: string }) => found.slug),
    [slug],
  )
})

test('categories are found without regard to case and accents', async () => {
  const { api } = await world.newStore()
  await api.post('/v1/categories', { name: 'Ropa de Niño' })
  for (const [search, count] of [
    ['nino', 1],
    ['NIÑO', 1],
    ['ropa de', 1],
    ['ni%o', 0],
  ] as const) {
    const found = await api.get(`/v1/categories?search=${encodeURIComponent(search)}`)
    assert.equal(found.body.pagination.total, count, search)
  }
})

test('a parameter that nobody declared is ignored, whatever JavaScript means by its name', async () => {
  const { api } = await shelf()
  for (const name of ['utm_source', 'constructor', 'toString', '__proto__', 'hasOwnProperty']) {
    assert.equal((await namesOf(api, `${name}=1`)).length, 5, name)
    const strict = await api.send('GET', `/v1/products?${name}=1`, { headers: { prefer: 'handling=strict' } })
    assert.deepEqual(strict.error.details, [{ field: name, message: 'is not a recognized field' }])
  }
})

test('pages follow each other without gap or repetition, and know the total', async () => {
  const { api } = await shelf()
  const seen: string[] = []
  for (let page = 1; page <= 4; page++) {
    const { body } = await api.get(`/v1/products?status=all&per_page=2&page=${page}`)
    assert.deepEqual(body.pagination, { page, per_page: 2, total: 7, total_pages: 4 })
    seen.push(...body.data.map(({ id }: { id: string }) => id))
  }
  assert.equal(new Set(seen).size, 7)
  const beyond = await api.get('/v1/products?status=all&per_page=2&page=5')
  assert.deepEqual(beyond.body, { data: [], pagination: { page: 5, per_page: 2, total: 7, total_pages: 4 } })
})
