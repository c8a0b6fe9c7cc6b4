// Fixes of all rows of one cause: another text, records that are left out, a warning that is confirmed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../../../../test/client.ts'
import { assertAccounted, imported, previewed, remarksOf, settled } from '../../../../test/imports.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })
const products = { kind: 'products' }

async function change(api: Client, id: string, body: object) {
  dataOf(await api.patch(`/v1/imports/${id}`, body), 200)
  const ready = await settled(world, api, id)
  assertAccounted(ready)
  return ready
}

async function start(api: Client, id: string) {
  dataOf(await api.post(`/v1/imports/${id}/start`, {}), 200)
  return settled(world, api, id)
}

test('a message has its cause, the same for all rows of it: a code, a field and the values', async () => {
  const { api } = await world.newStore()
  const { id } = await previewed(world, api, 'name,price,is_featured\nMug,-1,\nCup,many,\nPot,1,maybe\n', products)
  const { data } = await api.get(`/v1/imports/${id}/rows`)
  assert.deepEqual(
    data.map(({ messages }: any) => messages),
    [
      [
        {
          column: 'price',
          field: 'price',
          code: 'not_above',
          values: { limit: 0 },
          message: 'price must be greater than 0',
        },
      ],
      [
        {
          column: 'price',
          field: 'price',
          code: 'wrong_type',
          values: { type: 'a number' },
          message: 'price must be a number',
        },
      ],
      [
        {
          column: 'is_featured',
          field: 'is_featured',
          code: 'wrong_type',
          values: { type: 'true or false' },
          message: 'is_featured must be true or false',
        },
      ],
    ],
  )
})

test('a text is replaced in all rows, in the preview and in the import', async () => {
  const { api } = await world.newStore()
  const file = 'name,price,product_status\nMug,1,Live\nCup,1,live\nPot,1,off\nPan,1,active\n'
  const { id, rows_rejected } = await previewed(world, api, file, products)
  assert.equal(rows_rejected, 3)
  const replace = (from: string, to: string) => ({ action: 'replace', column: 'product_status', from, to })
  const ready = await change(api, id, { fixes: [replace('LIVE', 'active'), replace('off', 'draft')] })
  assert.deepEqual([ready.rows_to_create, ready.rows_rejected, ready.fixes.length], [4, 0, 2])
  assert.equal((await start(api, id)).rows_created, 4)
  const { data } = await api.get('/v1/products?status=all&sort=name&order=asc')
  assert.deepEqual(
    data.map(({ name, product_status }: any) => [name, product_status]),
    [
      ['Cup', 'active'],
      ['Mug', 'active'],
      ['Pan', 'active'],
      ['Pot', 'draft'],
    ],
  )
})

test('records of a cause are left out, and come back when the fix is taken back', async () => {
  const { api } = await world.newStore()
  const file = ['Handle,Title,Body (HTML),Vendor,Variant Price,Gift Card', 'm,Mug,,A,5,false', 'g,Card,,A,25,true']
  const { id, rows_to_create } = await previewed(world, api, file.join('\n'), products)
  assert.equal(rows_to_create, 2)
  const skip = { action: 'skip', column: 'Gift Card', code: 'gift_card' }
  const ready = await change(api, id, { fixes: [skip] })
  assert.deepEqual([ready.rows_to_create, ready.rows_skipped], [1, 1])
  assert.equal((await remarksOf(api, id))[0]![1], 'skipped')
  assert.equal((await change(api, id, { fixes: [] })).rows_to_create, 2)
  await change(api, id, { fixes: [skip] })
  const done = await start(api, id)
  assertAccounted(done)
  assert.deepEqual([done.rows_created, done.rows_skipped], [1, 1])
  assert.deepEqual(
    (await api.get('/v1/products?status=all')).data.map(({ name }: any) => name),
    ['Mug'],
  )
})

test('a rejected row that is left out is no error any more', async () => {
  const { api } = await world.newStore()
  const { id } = await previewed(world, api, 'name,price\nMug,5\nCup,\nPot,-1\n', products)
  const ready = await change(api, id, { fixes: [{ action: 'skip', column: null, code: 'required', field: 'price' }] })
  assert.deepEqual([ready.rows_to_create, ready.rows_skipped, ready.rows_rejected], [1, 1, 1])
})

test('a warning goes once it is confirmed', async () => {
  const { api } = await world.newStore()
  const { id, warnings } = await previewed(world, api, 'name,price,Special status\nMug,5,x\n', products)
  assert.deepEqual(warnings, [
    {
      column: 'Special status',
      message: 'This column is not known, and is left out. If it matters, choose its field',
      code: 'unknown_column',
    },
  ])
  assert.deepEqual((await change(api, id, { fixes: [{ action: 'keep', column: 'Special status' }] })).warnings, [])
})

test('a fix names a column of the file and has what it needs', async () => {
  const { api } = await world.newStore()
  const { id } = await previewed(world, api, 'name,price\nMug,5\n', products)
  const refuse = async (fix: object, field: string, message: RegExp) => {
    const { status, error } = await api.patch(`/v1/imports/${id}`, { fixes: [fix] })
    assert.deepEqual([status, error.details[0].field], [422, field])
    assert.match(error.details[0].message, message)
  }
  await refuse({ action: 'replace', column: 'cost', from: 'a', to: 'b' }, 'fixes.0.column', /does not have: cost/)
  await refuse({ action: 'replace', column: 'price', to: 'b' }, 'fixes.0.from', /is required/)
  await refuse({ action: 'convert' }, 'fixes.0.column', /is required/)
  await refuse({ action: 'skip', column: 'price' }, 'fixes.0.code', /is required/)
  await refuse({ action: 'mend', column: 'price' }, 'fixes.0.action', /must be one of/)
})

test('an update that changes nothing is counted before the import starts as after it', async () => {
  const { api } = await world.newStore()
  const size = (value: string) => ({ option_values: [{ option_title: 'Size', value }] })
  const variants = [
    { ...size('S'), sku: 'T-S', price: 9 },
    { ...size('M'), sku: 'T-M', price: 12 },
  ]
  await api.post('/v1/products', { name: 'Tee', price: 10, variants })
  await imported(world, api, 'sku,name,price,category,collections\nP-1,Pot,7,Kitchen,Sale\nM-1,Mug,5,,\n', products)
  const update = { kind: 'products', on_duplicate: 'update' }
  const same = 'sku,name,price,category,collections\nP-1,Pot,7.00,Kitchen,Sale\nM-1,Mug,6,,\nT-S,,9,,\nT-M,,14,,\n'
  const { id, ...ready } = await previewed(world, api, same, update)
  assert.deepEqual([ready.rows_skipped, ready.rows_to_update], [2, 2])
  assert.deepEqual(
    (await remarksOf(api, id)).map(([line, , , message]) => [line, message]),
    [
      [2, 'Nothing has changed'],
      [4, 'Nothing has changed'],
    ],
  )
  const done = await start(api, id)
  assert.deepEqual([done.rows_skipped, done.rows_updated], [2, 2])
  const other = 'sku,category\nP-1,Garden\n'
  assert.equal((await previewed(world, api, other, update)).rows_to_update, 1)
  const twice = 'sku,price\nM-1,8\nM-1,6\n'
  assert.equal((await imported(world, api, twice, update)).rows_updated, 2)
})

test('customers, discounts and redirects that are the same are counted so too', async () => {
  const { api } = await world.newStore()
  const files = {
    customers: 'email,name,address_line_1,address_city,address_country\na@example.com,Ana,Calle 1,Lima,PE\n',
    discounts: 'code,type,value,starts_at\nTEN,percentage,10,2026-01-01T00:00:00Z\n',
    redirects: 'path,target\n/old,/new\n',
  }
  for (const [kind, file] of Object.entries(files)) {
    await imported(world, api, file, { kind })
    const { rows_skipped, rows_to_update } = await previewed(world, api, file, { kind, on_duplicate: 'update' })
    assert.deepEqual([kind, rows_skipped, rows_to_update], [kind, 1, 0])
  }
})
