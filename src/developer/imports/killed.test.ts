// An import whose process is killed again and again.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import pg from 'pg'
import { newDatabase } from '../../../test/database.ts'
import { newDataDir } from '../../../test/server.ts'
import { stoaOn } from '../../../test/stoa.ts'

const rows = 600
const kills = 6

test('an import that is killed again and again writes each row once', async (t) => {
  const [url, dataDir] = await Promise.all([newDatabase(t), newDataDir(t)])
  const stoa = stoaOn({
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    SECRET_KEY: 'a-secret-key-for-imports-that-are-killed-0123',
  })
  const { store } = await stoa.json('store', 'create', '--name', 'Mugs')
  const file = path.join(dataDir, 'products.csv')
  const lines = Array.from({ length: rows }, (_, index) => `Product ${index},${index + 1},SKU-${index},${index % 7}`)
  await writeFile(file, ['name,price,sku,stock_quantity', ...lines].join('\n'))
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // The database goes with the test, and its connections before it.
  client.on('error', () => {})
  t.after(() => client.end().catch(() => {}))
  const created = async () => Number((await client.query('select count(*) from products')).rows[0].count)
  const imported = await stoa.json('import', file, '--store', store.id, '--kind', 'products')
  assert.deepEqual([imported.status, imported.rows_to_create], ['ready', rows])
  await client.query(`update imports set status = 'running'`)

  const reached = new Set<number>()
  for (let count = 0; count < kills; count++) {
    const before = await created()
    const { child, ended } = stoa('import', '--continue', imported.id, '--store', store.id)
    while ((await created()) === before && before < rows) await sleep(5)
    child.kill('SIGKILL')
    await ended
    reached.add(await created())
  }
  assert.ok(reached.size >= 3, `${[...reached]}`)
  const done = await stoa.json('import', '--continue', imported.id, '--store', store.id)
  assert.deepEqual([done.status, done.rows_created, done.rows_read], ['completed', rows, rows])
  const sums = await client.query(`
    select count(*)::int as products, count(distinct sku)::int as skus, sum(stock_quantity)::int as stock,
      (select sum(quantity)::int from inventory_transactions) as moved,
      (select count(*)::int from events where event = 'product.created' and webhook_id is null) as events,
      (select count(*)::int from import_rows where outcome = 'created' and record_id is not null) as accounted
    from products`)
  const stock = lines.reduce((sum, _, index) => sum + (index % 7), 0)
  assert.deepEqual(sums.rows, [{ products: rows, skus: rows, stock, moved: stock, events: rows, accounted: rows }])
})
