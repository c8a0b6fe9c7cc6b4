// The products for sale as other programs read them: Google Merchant XML, lines of JSON, llms.txt.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newShop } from '../../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { statementsOf } from '../../../../test/statements.ts'
import { elementsOf, parseXml } from '../../../../test/xml.ts'
import { sql } from '../../../kit/database/sql.ts'
import { setStatus } from '../../../tenancy/stores/operations.ts'

const world = await openWorld()
const { db } = world.app

const get = ({ store }: TestStore, path: string, headers: Record<string, string> = {}) =>
  fetch(`${world.url}/s/${store.slug}${path}`, { headers })
const itemsOf = async (shop: TestStore) =>
  elementsOf(parseXml(await (await get(shop, '/feeds/google.xml')).text()), 'item')
const linesOf = async (shop: TestStore, file = 'products') =>
  (await (await get(shop, `/feeds/${file}.jsonl`)).text())
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
  await shop.product({ name: 'Guide', price: 80, requires_shipping: false })
  const guide = (await itemsOf(shop)).at(-1)
  assert.equal(saidBy(guide!)['g:title'], 'Guide')
  assert.equal(saidBy(guide!)['g:shipping'], undefined)
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

test('each line of the agents’ feed is a thing that can be bought, in the attributes of ACP and Google', async () => {
  const shop = await newShop(world, { currency: 'MXN', country_code: 'MX', name: 'Corner: shop' })
  const root = `https://shop.example/s/${shop.store.slug}`
  const { data: cups } = await shop.api.post('/v1/categories', { name: 'Cups' })
  await shop.api.post('/v1/store/shipping-rates', { code: 'standard', name: 'Fast: 24 h', price: 99, free_from: 500 })
  for (const kind of ['returns', 'privacy', 'terms']) await shop.api.post('/v1/pages', { title: kind, kind })
  const mug = await shop.product({
    name: 'Mug </script> "x"\n\u2028',
    slug: 'mug',
    price: 80,
    compare_price: 100,
    description: '**Steel**, enamel',
    brand: 'Acme',
    sku: 'M-1',
    barcode: '978-3-16-148410-0',
    category_id: cups.id,
    stock_quantity: 3,
    supplier_cost: 30,
    gallery: ['https://images.example/1.jpg', 'https://images.example/2.jpg'],
  })
  const value = (option_title: string, value: string) => ({ option_title, value })
  const shirt = await shop.product({
    name: 'Shirt',
    stock_quantity: undefined,
    condition: 'used',
    variants: [
      { option_values: [value('Colour', 'Red'), value('Fit', 'Slim')], stock_quantity: 0, barcode: 'A-1' },
      { option_values: [value('Colour', 'Blue'), value('Fit', 'Wide')], stock_quantity: 40, price: 12.5 },
    ],
  })
  const seller = {
    seller_name: 'Corner: shop',
    seller_url: root,
    seller_privacy_policy: `${root}/pages/privacy`,
    seller_tos: `${root}/pages/terms`,
    return_policy: `${root}/pages/returns`,
    store_country: 'MX',
  }
  const flags = { enable_search: true, enable_checkout: false }
  const [first, red, blue, ...rest] = await linesOf(shop, 'items')
  assert.deepEqual(rest, [])
  assert.deepEqual(first, {
    id: mug.id,
    title: mug.name,
    description: 'Steel, enamel',
    link: `${root}/products/mug`,
    image_link: 'https://images.example/1.jpg',
    additional_image_link: ['https://images.example/2.jpg'],
    availability: 'in_stock',
    inventory_quantity: 3,
    price: '100 MXN',
    sale_price: '80 MXN',
    condition: 'new',
    brand: 'Acme',
    gtin: '9783161484100',
    mpn: 'M-1',
    product_type: 'Cups',
    shipping: ['MX::Fast  24 h:99 MXN'],
    ...flags,
    ...seller,
  })
  assert.deepEqual(red, {
    id: shirt.variants[0].id,
    title: 'Shirt – Red / Slim',
    description: 'Shirt',
    link: `${root}/products/shirt?variant=${shirt.variants[0].id}`,
    availability: 'out_of_stock',
    inventory_quantity: 0,
    price: '10 MXN',
    condition: 'used',
    shipping: ['MX::Fast  24 h:99 MXN'],
    item_group_id: shirt.id,
    item_group_title: 'Shirt',
    color: 'Red',
    custom_variant2_category: 'Fit',
    custom_variant2_option: 'Slim',
    ...flags,
    ...seller,
  })
  // How many there are is the merchant's business until few are left.
  assert.deepEqual([blue.availability, blue.inventory_quantity, blue.price], ['in_stock', undefined, '12.5 MXN'])
})

test('a barcode is a GTIN if its check digit says so', async () => {
  const shop = await newShop(world)
  const barcodes = [
    '4006381333931',
    '4006381333932',
    '96385074',
    '036000291452',
    '10614141000415',
    '12345',
    'X-9',
    null,
  ]
  for (const [at, barcode] of barcodes.entries()) await shop.product({ name: `P${at}`, barcode })
  const expected = ['4006381333931', undefined, '96385074', '036000291452', '10614141000415', undefined, undefined]
  const found = new Map((await linesOf(shop, 'items')).map(({ title, gtin }) => [title, gtin]))
  assert.deepEqual(
    barcodes.map((_, at) => found.get(`P${at}`)),
    [...expected, undefined],
  )
  const items = (await itemsOf(shop)).map(saidBy)
  const first = items.find((item) => item['g:title'] === 'P0')!
  assert.deepEqual([first['g:gtin'], first['g:identifier_exists']], ['4006381333931', undefined])
})

test('a feed takes the same statements, however many products there are', async () => {
  const takenBy = async (count: number) => {
    const shop = await newShop(world)
    for (let at = 0; at < count; at++) await shop.variants({ name: `Shirt ${at}` })
    await linesOf(shop, 'items')
    return statementsOf(async () => assert.equal((await linesOf(shop, 'items')).length, count * 2))
  }
  const few = await takenBy(2)
  assert.ok(few.length > 0)
  assert.deepEqual(await takenBy(12), few)
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
  const ids = new Set((await linesOf(shop, 'items')).map(({ id }) => id))
  assert.equal(ids.size, count)
})

test('a feed of an empty shop is whole, of a shut one 503, and of a closed one 404', async () => {
  const shop = await world.newStore()
  const paths = ['/feeds/google.xml', '/feeds/products.jsonl', '/feeds/items.jsonl', '/llms.txt']
  const statuses = () => Promise.all(paths.map(async (path) => (await get(shop, path)).status))
  assert.deepEqual(await statuses(), [200, 200, 200, 200])
  assert.deepEqual(await itemsOf(shop), [])
  await shop.api.patch('/v1/store', { maintenance_mode: true })
  assert.deepEqual(await statuses(), [503, 503, 503, 503])
  await db.transaction((tx) => setStatus(tx, shop.store.id, 'closed'))
  assert.deepEqual(await statuses(), [404, 404, 404, 404])
})

test('a feed is not sent again until a price, a stock, the list, a rate or the shop itself changes', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const gone = await shop.product({ name: 'Other' })
  const { data: rate } = await shop.api.post('/v1/store/shipping-rates', { code: 'standard', price: 5 })
  const files = ['/feeds/google.xml', '/feeds/items.jsonl']
  const changes = [
    () => shop.api.patch(`/v1/products/${mug.id}`, { price: 11 }),
    () => shop.order(mug),
    () => shop.api.delete(`/v1/products/${gone.id}`),
    () => shop.api.patch('/v1/store', { store_title: 'Another title' }),
    () => shop.api.post('/v1/pages', { title: 'Returns', kind: 'returns' }),
    () => shop.api.patch(`/v1/store/shipping-rates/${rate.id}`, { price: 9 }),
    () => shop.api.delete(`/v1/store/shipping-rates/${rate.id}`),
  ]
  for (const [at, change] of changes.entries()) {
    world.clock.advance(61)
    const statuses = (headers: Record<string, string>) =>
      Promise.all(files.map(async (file) => (await get(shop, file, headers)).status))
    const answer = await get(shop, '/feeds/google.xml')
    const headers = { 'if-none-match': answer.headers.get('etag')! }
    assert.deepEqual(await statuses(headers), [304, 304])
    await change()
    assert.deepEqual(await statuses(headers), [200, 200], String(at))
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
  assert.ok(text.includes(`- [All items](${url}/feeds/items.jsonl)`))
  // Its profile for agents would be that of the service.
  assert.ok(!text.includes('.well-known/ucp'))
  assert.ok(text.includes(`- [Cups](${url}/categories/cups)`))
  assert.ok(text.includes(`(https://shop.example/storefront/${shop.store.slug})`))
})

test('llms.txt of the house leads to the API and to the shops that it lists', async () => {
  const shop = await world.newStore({ name: 'A shop for models' })
  world.clock.advance(61)
  const text = await (await fetch(`${world.url}/llms.txt`)).text()
  assert.match(text, /^# Stoa\n/)
  assert.ok(text.includes('(https://shop.example/openapi.json)'))
  assert.ok(text.includes('(https://shop.example/mcp)'))
  // With several stores its origin is that of none.
  assert.ok(!text.includes('.well-known/ucp'))
  assert.ok(text.includes(`- [A shop for models](https://shop.example/s/${shop.store.slug}/llms.txt)`))
})
