import assert from 'node:assert/strict'
import { test } from 'node:test'
import { client } from './client.ts'
import { newDataDir, run, startServer } from './server.ts'

test('an empty folder becomes a server with a demo shop, which sells, and stops when it is told to', async (t) => {
  const dataDir = await newDataDir(t)
  const server = await startServer(dataDir, { DEMO: 'on' })
  const ready = server.lines().find(({ msg }) => msg === 'ready')
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  // One line says all: nothing needs a person who only wants it to run.
  assert.deepEqual(
    server.lines().map(({ level, msg }) => [level, msg]),
    [[30, 'ready']],
  )
  assert.equal(ready.address, server.url)
  assert.ok(ready.migrations > 0)
  assert.match(ready.sign_in, /user link --email/)

  const typed = ['--json', 'key', 'create', '--store', ready.store, '--mode', 'test', '--scopes', 'all']
  const { stdout } = await run('src/program/cli.ts', typed, { env: { DATA_DIR: dataDir } }).ended
  const api = client(server.url, { 'x-api-key': JSON.parse(stdout).key })
  const products = (await api.get('/v1/products')).data
  assert.ok(products.length > 5)
  const { slug } = (await api.get('/v1/store')).data
  assert.ok((await (await fetch(`${server.url}/s/${slug}`)).text()).includes(products[0].slug))
  const items = [{ product_name: 'Mug', quantity: 1, unit_price: 5 }]
  assert.equal((await api.post('/v1/orders', { customer_name: 'Ann', items })).status, 201)

  const { code, stderr } = await server.end()
  assert.deepEqual([code, stderr], [0, ''])
})
