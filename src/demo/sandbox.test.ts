import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import pg from 'pg'
import { openBrowser } from '../../test/browser.ts'
import { client } from '../../test/client.ts'
import { newDatabase } from '../../test/database.ts'
import { ana, home } from '../../test/checkouts.ts'
import { newDataDir, startServer } from '../../test/server.ts'
import { findFirstStore } from './firststore.ts'

const secretKey = 'a key of the tests, 32 characters'

test('cards of the demo store are paid at the sandbox while there is one', async (t) => {
  const url = await newDatabase(t)
  const find = (sandboxUrl: string | null) =>
    findFirstStore(url, { secretKey, demo: true, showsKey: false, sandboxUrl, baseUrl: 'https://shop.example' })
  const cardOf = async (id: string) => {
    const database = new pg.Client({ connectionString: url })
    await database.connect()
    const { rows } = await database.query(`
      select provider, settings::text, secrets is not null as has_secrets
      from payment_methods where store_id = '${id}' and code = 'card'`)
    await database.end()
    return rows
  }
  const { store } = await find('http://127.0.0.1:4100')
  const sealed = { api_key: 'set', webhook_secret: 'set' }
  const paid = [{ provider: 'sandbox', settings: JSON.stringify(sealed), has_secrets: true }]
  assert.deepEqual(await cardOf(store!.id), paid)
  await find('http://127.0.0.1:4100')
  assert.deepEqual(await cardOf(store!.id), paid)
  await find(null)
  assert.deepEqual(await cardOf(store!.id), [{ provider: 'test', settings: '{}', has_secrets: false }])
})

test('one command serves the demo shop and the sandbox at which it is paid, and its webhooks come', async (t) => {
  const dataDir = await newDataDir(t)
  const [port, sandboxPort] = [await freePort(), await freePort()]
  const server = await startServer(dataDir, { DEMO: 'on', PORT: port, SANDBOX_PORT: sandboxPort })
  try {
    const http = client(server.url, {})
    const root = '/storefront/harbour-and-pine'
    const { data: products } = await http.get(`${root}/products`)
    const bought = await http.post(`${root}/checkouts`, {
      items: [{ product_id: products.find(({ name }: any) => name === 'Enamel mug').id, quantity: 1 }],
      customer: ana,
      shipping_address: { ...home, country_code: 'US', province: 'ME' },
      shipping_method: 'standard',
      payment_method: 'card',
    })
    assert.equal(bought.status, 201, JSON.stringify(bought.error))
    const complete = () => http.post(`${root}/checkouts/${bought.data.token}/complete`)
    const { status, data, error } = await complete()
    assert.equal(status, 202, JSON.stringify(error))
    const { redirect_url } = data.payment
    assert.ok(redirect_url.startsWith(`http://localhost:${sandboxPort}/pay/`))
    const browser = openBrowser()
    const back = await browser.submit(await browser.visit(redirect_url), { do: 'approve' }, () => true)
    assert.ok(back.location!.startsWith(`${server.url}/s/harbour-and-pine/checkout/payments/`))
    // The webhook places the order by itself: reading the checkout settles nothing.
    const placed = async () => (await http.get(`${root}/checkouts/${bought.data.token}`)).data?.order
    while (!(await placed())) await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal((await complete()).data.order.payment_status, 'paid')
  } finally {
    // Before its directory goes: it may still draw the demo's pictures.
    await server.end()
  }
  // Its card method has taken payments, and keeps its provider.
  const without = await startServer(dataDir, { DEMO: 'on', PORT: port })
  try {
    assert.equal((await fetch(`${without.url}/readyz`)).status, 200)
  } finally {
    await without.end()
  }
})

async function freePort(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}
