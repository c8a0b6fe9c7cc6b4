import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { newProduct, subscribed } from '../deliveries.ts'
import { testAuthority } from '../receiver.ts'
import { newShop, sold } from '../shop.ts'
import { answering } from '../strangers.ts'
import { openWorld } from '../world.ts'

const world = await openWorld(
  { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  { network: { ca: testAuthority.ca, resolver: answering(['127.0.0.1']) }, delivers: true },
)

// octokit/webhooks.js#1155, jonpulice/node-shopify-auth#2
test('the signature of a webhook is that of its bytes, whatever letters are in them', async () => {
  const shop = await subscribed(world)
  await newProduct(shop, 'Tüte 😊 \u2028 </script> "x" \\u00e9')
  const [request] = await shop.shop.waitFor(1)
  const { headers, body } = request!
  const signed = createHmac('sha256', shop.hook.secret).update(`${headers['x-webhook-timestamp']}.${body}`)
  assert.equal(headers['x-webhook-signature'], signed.digest('hex'))
})

const key = { headers: { 'idempotency-key': 'attempt-1' } }

// woocommerce/woocommerce-gateway-stripe#3912
test('an order that is sent again, after its answer was lost, is placed once', async () => {
  const shop = await newShop(world)
  const body = { items: [sold(await shop.product())] }
  const [one, other] = [await shop.api.post('/v1/orders', body, key), await shop.api.post('/v1/orders', body, key)]
  assert.deepEqual([other.status, other.data, other.headers.get('idempotent-replayed')], [201, one.data, 'true'])
  assert.equal((await shop.api.get('/v1/orders/count')).data.count, 1)
})

// stripe/stripe-java#389
test('a key for another request is refused, and executes nothing', async () => {
  const shop = await newShop(world)
  const items = [sold(await shop.product())]
  await shop.api.post('/v1/orders', { items }, key)
  const { status, error } = await shop.api.post('/v1/orders', { items, internal_notes: 'Retry' }, key)
  assert.deepEqual([status, error.details[0].field], [422, 'Idempotency-Key'])
  assert.equal((await shop.api.get('/v1/orders/count')).data.count, 1)
})

// spring-projects/spring-data-rest#727, pyeve/eve#653
test('a PATCH clears what is null in it, and leaves what is not in it', async () => {
  const { api, product } = await newShop(world)
  const { id } = await product({ description: 'Blue', sku: 'MUG', brand: 'Stoa' })
  const { data } = await api.patch(`/v1/products/${id}`, { description: null })
  assert.deepEqual([data.description, data.sku, data.brand, data.price], [null, 'MUG', 'Stoa', 10])
})

// medusajs/medusa#14745, vendurehq/vendure#1515
test('one email in two spellings is one customer', async () => {
  const { api, product, order } = await newShop(world)
  const mug = await product()
  for (const customer_email of ['hello@website.example', 'Hello@Website.example']) {
    await order(mug, { customer_name: 'Ana', customer_email })
  }
  const { data } = await api.get('/v1/customers')
  assert.deepEqual([data.length, data[0].orders_count], [1, 2])
})

// shopsys/shopsys#1120, VivaPayments/API#2346
test('markup in names is text in the email about an order', async () => {
  const { api, product, order } = await newShop(world)
  const shipping_address = { name: 'Fr<h1>édéric</h1>', address: 'Pier 1', city: 'Lima', country_code: 'PE' }
  const mug = await product({ name: 'Mug <img src=x>' })
  const { id } = await order(mug, { customer_name: 'Ana', customer_email: 'ana@example.com', shipping_address })
  const { html, text } = (await api.get(`/v1/store/mails/order_confirmation/preview?order=${id}`)).data
  assert.ok(html.includes('Mug &lt;img src=x&gt;') && text.includes('Mug <img src=x>'))
  assert.doesNotMatch(html, /<img src=x|<h1>édéric/)
})

// woocommerce/woocommerce#28329, woocommerce/woocommerce#20047, woocommerce/woocommerce#19764
test('one write of an order is one event', async () => {
  const { api, events, product } = await newShop(world)
  const items = [sold(await product())]
  const { data } = await api.post('/v1/orders', { items })
  const created = await events()
  await api.patch(`/v1/orders/${data.id}`, { status: 'confirmed', internal_notes: 'Gift' })
  const types = (list: { event: string }[]) => list.map(({ event }) => event)
  assert.deepEqual([types(created), types(await events())], [['order.created'], ['order.updated']])
})

// coopcycle/coopcycle-web#476, cezerin/cezerin#487, bossanova808/CommerceFriendlyOrderNumbers#4
test('orders at once have numbers without repetition or gap, also beside refused ones', async () => {
  const { api, product } = await newShop(world)
  const [mug, last] = [await product({ stock_quantity: 20 }), await product({ stock_quantity: 1 })]
  const items = [mug, last, mug, last, mug, last, mug].map((one) => [sold(one)])
  await Promise.all(items.map((each) => api.post('/v1/orders', { items: each })))
  const { data } = await api.get('/v1/orders?sort=order_number&order=asc')
  assert.deepEqual(
    data.map(({ order_number }: any) => order_number),
    [1001, 1002, 1003, 1004, 1005],
  )
})

// pimcore/customer-data-framework#453, thirtybees/thirtybees#1670
test('no name becomes a formula in a file for a spreadsheet', async () => {
  const { api } = await newShop(world)
  for (const name of ["=cmd|' /C calc'!A0", '+1+1', '-2+3', '@SUM(1)']) await api.post('/v1/customers', { name })
  const file = await (await fetch(`${api.url}/v1/customers.csv`, { headers: { 'x-api-key': api.key } })).text()
  const cells = file.split('\n').flatMap((line) => line.split(','))
  assert.deepEqual(
    cells.filter((cell) => /^"?[=+@]|^"?-\d\+/.test(cell)),
    [],
  )
})
