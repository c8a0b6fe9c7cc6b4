import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported } from '../imports.ts'
import { newShop } from '../shop.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({}, { sweeps: true })

async function productsOf(text: string) {
  const { api } = await newShop(world)
  await imported(world, api, text, { kind: 'products' })
  const { data } = await api.get('/v1/products?sort=created_at&order=asc')
  return data.map(({ name, slug, price }: any) => [name, slug, price])
}

// dotCMS/core#36508, OkayCMS/OkayCMS#420
test('the mark that Excel puts before a file is no part of its first column', async () => {
  assert.deepEqual(await productsOf('\ufeffname,price\nMug,5\n'), [['Mug', 'mug', 5]])
})

// oroinc/crm#96, cubecart/v6#2540
test('a file with semicolons is read as one with commas', async () => {
  assert.deepEqual(await productsOf('name;price\n"Mug; blue";5\n'), [['Mug; blue', 'mug-blue', 5]])
})

// FriendsOfSylius/SyliusImportExportPlugin#301
test('two rows of one name and no slug are two products', async () => {
  const products = await productsOf('name,price,sku\nMug,5,A\nMug,6,B\n')
  assert.deepEqual(products.map(([name, , price]: any) => [name, price]).toSorted(), [
    ['Mug', 5],
    ['Mug', 6],
  ])
  assert.equal(new Set(products.map(([, slug]: any) => slug)).size, 2)
})
