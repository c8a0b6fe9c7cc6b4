import assert from 'node:assert/strict'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { newDatabase } from '../../../test/database.ts'
import { newDataDir } from '../../../test/server.ts'
import { newShop } from '../../../test/shop.ts'
import { stoaOn } from '../../../test/stoa.ts'
import { openWorld } from '../../../test/world.ts'

test('the command exports what the API does, of every status: to its output or whole into a file', async (t) => {
  const [url, dataDir] = await Promise.all([newDatabase(t), newDataDir(t)])
  const world = await openWorld({}, { database: { url, drop: async () => {} } })
  const shop = await newShop(world)
  await shop.product({ name: 'Mug' })
  await shop.product({ name: 'Cup', product_status: 'draft' })
  const stoa = stoaOn({ DATABASE_URL: url, DATA_DIR: dataDir })
  const sent = async (file: string) =>
    (await fetch(`${world.url}/v1/${file}?status=all`, { headers: { 'x-api-key': shop.api.key } })).text()
  const { code, stdout, stderr } = await stoa('export', 'products', '--store', shop.store.id).ended
  assert.deepEqual([code, stderr], [0, ''])
  assert.equal(stdout, await sent('products.csv'))
  assert.equal(stdout.trimEnd().split('\r\n').length, 3)

  const file = path.join(dataDir, 'products.jsonl')
  const to = ['--store', shop.store.id, '--format', 'jsonl', '--output', file]
  assert.deepEqual(await stoa.json('export', 'products', ...to), { kind: 'products', format: 'jsonl', file })
  assert.equal(readFileSync(file, 'utf8'), await sent('products.jsonl'))
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.includes('draft')),
    [],
  )

  assert.equal((await stoa.refused('export', 'carts', '--store', shop.store.id)).error.details[0].field, 'kind')
  assert.equal((await stoa.refused('export', 'orders', '--store', 'XX-00000000')).error.code, 'NOT_FOUND')
})
