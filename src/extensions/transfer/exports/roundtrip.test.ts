// Random stores: what an export says is what an import makes of it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertAccounted, imported, previewed, remarksOf } from '../../../../test/imports.ts'
import { randomBy, seed } from '../../../../test/random.ts'
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
