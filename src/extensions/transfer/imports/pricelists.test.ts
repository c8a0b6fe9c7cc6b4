// Files that change what a store sells already: prices and stock by SKU.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../../../test/client.ts'
import { assertAccounted, imported, previewed, remarksOf, settled } from '../../../../test/imports.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const update = { kind: 'products', on_duplicate: 'update' }

/** A mug without variants, and a tee whose S follows its price. */
async function stocked(api: Client) {
  const size = (value: string) => ({ option_values: [{ option_title: 'Size', value }] })
  const mug = { name: 'Canvas mug', price: 5, sku: 'M1', track_inventory: true, stock_quantity: 1 }
  const tee = {
    name: 'Tee',
    price: 10,
    track_inventory: true,
    variants: [
      { ...size('S'), sku: 'T-S', manage_inventory: true, stock_quantity: 2 },
      { ...size('M'), sku: 'T-M', price: 12, manage_inventory: true, stock_quantity: 3 },
    ],
  }
  return {
    mug: dataOf(await api.post('/v1/products', mug), 201),
    tee: dataOf(await api.post('/v1/products', tee), 201),
  }
}

/** Name, price and stock of each product, and of its variants. */
async function listPrices(api: Client) {
  const { data } = await api.get('/v1/products?sort=name&order=asc&status=all')
  return data.map(({ name, price, stock_quantity, variants }: any) => [
    name,
    price,
    stock_quantity,
    ...variants.map((one: any) => [one.sku, one.price, one.stock_quantity]),
  ])
}

test('a price list by SKU changes prices alone: that of a variant is its own', async () => {
  const { api } = await world.newStore()
  await stocked(api)
  const done = await imported(world, api, 'sku,price\nM1,6\nT-M,14\nT-S,9\nNONE,1\n', update)
  assertAccounted(done)
  assert.deepEqual([done.rows_updated, done.rows_rejected], [3, 1])
  assert.deepEqual((await remarksOf(api, done.id))[0], [
    5,
    'rejected',
    'sku',
    'sku belongs to no product or variant; a new product needs a name',
  ])
  assert.deepEqual(await listPrices(api), [
    ['Canvas mug', 6, 1],
    ['Tee', 10, 5, ['T-S', 9, 2], ['T-M', 14, 3]],
  ])
  dataOf(await api.post(`/v1/imports/${done.id}/undo`, {}), 200)
  assert.equal((await settled(world, api, done.id)).status, 'undone')
  assert.deepEqual(await listPrices(api), [
    ['Canvas mug', 5, 1],
    ['Tee', 10, 5, ['T-S', null, 2], ['T-M', 12, 3]],
  ])
})

test('a count of the stock by SKU changes stock alone', async () => {
  const { api } = await world.newStore()
  await stocked(api)
  const done = await imported(world, api, 'sku,stock_quantity\nT-M,7\nM1,4\n', update)
  assert.deepEqual([done.rows_updated, done.rows_rejected], [2, 0])
  assert.deepEqual(await listPrices(api), [
    ['Canvas mug', 5, 4],
    ['Tee', 10, 9, ['T-S', null, 2], ['T-M', 12, 7]],
  ])
})

test('prices by handle leave names as they are; without options, an SKU says which variant', async () => {
  const { api } = await world.newStore()
  await stocked(api)
  const header = 'Handle,Title,Body (HTML),Vendor,Variant SKU,Variant Price'
  const rows = ['canvas-mug,,,,,7', 'tee,,,,T-S,8', 'tee,,,,T-M,15']
  const done = await imported(world, api, [header, ...rows].join('\n'), update)
  assert.deepEqual([done.rows_updated, done.rows_rejected], [3, 0], JSON.stringify(await remarksOf(api, done.id)))
  assert.deepEqual(await listPrices(api), [
    ['Canvas mug', 7, 1],
    ['Tee', 8, 5, ['T-S', null, 2], ['T-M', 15, 3]],
  ])
})

test('a variant keeps the price of its row if another one becomes the lowest', async () => {
  const { api } = await world.newStore()
  await stocked(api)
  const file = 'slug,option1_name,option1_value,price\ntee,Size,S,10\ntee,Size,M,8\n'
  const done = await imported(world, api, file, update)
  assert.deepEqual([done.rows_updated, done.rows_rejected], [2, 0], JSON.stringify(await remarksOf(api, done.id)))
  assert.deepEqual((await listPrices(api))[1], ['Tee', 8, 5, ['T-S', 10, 2], ['T-M', null, 3]])
})

test('one variant of several changes neither the price of the product nor the order of the others', async () => {
  const { api } = await world.newStore()
  await stocked(api)
  const file = 'slug,option1_name,option1_value,price\ntee,Size,M,4\n'
  const done = await imported(world, api, file, update)
  assert.deepEqual([done.rows_updated, done.rows_rejected], [1, 0], JSON.stringify(await remarksOf(api, done.id)))
  assert.deepEqual((await listPrices(api))[1], ['Tee', 10, 5, ['T-S', null, 2], ['T-M', 4, 3]])
})

test('two products of one file can have the same SKU if their handles differ', async () => {
  const { api } = await world.newStore()
  const file = 'Handle,Title,Body (HTML),Vendor,Variant SKU,Variant Price\nr1,Ring,,A,R-1,10\nr2,Ring set,,A,R-1,99\n'
  for (const on_duplicate of ['skip', 'update']) {
    const preview = await previewed(world, api, file, { kind: 'products', on_duplicate })
    const isFirst = on_duplicate === 'skip'
    assert.deepEqual([preview.rows_to_create, preview.rows_skipped], isFirst ? [2, 0] : [0, 2])
    dataOf(await api.post(`/v1/imports/${preview.id}/start`, {}), 200)
    assertAccounted(await settled(world, api, preview.id))
    assert.deepEqual(await listPrices(api), [
      ['Ring', 10, 0],
      ['Ring set', 99, 0],
    ])
  }
})
