import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../test/world.ts'
import { home, productOf, setUp, shopperOf } from '../../../test/checkouts.ts'
import { sql } from '../database/sql.ts'
import { maskCredentials, maskName, maskSecrets, maskText } from './masking.ts'

const world = await openWorld()

/** A secret of each kind, and the part of it that nobody may read. */
const samples = {
  'live key': ['wk_live_abcDEF0123456789', 'abcDEF0123'],
  'test key': ['wk_test_abcDEF0123456789', 'abcDEF0123'],
  'key of a provider': ['sk_sandbox_4f5e6d7c8b', '4f5e6d7c8b'],
  'secret of a webhook': ['whsec_MfKQ9r8GKYqrTwjU=', 'MfKQ9r8GKY'],
  token: ['Bearer abc.def-ghi.jkl', 'def-ghi'],
  'JSON web token': ['eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl', 'c2lnbmF0dXJl'],
  card: ['4242 4242 4242 4242', '4242 4242'],
  'card without spaces': ['5555555555554444', '5555555'],
} as const

for (const [kind, [secret, hidden]] of Object.entries(samples)) {
  test(`no log shows a secret: ${kind}`, async () => {
    const shop = await setUp(await world.newStore())
    await writeEverywhere(shop, secret)
    const logs = await logsOf(shop)
    for (const [log, text] of Object.entries(logs)) {
      assert.ok(text.includes('***'), `${log} says that something was there`)
      assert.ok(!text.includes(hidden), `${log}: ${text.slice(Math.max(0, text.indexOf(hidden) - 200)).slice(0, 400)}`)
    }
  })
}

/** As a path, a parameter's and a field's name, a query of an address, and as what people are called. */
async function writeEverywhere(shop: TestStore, secret: string): Promise<void> {
  const { api } = shop
  await api.get(`/v1/products/${encodeURIComponent(secret)}`)
  await api.get(`/v1/products/${encodeURIComponent(secret).replaceAll('_', '%5F')}`)
  await api.get(`/v1/products?${encodeURIComponent(secret)}=1`)
  const strict = { headers: { prefer: 'handling=strict' } }
  await api.post('/v1/products', { name: 'Mug', [secret]: 1 }, strict)
  await api.post('/v1/products', { name: 'Mug', [secret]: 1 })
  const product = await productOf(shop, { name: `Mug ${secret}`, slug: 'mug' })
  dataOf(
    await api.post('/v1/webhooks', {
      url: `https://93.184.216.34/?token=${encodeURIComponent(secret)}`,
      events: ['order.created'],
    }),
    201,
  )
  const customer = dataOf(await api.post('/v1/customers', { name: secret }), 201)
  dataOf(
    await api.post('/v1/orders', {
      customer_id: customer.id,
      items: [{ product_id: product.id, quantity: 1 }],
      shipping_address: { ...home, name: secret },
    }),
    201,
  )
}

async function logsOf({ store, api }: TestStore): Promise<Record<string, string>> {
  await world.app.requestLog!.flush()
  const requests = await world.app.db.rows(sql`select * from requests where store_id = ${store.id}`)
  const events = (await api.get('/v1/events')).data
  return {
    requests: JSON.stringify(requests),
    'audit log': JSON.stringify((await api.get('/v1/audit')).data),
    'events about people': JSON.stringify(
      events
        .filter(({ event }: { event: string }) => !event.startsWith('product'))
        .map(({ body }: { body: any }) => ({ ...body, order: { ...body.order, items: [] } })),
    ),
  }
}

test('the token of a checkout is not in the log, in any encoding', async () => {
  const shop = await setUp(await world.newStore())
  const product = await productOf(shop)
  const shopper = shopperOf(world, shop)
  const { token } = dataOf(await shopper.begin({ items: [{ product_id: product.id, quantity: 1 }] }), 201)
  const encoded = [...token].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
  dataOf(await shopper.read(token), 200)
  dataOf(await shopper.read(encoded), 200)
  await world.app.requestLog!.flush()
  const paths = (
    await world.app.db.rows<{ path: string }>(sql`
    select path from requests where store_id = ${shop.store.id} and method = 'GET' and route like '%{token}'`)
  ).map(({ path }) => path)
  const slug = shop.store.slug
  assert.deepEqual(paths, [`/storefront/${slug}/checkouts/***`, `/storefront/${slug}/checkouts/***`])
})

test('article numbers, phones, words and addresses without a query are kept', () => {
  for (const text of [
    '4006381333931',
    '+52 55 1234 5678',
    '2 pieces at 10.50',
    'Basic collection',
    'https://cdn.example/a.jpg',
  ])
    assert.equal(maskSecrets(text), text)
  assert.equal(maskSecrets('https://cdn.example/a.jpg?v=2'), 'https://cdn.example/a.jpg?***')
  assert.equal(maskCredentials('see https://maps.example/?q=1'), 'see https://maps.example/?q=1')
})

test('an unknown name is shown if a programmer may have chosen it', () => {
  for (const name of ['colour', 'shipping_address.street2', 'items.0.qty']) assert.equal(maskName(name), name)
  for (const name of ['Ana Torres', 'ana@example.com', '5512345678', 'sk_sandbox_1234', 'x'.repeat(300)])
    assert.equal(maskName(name), '***')
})

// A pattern that tried a text again at each character would take minutes here, and the test's time would end.
test('a text of a megabyte is masked in one pass', { timeout: 60_000 }, () => {
  const hostile = [
    'a',
    '@',
    'a@',
    '?',
    'https://',
    'https://a?',
    '1',
    '1 ',
    'wk_live_',
    'eyJ',
    'Bearer ',
    'a.',
    '://',
    '\\',
  ]
  const size = 1_000_000
  for (const part of hostile) {
    const text = `https://x?4242${part.repeat(size / part.length)}!`
    assert.ok(maskText(text).length > 10, part)
  }
})
