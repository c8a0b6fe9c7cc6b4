// Files as other shop systems export them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { assertAccounted, imported, previewed, remarksOf, settled, upload } from '../../../../test/imports.ts'
import { dataOf } from '../../../../test/shop.ts'
import { brokenInvariants } from '../../../program/cli/invariants.ts'
import { openWorld } from '../../../../test/world.ts'

const world = await openWorld({}, { sweeps: true })

const file = (name: string) => readFileSync(new URL(`../../../../test/exports/${name}.csv`, import.meta.url))

test('products of Shopify: variants, options, images, HTML, tags, stock below zero', async () => {
  const { api } = await world.newStore()
  const done = await imported(world, api, file('shopify-products'), { kind: 'products' })
  assertAccounted(done)
  assert.deepEqual([done.source, done.rows_read, done.rows_created, done.rows_rejected], ['shopify', 4, 4, 0])
  assert.deepEqual(await remarksOf(api, done.id), [
    [3, 'created', 'Variant Inventory Qty', 'A stock of -3 is imported as 0'],
  ])
  const [tee] = (await api.get('/v1/products?search=tee')).data
  assert.deepEqual(
    [
      tee.slug,
      tee.price,
      tee.brand,
      tee.description,
      tee.tags,
      tee.supplier_cost,
      tee.track_inventory,
      tee.stock_quantity,
    ],
    ['tee', 19.9, 'Acme', 'Soft **cotton**\n\n-   One', ['summer', 'gift'], 7, true, 5],
  )
  assert.deepEqual(
    tee.variants.map((one: any) => [
      one.title,
      one.sku,
      one.price,
      one.compare_price,
      one.weight,
      one.stock_quantity,
      one.image,
    ]),
    [
      ['S / Red', 'T-S', 19.9, 25, 150, 5, null],
      ['M / Red', 'T-M', 21.9, null, 150, 0, 'https://cdn.example/m.jpg'],
    ],
  )
  assert.deepEqual(
    tee.gallery.map(({ url, alt_text }: any) => [url, alt_text]),
    [
      ['https://cdn.example/1.jpg', 'Front'],
      ['https://cdn.example/2.jpg', null],
      ['https://cdn.example/3.jpg', null],
    ],
  )
  const [category] = (await api.get('/v1/categories?search=shirts')).data
  assert.equal(tee.category_id, category.id)
  const [mug] = (await api.get('/v1/products?status=draft')).data
  assert.deepEqual(
    [mug.name, mug.variants, mug.sku, mug.weight, mug.track_inventory, mug.continue_selling],
    ['Mug', [], 'MUG', 300, false, true],
  )
  // The images' hosts cannot be reached: that is said, and the products keep the addresses.
  assert.deepEqual([done.images_pending, done.images_failed], [0, 4])
  const images = (await api.get(`/v1/imports/${done.id}/images?status=failed`)).data
  assert.match(images[0].error, /could not be fetched/)
  assert.equal(dataOf(await api.post(`/v1/imports/${done.id}/retry-images`, {}), 200).images_pending, 4)
})

test('redirects of Shopify are found by their path, updated, and undone', async () => {
  const shop = await world.newStore()
  const { api } = shop
  await api.post('/v1/redirects', { path: '/blogs/news/first', target: '/pages/news' })
  const list = async () =>
    (await api.get('/v1/redirects?sort=path&order=asc')).data.map(({ path, target }: any) => [path, target])
  const options = { kind: 'redirects', on_duplicate: 'update' }
  const done = await imported(world, api, file('shopify-redirects'), options)
  assertAccounted(done)
  assert.deepEqual([done.source, done.rows_created, done.rows_updated, done.rows_rejected], ['shopify', 2, 2, 3])
  assert.deepEqual(await list(), [
    ['/blogs/news/first', 'https://journal.example/first'],
    ['/collections/mugs?page=2', '/collections/mugs'],
    ['/pages/our-story', '/pages/other'],
  ])
  assert.deepEqual(
    (await remarksOf(api, done.id)).map(([line, , column, message]) => [line, column, message]),
    [
      [5, 'Redirect to', 'target must be a path in the online store starting with /, or an https URL'],
      [
        6,
        'Redirect from',
        'path must be a path that starts with /, such as /old-page, without a domain, fragment or backslash',
      ],
      [8, null, 'target leads back to /pages/loop'],
    ],
  )
  const again = await imported(world, api, file('shopify-redirects'), { kind: 'redirects' })
  assert.deepEqual([again.rows_skipped, again.rows_rejected], [4, 3])
  dataOf(await api.post(`/v1/imports/${done.id}/undo`, {}), 200)
  assert.equal((await settled(world, api, done.id)).status, 'undone')
  assert.deepEqual(await list(), [['/blogs/news/first', '/pages/news']])
  assert.deepEqual(await brokenInvariants(world.app.db, shop.store.id), [])
  const reader = await shop.withKey({ scopes: ['write:products'] })
  assert.equal(
    (await upload(reader, file('shopify-redirects'), { kind: 'redirects' })).error.code,
    'SCOPE_INSUFFICIENT',
  )
})

test('a handle that is no slug becomes one; its address leads to the product until the import is undone', async () => {
  const { api, store } = await world.newStore()
  await api.post('/v1/redirects', { path: '/products/kept_elsewhere', target: '/pages/kept' })
  const tooLong = 'y'.repeat(501)
  const rows = ['mug', 'Größe_1', 'トート', 'two--hyphens-', `long-${'x'.repeat(120)}`, 'kept_elsewhere', tooLong]
  const text = [
    'Handle,Title,Body (HTML),Vendor,Variant Price',
    ...rows.map((name) => `${name},${name.slice(0, 200)},,,5`),
  ].join('\n')
  const done = await imported(world, api, text, { kind: 'products' })
  assert.deepEqual([done.rows_created, done.rows_rejected], [7, 0], JSON.stringify(await remarksOf(api, done.id)))
  const slugs = new Map((await api.get('/v1/products')).data.map(({ name, slug }: any) => [name, slug]))
  assert.deepEqual(
    [slugs.get('mug'), slugs.get('Größe_1'), slugs.get('two--hyphens-')],
    ['mug', 'groesse-1', 'two-hyphens'],
  )
  const leads = async () =>
    (await api.get('/v1/redirects?sort=path&order=asc')).data.map(({ path, target }: any) => [path, target])
  const left = ['Größe_1', 'トート', 'two--hyphens-', rows[4]!].map((name) => [
    `/products/${name.replace('G', 'g')}`,
    `/products/${slugs.get(name)}`,
  ])
  const kept = ['/products/kept_elsewhere', '/pages/kept']
  assert.deepEqual(new Set((await leads()).map(String)), new Set([...left, kept].map(String)))
  for (const [path, target] of left) {
    const answer = await fetch(`${world.url}/s/${store.slug}${encodeURI(path!)}`, { redirect: 'manual' })
    assert.deepEqual([answer.status, answer.headers.get('location')], [301, `/s/${store.slug}${target}`])
  }
  const again = await imported(world, api, text, { kind: 'products', on_duplicate: 'update' })
  assert.deepEqual([again.rows_created, again.rows_rejected], [0, 0])

  // One was changed since: the others go one by one.
  const [mug] = (await api.get('/v1/products?search=mug')).data
  await api.patch(`/v1/products/${mug.id}`, { price: 6 })
  dataOf(await api.post(`/v1/imports/${done.id}/undo`, {}), 200)
  assert.equal((await settled(world, api, done.id)).status, 'undone')
  assert.deepEqual(
    (await api.get('/v1/products')).data.map(({ slug }: any) => slug),
    ['mug'],
  )
  assert.deepEqual(await leads(), [kept])
  assert.deepEqual(await brokenInvariants(world.app.db, store.id), [])
})

test('customers of Shopify have one name, and what they agreed to', async () => {
  const { api } = await world.newStore()
  const done = await imported(world, api, file('shopify-customers'), { kind: 'customers' })
  assert.deepEqual([done.source, done.rows_created, done.rows_rejected], ['shopify', 1, 1])
  const [ana] = (await api.get('/v1/customers')).data
  assert.deepEqual(
    [ana.name, ana.email, ana.phone, ana.accepts_marketing, ana.notes],
    ['Ana Torres', 'ana@example.com', '+52 55 1234 5678', true, 'VIP'],
  )
})

test('orders of Shopify keep number, date and amounts, move no stock, and are undone with their totals', async () => {
  const { api, events, store } = await world.newStore({ currency: 'USD' })
  const mug = dataOf(
    await api.post('/v1/products', { name: 'Mug', price: 5, sku: 'MUG', track_inventory: true, stock_quantity: 3 }),
    201,
  )
  await events()
  const done = await imported(world, api, file('shopify-orders'), { kind: 'orders' })
  assertAccounted(done)
  assert.deepEqual([done.rows_created, done.rows_rejected], [3, 2])
  assert.deepEqual(
    (await remarksOf(api, done.id)).map(([line, , column, message]) => [line, column, message]),
    [
      [5, 'Total', 'total is 99, but items, discount, shipping and tax add up to 5'],
      [6, 'Currency', "currency must be USD, the store's currency"],
    ],
  )
  const orders = (await api.get('/v1/orders?sort=order_number&order=asc')).data
  const [first, second] = orders
  assert.deepEqual(
    [
      first.order_number,
      first.created_at,
      first.total,
      first.discount_code,
      first.status,
      first.fulfillment_status,
      first.payment_status,
    ],
    [2001, '2024-03-05T15:00:00.000Z', 18.3, 'SUMMER', 'completed', 'fulfilled', 'paid'],
  )
  assert.deepEqual([first.captured_amount, first.refunded_amount, first.items[0].product_id], [18.3, 5, mug.id])
  assert.deepEqual([second.status, second.payment_status, second.total], ['cancelled', 'refunded', 5])
  assert.equal((await api.get(`/v1/products/${mug.id}`)).data.stock_quantity, 3)
  assert.deepEqual(
    (await events()).map(({ event }) => event),
    ['customer.created', 'customer.created'],
  )
  const ana = (await api.get('/v1/customers?search=ana')).data[0]
  assert.deepEqual([ana.orders_count, ana.total_spent, ana.last_order_at], [1, 13.3, '2024-03-05T15:00:00.000Z'])
  const next = dataOf(
    await api.post('/v1/orders', { items: [{ product_name: 'New', unit_price: 1, quantity: 1 }] }),
    201,
  )
  assert.equal(next.order_number, 2003)
  assert.deepEqual(await brokenInvariants(world.app.db, store.id), [])
  const again = await imported(world, api, file('shopify-orders'), { kind: 'orders' })
  assert.deepEqual([again.rows_skipped, again.rows_created], [3 + 1, 0])
  dataOf(await api.post(`/v1/imports/${done.id}/undo`, {}), 200)
  assert.equal((await settled(world, api, done.id)).rows_undone, 3)
  assert.deepEqual(
    (await api.get('/v1/orders')).data.map(({ order_number }: any) => order_number),
    [2003],
  )
  // The customers of these orders came with them.
  assert.deepEqual((await api.get('/v1/customers?search=ana')).data, [])
})

test('discounts of Shopify', async () => {
  const { api } = await world.newStore()
  const done = await imported(world, api, file('shopify-discounts'), { kind: 'discounts' })
  assert.equal(done.rows_created, 2, JSON.stringify(await remarksOf(api, done.id)))
  const { data } = await api.get('/v1/discounts?status=all&sort=code&order=desc')
  assert.deepEqual(
    data.map(({ code, type, value, max_uses, is_active }: any) => [code, type, value, max_uses, is_active]),
    [
      ['SUMMER', 'percentage', 10, 97, true],
      ['FREE', 'free_shipping', 0, 0, false],
    ],
  )
})

test('products of WooCommerce: variations of a parent, sale prices, kilograms, paths of categories', async () => {
  const { api } = await world.newStore()
  const done = await imported(world, api, file('woocommerce-products'), { kind: 'products' })
  assert.deepEqual(
    [done.source, done.rows_created, done.rows_rejected],
    ['woocommerce', 4, 0],
    JSON.stringify(await remarksOf(api, done.id)),
  )
  const { data } = await api.get('/v1/products?sort=name&order=asc')
  const [mug, tee] = data
  assert.deepEqual(
    [mug.price, mug.compare_price, mug.weight, mug.stock_quantity, mug.gallery.length],
    [4.5, 6, 350, 4, 2],
  )
  assert.equal((await api.get(`/v1/categories/${mug.category_id}`)).data.name, 'Cups')
  assert.deepEqual([tee.description, tee.price], ['Short', 18])
  assert.deepEqual(
    tee.variants.map(({ title, sku, price, compare_price }: any) => [title, sku, price ?? tee.price, compare_price]),
    [
      ['S', 'TEE-S', 20, null],
      ['M', null, 18, 20],
    ],
  )
})

test('products of Medusa and Square', async () => {
  const { api } = await world.newStore({ currency: 'EUR' })
  const first = await imported(world, api, file('medusa-products'), { kind: 'products' })
  assert.deepEqual([first.source, first.rows_created], ['medusa', 2], JSON.stringify(await remarksOf(api, first.id)))
  const second = await imported(world, api, file('square-products'), { kind: 'products' })
  assert.deepEqual([second.source, second.rows_created], ['square', 3], JSON.stringify(await remarksOf(api, second.id)))
  const { data } = await api.get('/v1/products?sort=name&order=asc')
  assert.deepEqual(
    data.map(({ name, price, variants }: any) => [name, price, variants.map((one: any) => [one.title, one.sku])]),
    [
      ['Cake', 5, []],
      [
        'Sweater',
        30,
        [
          ['S', 'SW-S'],
          ['M', 'SW-M'],
        ],
      ],
      [
        'Tea',
        3,
        [
          ['Small', 'TEA-S'],
          ['Large', 'TEA-L'],
        ],
      ],
    ],
  )
})

test('an empty preview of a file with rows that are no records', async () => {
  const { api } = await world.newStore()
  const preview = await previewed(world, api, 'name,price\n,\n ,\nMug,1\n', { kind: 'products' })
  assert.deepEqual([preview.rows_read, preview.rows_to_create], [1, 1])
})

test('texts for search engines, countries by name and HS codes are imported; a variant has its own', async () => {
  const { api } = await world.newStore()
  const ofProduct = ['Product Handle', 'Product Title', 'Product Origin Country', 'Product HS Code']
  const ofVariant = ['Variant Title', 'Variant SKU', 'Variant HS Code', 'Variant Price USD']
  const option = ['Variant Option 1 Name', 'Variant Option 1 Value']
  const head = [...ofProduct, ...ofVariant, ...option].join(',')
  const medusa = `${head}\nshirt,Shirt,it,610910,S,S-S,,30,Size,S\nshirt,Shirt,it,610910,M,S-M,610990,30,Size,M`
  const done = await imported(world, api, medusa, { kind: 'products' })
  assert.deepEqual([done.source, done.rows_created], ['medusa', 2], JSON.stringify(await remarksOf(api, done.id)))
  const own = 'name,price,country_of_origin,hs_code,seo_title,seo_description\nMug,9,Italy,7323.94,Mugs,To last'
  assert.equal((await imported(world, api, own, { kind: 'products' })).rows_created, 1)
  const [mug, shirt] = (await api.get('/v1/products?sort=name&order=asc')).data
  const texts = { seo_title: 'Mugs', seo_description: 'To last' }
  assert.partialDeepStrictEqual(mug, { country_of_origin: 'IT', hs_code: '7323.94', ...texts })
  assert.deepEqual(
    shirt.variants.map((one: any) => [one.country_of_origin, one.hs_code]),
    [
      ['IT', '610910'],
      ['IT', '610990'],
    ],
  )
})
