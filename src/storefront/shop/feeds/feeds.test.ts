// The products for sale as other programs read them: Google Merchant XML, lines of JSON, llms.txt.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newShop } from '../../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { elementsOf, parseXml } from '../../../../test/xml.ts'
import { sql } from '../../../kit/database/sql.ts'
import { setStatus } from '../../../tenancy/stores/operations.ts'

const world = await openWorld()
const { db } = world.app

const get = ({ store }: TestStore, path: string, headers: Record<string, string> = {}) =>
  fetch(`${world.url}/s/${store.slug}${path}`, { headers })
const itemsOf = async (shop: TestStore) =>
  elementsOf(parseXml(await (await get(shop, '/feeds/google.xml')).text()), 'item')
const linesOf = async (shop: TestStore) =>
  (await (await get(shop, '/feeds/products.jsonl')).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Of an item: what each element says. */
const saidBy = (item: ReturnType<typeof elementsOf>[number]) =>
  Object.fromEntries(
    [...item.childNodes].filter(({ nodeType }) => nodeType === 1).map((one) => [one.nodeName, one.textContent]),
  )

test('the Google feed has an item for each thing that can be bought, at the price and stock of its page', async () => {
  const shop = await newShop(world, { currency: 'MXN' })
  const url = `https://shop.example/s/${shop.store.slug}/products`
  const mug = await shop.product({
    name: 'Mug & <saucer>',
    slug: 'mug',
    price: 80,
    compare_price: 100,
    stock_quantity: 0,
    description: 'Steel\u000b, "enamel"',
    gallery: ['https://images.example/1.jpg', 'https://images.example/2.jpg'],
  })
  const shirt = await shop.variants({ sku: 'SHIRT', condition: 'used' })
  await shop.product({ name: 'Draft', product_status: 'draft' })
  const [first, red, blue, ...rest] = (await itemsOf(shop)).map(saidBy)
  assert.deepEqual(rest, [])
  assert.deepEqual(first, {
    'g:id': mug.id,
    'g:title': 'Mug & <saucer>',
    // Without what XML cannot hold.
    'g:description': 'Steel, "enamel"',
    'g:link': `${url}/mug`,
    'g:image_link': 'https://images.example/1.jpg',
    'g:additional_image_link': 'https://images.example/2.jpg',
    'g:availability': 'out_of_stock',
    'g:price': '100 MXN',
    'g:sale_price': '80 MXN',
    'g:condition': 'new',
    'g:identifier_exists': 'no',
  })
  assert.deepEqual(red, {
    'g:id': shirt.variants[0].id,
    'g:title': 'Shirt – Red',
    'g:description': 'Shirt',
    'g:link': `${url}/shirt?variant=${shirt.variants[0].id}`,
    'g:availability': 'in_stock',
    'g:price': '10 MXN',
    'g:condition': 'used',
    'g:identifier_exists': 'no',
    'g:item_group_id': shirt.id,
    'g:color': 'Red',
  })
  assert.deepEqual([blue!['g:color'], blue!['g:item_group_id']], ['Blue', shirt.id])
})

test('the Google feed names the brand, its number beside it, and what each rate costs', async () => {
  const shop = await newShop(world, { currency: 'MXN', country_code: 'MX' })
  await shop.product({ name: 'Mug', brand: 'Acme', sku: 'M-1', price: 80 })
  const rate = (body: object) => shop.api.post('/v1/store/shipping-rates', { free_from: 500, ...body })
  await rate({ code: 'standard', price: 99, country_codes: ['MX', 'US'] })
  await rate({ code: 'express', price: 150, free_from: 50 })
  await rate({ code: 'pickup', price: 0, requires_address: false })
  const [mug] = await itemsOf(shop)
  const { 'g:brand': brand, 'g:mpn': mpn, 'g:identifier_exists': exists } = saidBy(mug!)
  assert.deepEqual([brand, mpn, exists], ['Acme', 'M-1', undefined])
  const shipping = [...mug!.childNodes].filter(({ nodeName }) => nodeName === 'g:shipping')
  assert.deepEqual(
    shipping.map((one) => Object.values(saidBy(one as never))),
    [
      ['MX', 'Estándar', '99 MXN'],
      ['US', 'Estándar', '99 MXN'],
      ['MX', 'Exprés', '0 MXN'],
    ],
  )
})

test('each line of the JSON feed is a product for sale as shoppers see it, with its address', async () => {
  const shop = await newShop(world)
  await shop.product({ supplier_cost: 3 })
  await shop.variants()
  const [mug, shirt, ...rest] = await linesOf(shop)
  assert.deepEqual(rest, [])
  assert.deepEqual(
    [mug.name, mug.price, mug.currency, mug.availability, mug.url, mug.supplier_cost],
    ['Mug', 10, 'USD', 'in_stock', `https://shop.example/s/${shop.store.slug}/products/mug`, undefined],
  )
  assert.deepEqual(
    shirt.variants.map(({ option_values, is_purchasable }: any) => [option_values[0].value, is_purchasable]),
    [
      ['Red', true],
      ['Blue', true],
    ],
  )
})

test('a feed has every product once, however many there are, and none of another store', async () => {
  const shop = await world.newStore()
  const other = await newShop(world)
  await other.product()
  const count = 1001
  await db.transaction(async (tx) => {
    await tx.rows(sql`
      insert into products (store_id, id, name, slug, price, search_text, created_at, updated_at)
      select ${shop.store.id}, gen_random_uuid(), 'Mug ' || n, 'mug-' || n, 1, 'mug', ${tx.now}, ${tx.now}
      from generate_series(1, ${count}::int) as n`)
  })
  const names = new Set((await linesOf(shop)).map(({ name }) => name))
  assert.equal(names.size, count)
  assert.equal((await itemsOf(shop)).length, count)
})

test('a feed of an empty shop is whole, of a shut one 503, and of a closed one 404', async () => {
  const shop = await world.newStore()
  const paths = ['/feeds/google.xml', '/feeds/products.jsonl', '/llms.txt']
  const statuses = () => Promise.all(paths.map(async (path) => (await get(shop, path)).status))
  assert.deepEqual(await statuses(), [200, 200, 200])
  assert.deepEqual(await itemsOf(shop), [])
  await shop.api.patch('/v1/store', { maintenance_mode: true })
  assert.deepEqual(await statuses(), [503, 503, 503])
  await db.transaction((tx) => setStatus(tx, shop.store.id, 'closed'))
  assert.deepEqual(await statuses(), [404, 404, 404])
})

test('a feed is not sent again until a price, a stock, the list or the shop itself changes', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const gone = await shop.product({ name: 'Other' })
  const changes = [
    () => shop.api.patch(`/v1/products/${mug.id}`, { price: 11 }),
    () => shop.order(mug),
    () => shop.api.delete(`/v1/products/${gone.id}`),
    () => shop.api.patch('/v1/store', { store_title: 'Another title' }),
  ]
  for (const [at, change] of changes.entries()) {
    world.clock.advance(61)
    const answer = await get(shop, '/feeds/google.xml')
    const headers = { 'if-none-match': answer.headers.get('etag')! }
    assert.equal((await get(shop, '/feeds/google.xml', headers)).status, 304)
    await change()
    assert.equal((await get(shop, '/feeds/google.xml', headers)).status, 200, String(at))
  }
})

test('llms.txt of a shop leads programs to its products, categories and API, whatever they are called', async () => {
  const shop = await newShop(world, { name: 'Cups\n# Not a [title](https://evil.example)' })
  await shop.api.post('/v1/categories', { name: 'Cups' })
  const answer = await get(shop, '/llms.txt')
  assert.equal(answer.headers.get('content-type'), 'text/markdown; charset=utf-8')
  const text = await answer.text()
  const url = `https://shop.example/s/${shop.store.slug}`
  assert.equal(text.split('\n').filter((line) => line.startsWith('# ')).length, 1)
  assert.ok(!text.includes('[title](https://evil'))
  assert.ok(text.includes(`- [All products](${url}/feeds/products.jsonl)`))
  assert.ok(text.includes(`- [Cups](${url}/categories/cups)`))
  assert.ok(text.includes(`(https://shop.example/storefront/${shop.store.slug})`))
})

test('llms.txt of the house leads to the API and to the shops that it lists', async () => {
  const shop = await world.newStore({ name: 'A shop for models' })
  world.clock.advance(61)
  const text = await (await fetch(`${world.url}/llms.txt`)).text()
  assert.match(text, /^# Stoa\n/)
  assert.ok(text.includes('(https://shop.example/openapi.json)'))
  assert.ok(text.includes(`- [A shop for models](https://shop.example/s/${shop.store.slug}/llms.txt)`))
})
