// Random stores: what an export says is what an import makes of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccounted, imported, previewed, remarksOf } from '../../../../test/imports.ts'
import { randomBy, seed } from '../../../../test/random.ts'
import { dataOf } from '../../../../test/shop.ts'
import { randomStore } from '../../../../test/randomstore.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { kinds, type ImportKind } from '../imports/sources/source.ts'

const world = await openWorld({}, { sweeps: true })

const order: readonly ImportKind[] = ['products', 'customers', 'discounts', 'orders', 'redirects']

async function fileOf({ api }: TestStore, kind: ImportKind, format: string): Promise<Buffer> {
  const response = await fetch(`${api.url}/v1/${kind}.${format}?status=all`, { headers: { 'x-api-key': api.key } })
  assert.equal(response.status, 200)
  return Buffer.from(await response.arrayBuffer())
}

async function filesOf(shop: TestStore, format: string): Promise<Map<ImportKind, Buffer>> {
  const files = new Map<ImportKind, Buffer>()
  for (const kind of kinds) files.set(kind, await fileOf(shop, kind, format))
  return files
}

for (const [at, format] of ['csv', 'jsonl', 'xlsx', 'csv', 'jsonl'].entries()) {
  const own = seed + at
  const name = `(SEED=${own})`
  test(`an export as ${format}, imported into an empty store, is exported again to the byte ${name}`, async () => {
    const shop = await world.newStore()
    await randomStore(world, shop, randomBy(own))
    const files = await filesOf(shop, format)
    const empty = await world.newStore()
    for (const kind of order) {
      const done = await imported(world, empty.api, files.get(kind)!, { kind })
      assertAccounted(done)
      assert.equal(done.rows_created, done.rows_read, JSON.stringify(await remarksOf(empty.api, done.id), null, 1))
      assert.deepEqual(await fileOf(empty, kind, format), files.get(kind))
    }
    assert.deepEqual(await filesOf(empty, format), files)
  })

  test(`an export as ${format}, imported into the same store, changes nothing ${name}`, async () => {
    const shop = await world.newStore()
    await randomStore(world, shop, randomBy(own))
    const files = await filesOf(shop, format)
    await shop.events()
    const audit = async () => (await shop.api.get('/v1/audit?per_page=1')).body.pagination.total
    const before = await audit()
    for (const on_duplicate of ['skip', 'update']) {
      for (const kind of order) {
        const preview = await previewed(world, shop.api, files.get(kind)!, { kind, on_duplicate })
        assert.equal(preview.rows_skipped, preview.rows_read, kind)
        const done = await imported(world, shop.api, files.get(kind)!, { kind, on_duplicate })
        assert.equal(done.rows_skipped, done.rows_read, JSON.stringify(await remarksOf(shop.api, done.id), null, 1))
      }
    }
    assert.deepEqual(await filesOf(shop, format), files)
    assert.deepEqual(await shop.events(), [])
    assert.equal(await audit(), before)
  })
}

test('what is shipped comes back in every format, and with Shopify’s columns as far as it matters', async () => {
  const shop = await world.newStore()
  const own = [null, true, false]
  const titles = ['As the product', 'Shipped', 'Not shipped']
  const variants = own.map((requires_shipping, at) => ({
    option_values: [{ option_title: 'Kind', value: titles[at] }],
    requires_shipping,
  }))
  for (const [name, body] of Object.entries({
    'A box': { requires_shipping: true, variants },
    'B course': { requires_shipping: false, variants },
    'C file': { requires_shipping: false },
    'D mug': {},
  }))
    dataOf(await shop.api.post('/v1/products', { name, price: 5, ...body }), 201)
  const shippedIn = async ({ api }: TestStore) => {
    const { data } = await api.get('/v1/products?sort=name&order=asc')
    return data.map((one: any) => [one.requires_shipping, ...one.variants.map((each: any) => each.requires_shipping)])
  }
  const original = [[true, ...own], [false, ...own], [false], [true]]
  for (const format of ['csv', 'jsonl', 'xlsx', 'shopify.csv']) {
    const isShopify = format === 'shopify.csv'
    const file = await fileOf(shop, 'products', format)
    const empty = await world.newStore()
    const done = await imported(world, empty.api, file, { kind: 'products' })
    assert.equal(done.rows_created, done.rows_read, JSON.stringify(await remarksOf(empty.api, done.id)))
    const meant = [[true, null, null, false], [true, false, null, false], [false], [true]]
    assert.deepEqual(await shippedIn(empty), isShopify ? meant : original, format)
    assert.deepEqual(await fileOf(empty, 'products', format), file)
    const same = await imported(world, shop.api, file, { kind: 'products', on_duplicate: 'update' })
    if (!isShopify) assert.equal(same.rows_skipped, same.rows_read, format)
    assert.deepEqual(await shippedIn(shop), original, format)
  }
})
