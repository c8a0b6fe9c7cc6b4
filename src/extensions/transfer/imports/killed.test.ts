// An import whose process is killed again and again. IMPORT_PRODUCTS (200) products with three variants each, killed
// IMPORT_KILLS (6) times.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { test } from 'node:test'
import pg from 'pg'
import { newDatabase } from '../../../../test/database.ts'
import { randomBy } from '../../../../test/random.ts'
import { newDataDir } from '../../../../test/server.ts'
import { stoaOn } from '../../../../test/stoa.ts'

const products = Number(process.env.IMPORT_PRODUCTS ?? 200)
const kills = Number(process.env.IMPORT_KILLS ?? 6)
const sizes = ['S', 'M', 'L']
const rows = products * sizes.length

test('an import that is killed again and again writes each row once', async (t) => {
  const [url, dataDir] = await Promise.all([newDatabase(t), newDataDir(t)])
  const stoa = stoaOn({
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    SECRET_KEY: 'a-secret-key-for-imports-that-are-killed-0123',
  })
  const { store } = await stoa.json('store', 'create', '--name', 'Mugs')
  const file = path.join(dataDir, 'products.csv')
  const stockOf = (product: number, place: number) => (product * 5 + place) % 7
  const lines = Array.from({ length: products }, (_, n) =>
    sizes.map((size, place) => {
      const own = place === 0 ? [`Mug ${n}`, `<b>Mug</b> ${n}`, 'Stoa'] : ['', '', '']
      return [`mug-${n}`, ...own, 'Size', size, `MUG-${n}-${size}`, n + 1, stockOf(n, place)].join(',')
    }),
  )
  const head =
    'Handle,Title,Body (HTML),Vendor,Option1 Name,Option1 Value,Variant SKU,Variant Price,Variant Inventory Qty'
  await writeFile(file, [head, ...lines.flat()].join('\n'))
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
  const { below } = randomBy(products)
  for (let count = 0; count < kills; count++) {
    const until = Math.min(products, (await created()) + 1 + below(products / kills))
    const { child, ended } = stoa('import', '--continue', imported.id, '--store', store.id)
    while ((await created()) < until) await sleep(5)
    child.kill('SIGKILL')
    await ended
    reached.add(await created())
  }
  assert.ok(reached.size >= 3, `${[...reached]}`)
  const done = await stoa.json('import', '--continue', imported.id, '--store', store.id)
  assert.deepEqual([done.status, done.rows_created, done.rows_read], ['completed', rows, rows])
  const sums = await client.query(`
    select count(*)::int as products, count(distinct slug)::int as slugs, sum(stock_quantity)::int as stock,
      (select count(distinct sku)::int from variants) as skus,
      (select sum(stock_quantity)::int from variants) as of_variants,
      (select sum(quantity)::int from inventory_transactions) as moved,
      (select count(*)::int from events where event = 'product.created' and webhook_id is null) as events,
      (select count(*)::int from import_rows where outcome = 'created' and record_id is not null) as accounted,
      (select products_active from store_counters) as counted
    from products`)
  const stock = lines.flatMap((own, n) => own.map((_, place) => stockOf(n, place))).reduce((sum, one) => sum + one)
  const whole = { products, slugs: products, stock, skus: rows, of_variants: stock, moved: stock, events: products }
  assert.deepEqual(sums.rows, [{ ...whole, accounted: rows, counted: products }])
})
