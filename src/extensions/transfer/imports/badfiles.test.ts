// Imports that are too large, at once, or go wrong in a way that nobody foresaw.
import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { sql } from '../../../kit/database/sql.ts'
import { assertAccounted, imported, previewed, remarksOf, settled } from '../../../../test/imports.ts'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld } from '../../../../test/world.ts'
import { maxFileBytes } from './file.ts'

const world = await openWorld({}, { sweeps: true })

test('a file of two gigabytes is refused before it is sent, and one without end when it is too long', async () => {
  const { api, store } = await world.newStore()
  const type = 'Content-Type: multipart/form-data; boundary=x'
  const head = `POST /v1/imports HTTP/1.1\r\nHost: shop.example\r\nX-API-Key: ${api.key}\r\n${type}\r\n`
  const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname,price\n'
  const declared = await answerTo(`${head}Content-Length: 2000000000\r\n\r\n${part}`, 0)
  assert.match(declared.answer, /^HTTP\/1.1 413 /)
  assert.match(declared.answer, /PAYLOAD_TOO_LARGE/)
  const endless = await answerTo(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk(part)}`, 2 * maxFileBytes)
  // The answer is lost if the connection is closed while the client still sends.
  assert.match(endless.answer, /^$|^HTTP\/1.1 413 /)
  assert.ok(endless.sent < 1.5 * maxFileBytes, `${endless.sent}`)
  const [left] = await world.app.db.rows<{ count: number }>(sql`
    select count(*)::int as count from imports where store_id = ${store.id}`)
  assert.equal(left!.count, 0)
})

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

/** Sends the beginning, then up to `bytes` more. It stops as soon as the server answers. */
async function answerTo(beginning: string, bytes: number): Promise<{ answer: string; sent: number }> {
  const socket = net.connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.on('error', () => {})
  let [answer, sent] = ['', 0]
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (data) => {
      answer += data
      if (answer.includes('PAYLOAD_TOO_LARGE')) resolve()
    })
    socket.on('close', () => resolve())
  })
  socket.write(beginning)
  const more = chunk('Mug,1\n'.repeat(100_000))
  const drained = () => new Promise((resolve) => socket.once('drain', resolve))
  while (sent < bytes && answer === '' && !socket.destroyed) {
    sent += more.length
    if (!socket.write(more)) await Promise.race([drained(), answered])
  }
  await answered
  socket.destroy()
  return { answer, sent }
}

test('two imports at once, of the same file and of others, write each record once', async () => {
  const { api } = await world.newStore()
  const file = (from: number) =>
    ['name,price,sku', ...Array.from({ length: 120 }, (_, n) => `Mug ${from + n},1,M-${from + n}`)].join('\n')
  const ids: string[] = []
  for (const from of [0, 0, 60]) ids.push((await previewed(world, api, file(from), { kind: 'products' })).id)
  await Promise.all(ids.map((id) => api.post(`/v1/imports/${id}/start`, {})))
  await Promise.all(ids.map(() => world.app.jobs.run('import')))
  const ended = await Promise.all(ids.map((id) => settled(world, api, id)))
  for (const one of ended) {
    assert.equal(one.status, 'completed')
    assertAccounted(one)
  }
  assert.equal(
    ended.reduce((sum, { rows_created }) => sum + rows_created, 0),
    180,
  )
  assert.equal((await api.get('/v1/products/count')).data.count, 180)
  // An import that created nothing has nothing to undo.
  for (const { id, rows_created } of ended) {
    dataOf(await api.post(`/v1/imports/${id}/undo`, {}), 200)
    const undone = await settled(world, api, id)
    assert.deepEqual([undone.status, undone.rows_undone], ['undone', rows_created])
  }
  assert.equal((await api.get('/v1/products/count')).data.count, 0)
})

test('a category that names itself is one category, and an image inside the network is not fetched', async () => {
  const { api } = await world.newStore()
  const file = 'name,price,category,image_url\nMug,5,Mugs > Mugs > Mugs,https://127.0.0.1/secret.png\n'
  const { id } = await imported(world, api, file, { kind: 'products' })
  const done = await settled(world, api, id)
  assert.deepEqual([done.rows_created, done.images_fetched, done.images_failed], [1, 0, 1])
  assert.match((await api.get(`/v1/imports/${id}/images?status=failed`)).data[0].error, /BLOCKED_ADDRESS/)
  assert.equal((await api.get('/v1/categories')).data.length, 1)
})

test('an error that nobody foresaw ends the import with a reason, and what it wrote can be undone', async () => {
  const { api } = await world.newStore()
  await world.app.db.rows(sql`alter table collections add constraint no_fish check (name <> 'Fish')`)
  const mugs = Array.from({ length: 30 }, (_, n) => `Mug ${n},5,`)
  const preview = await previewed(world, api, ['name,price,collections', ...mugs, 'Cod,9,Fish'].join('\n'), {
    kind: 'products',
  })
  dataOf(await api.post(`/v1/imports/${preview.id}/start`, {}), 200)
  const failed = await settled(world, api, preview.id)
  assert.deepEqual([failed.status, failed.rows_created], ['failed', 25])
  assert.match(failed.error, /unexpected error/)
  assertAccounted(failed)
  dataOf(await api.post(`/v1/imports/${preview.id}/undo`, {}), 200)
  const undone = await settled(world, api, preview.id)
  assert.deepEqual([undone.status, undone.rows_undone], ['undone', 25])
  assert.equal((await api.get('/v1/products/count')).data.count, 0)
})

test('customers and groups that an import has made go with its undo, unless they are used', async () => {
  const { api } = await world.newStore()
  const file = (name: string, first: number) =>
    [
      'order_number,item_name,item_price,customer_email',
      `${first},Mug,5,new@example.com`,
      `${first + 1},Mug,5,${name}`,
    ].join('\n')
  const past = await imported(world, api, file('kept@example.com', 1), { kind: 'orders' })
  await imported(world, api, file('kept@example.com', 11).replace('new@', 'third@'), { kind: 'orders' })
  dataOf(await api.post(`/v1/imports/${past.id}/undo`, {}), 200)
  await settled(world, api, past.id)
  const emails = (await api.get('/v1/customers?sort=name&order=asc')).data.map(({ email }: { email: string }) => email)
  assert.deepEqual(emails.sort(), ['kept@example.com', 'third@example.com'])
  const members = await imported(world, api, 'name,email,groups\nAna,ana@example.com,Friends\n', { kind: 'customers' })
  dataOf(await api.post(`/v1/imports/${members.id}/undo`, {}), 200)
  assert.deepEqual((await settled(world, api, members.id)).rows_undone, 1)
  assert.equal((await api.get('/v1/customer-groups')).data.length, 0)
  assert.deepEqual(await remarksOf(api, members.id), [])
})
