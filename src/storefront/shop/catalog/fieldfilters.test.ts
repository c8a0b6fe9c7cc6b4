// Custom fields as filters of shoppers: what is found and counted, and that fields of staff are never asked about.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client } from '../../../../test/client.ts'
import { readBothWays } from '../../../../test/byservers.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'
import { publicProduct } from '../../../commerce/catalog/public.ts'
import { sql } from '../../../kit/database/sql.ts'

const world = await openWorld()

const shop = await world.newStore()
const { api, store } = shop
const define = async (body: object) =>
  dataOf(await api.post('/v1/store/custom-fields', { applies_to: 'product', ...body }), 201)
const material = await define({
  key: 'material',
  label: 'Material',
  type: 'choice',
  choices: ['Linen', 'Cotton', 'Wool: raw'],
  visibility: 'filter',
})
await define({ key: 'vegan', label: 'Vegan', type: 'boolean', visibility: 'filter', position: 1 })
await define({ key: 'dye', label: 'Dye', type: 'color', visibility: 'filter', position: 2 })
await define({ key: 'margin', label: 'Margin', type: 'text', visibility: 'staff' })
await define({ key: 'care', label: 'Care', type: 'text', visibility: 'shop' })
const category = dataOf(await api.post('/v1/categories', { name: 'Clothes' }), 201)
for (const [name, custom_fields] of Object.entries({
  Shirt: { material: 'Linen', vegan: true, dye: '#aa2200', margin: 'low', care: 'cold' },
  Dress: { material: 'Linen', vegan: false },
  Scarf: { material: 'Wool: raw', vegan: false },
  Socks: { material: 'Cotton', vegan: true },
  Basket: {},
})) {
  dataOf(await api.post('/v1/products', { name, price: 10, category_id: category.id, custom_fields }), 201)
}

const storefront = client(world.url, {})
async function found(fields: string): Promise<string[]> {
  const list = await storefront.get(
    `/storefront/${store.slug}/products?sort=name&order=asc&fields=${encodeURIComponent(fields)}`,
  )
  return list.data.map(({ name }: { name: string }) => name)
}
const pageOf = async (query: string) =>
  (await fetch(`${world.url}/s/${store.slug}/categories/clothes?lang=en${query}`)).text()
const boxesOf = (page: string) =>
  [...page.matchAll(/name="f" value="([^"]+)"( checked)?>\s*<span>(?:<svg.*?<\/svg> )?([^<]*) <small>\((\d+)\)/gs)].map(
    ([, pair, checked, text, count]) => [pair, text, Number(count), checked !== undefined],
  )

test('values of one field widen the list, those of several narrow it', async () => {
  assert.deepEqual(await found('material:Linen'), ['Dress', 'Shirt'])
  assert.deepEqual(await found('material:Linen,material:Cotton'), ['Dress', 'Shirt', 'Socks'])
  assert.deepEqual(await found('material:Linen,material:Cotton,vegan:true'), ['Shirt', 'Socks'])
  assert.deepEqual(await found(`material:${encodeURIComponent('Wool: raw')}`), ['Scarf'])
  assert.deepEqual(await found('dye:#aa2200'), ['Shirt'])
  assert.deepEqual(await found('material:Silk'), [])
})

test('a field that is no filter of shoppers finds nothing, whatever its values', async () => {
  for (const pair of ['margin:low', 'care:cold', 'nothing:low']) assert.deepEqual(await found(pair), [], pair)
})

test('the page counts the values, and a box by what the others leave', async () => {
  assert.deepEqual(boxesOf(await pageOf('')), [
    ['material:Linen', 'Linen', 2, false],
    ['material:Cotton', 'Cotton', 1, false],
    ['material:Wool%3A%20raw', 'Wool: raw', 1, false],
    ['vegan:false', 'No', 2, false],
    ['vegan:true', 'Yes', 2, false],
    ['dye:%23aa2200', '#aa2200', 1, false],
  ])
  const page = await pageOf('&f=material:Linen')
  assert.deepEqual(boxesOf(page), [
    ['material:Linen', 'Linen', 2, true],
    ['material:Cotton', 'Cotton', 1, false],
    ['material:Wool%3A%20raw', 'Wool: raw', 1, false],
    ['vegan:false', 'No', 1, false],
    ['vegan:true', 'Yes', 1, false],
    ['dye:%23aa2200', '#aa2200', 1, false],
  ])
  assert.match(page, /Shirt/)
  assert.doesNotMatch(page, /Socks|margin|Margin/)
})

test('a filter is of a product, and of a type with few values; switched off it filters nothing', async () => {
  const filter = { label: 'X', key: 'x', visibility: 'filter' }
  const fault = 'can be filter only for a product and the types choice, boolean, color and text'
  for (const body of [{ applies_to: 'variant' }, { applies_to: 'order' }, { applies_to: 'product', type: 'date' }]) {
    const { status, error } = await api.post('/v1/store/custom-fields', { ...filter, ...body })
    assert.deepEqual([status, error.details], [422, [{ field: 'visibility', message: fault }]])
  }
  const customer = await api.post('/v1/store/custom-fields', { ...filter, applies_to: 'customer' })
  assert.deepEqual(customer.error.details, [{ field: 'visibility', message: 'must be staff for a customer' }])
  const turn = async (is_active: boolean) =>
    dataOf(await api.patch(`/v1/store/custom-fields/${material.id}`, { is_active }), 200)
  await turn(false)
  assert.deepEqual(await found('material:Linen'), [])
  assert.doesNotMatch(await pageOf(''), /Linen/)
  await turn(true)
  assert.deepEqual(await found('material:Linen'), ['Dress', 'Shirt'])
})

test('what shoppers see of the values is the same on one server and on many', async () => {
  const { custom_fields } = publicProduct.fields
  const query = sql`
    select ${custom_fields.spec.expression!} as shown
    from products
    where store_id = ${store.id}
      and name = 'Shirt'`
  for (const [row] of await readBothWays(query, store.id)) {
    const shown = (row as any).shown.map(({ label, value }: any) => [label, value])
    assert.deepEqual(shown, [
      ['Material', 'Linen'],
      ['Care', 'cold'],
      ['Vegan', true],
      ['Dye', '#aa2200'],
    ])
  }
})
