import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imported, previewed, remarksOf, settled } from '../../../../test/imports.ts'
import { dataOf, newShop, sold } from '../../../../test/shop.ts'
import { staffOf } from '../../../../test/staff.ts'
import { statementsOf } from '../../../../test/statements.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'
import { sql } from '../../../kit/database/sql.ts'
import { customerReferences, references, resources } from '../imports/fields.ts'
import { listExportColumns } from './columns.ts'

const world = await openWorld({}, { sweeps: true })

async function get({ api }: Pick<TestStore, 'api'>, path: string, accept = '*/*') {
  const response = await fetch(api.url + path, { headers: { 'x-api-key': api.key, accept } })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text(), response }
}

const linesOf = (text: string) => text.split('\r\n').slice(0, -1)

test('an export has a row for the product, its other images and its variants, with names in place of IDs', async () => {
  const shop = await newShop(world)
  const category = dataOf(await shop.api.post('/v1/categories', { name: 'Hats' }), 201)
  await shop.variants({
    slug: 'shirt',
    category_id: category.id,
    gallery: ['https://cdn.example/1.jpg', { url: 'https://cdn.example/2.jpg', alt_text: 'Back' }],
  })
  const { text } = await get(shop, '/v1/products.jsonl')
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    rows.map(({ row_type, slug, category, image_url, image_alt, option1_name, option1_value, stock_quantity }) => [
      ...[row_type, slug, category, image_url, image_alt, option1_name, option1_value, stock_quantity],
    ]),
    [
      ['product', 'shirt', 'Hats', 'https://cdn.example/1.jpg', undefined, undefined, undefined, 7],
      ['image', 'shirt', undefined, 'https://cdn.example/2.jpg', 'Back', undefined, undefined, undefined],
      ['variation', 'shirt', undefined, undefined, undefined, 'Colour', 'Red', 3],
      ['variation', 'shirt', undefined, undefined, undefined, 'Colour', 'Blue', 4],
    ],
  )
  assert.doesNotMatch(text, /(prod|cat|opt|img)_[0-9a-z]{26}/)
})

test('it has the filters of the list, in the form that the path or Accept asks for', async () => {
  const shop = await newShop(world)
  await shop.product({ name: 'Mug', slug: 'mug', tags: ['gift'] })
  await shop.product({ name: 'Cup', slug: 'cup' })
  await shop.product({ name: 'Old', slug: 'old', product_status: 'archived' })
  const slugs = async (query: string) =>
    linesOf((await get(shop, `/v1/products.csv${query}`)).text)
      .slice(1)
      .map((line) => line.split(',')[2])
  assert.deepEqual(await slugs(''), ['cup', 'mug'])
  assert.deepEqual(await slugs('?status=all&page=2&per_page=1&sort=name'), ['cup', 'mug', 'old'])
  assert.deepEqual(await slugs('?tag=gift'), ['mug'])
  assert.equal((await get(shop, '/v1/products.csv?tag=gift&stock_status=none')).status, 422)
  const { response, text } = await get(shop, '/v1/products', 'text/csv')
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="products.csv"')
  assert.equal(linesOf(text)[0], listExportColumns('products').join(','))
  const jsonl = await get(shop, '/v1/products', 'application/x-ndjson')
  assert.equal(jsonl.type, 'application/x-ndjson; charset=utf-8')
  assert.equal(jsonl.text, (await get(shop, '/v1/products.jsonl')).text)
  assert.match((await get(shop, '/v1/products')).type!, /^application\/json/)
})

test('the dashboard sends the same file, with the filters on the screen', async () => {
  const shop = await newShop(world)
  const ana = await staffOf(world, [shop], 'owner')
  await shop.product({ name: 'Mug', tags: ['gift'] })
  await shop.order([sold(await shop.product({ name: 'Cup' }))])
  const screens = { products: '?tag=gift', customers: '', orders: '?payment_status=pending', discounts: '' }
  for (const [kind, query] of Object.entries(screens)) {
    const { status, text, headers } = await ana.get(`/${shop.store.id}/${kind}.csv${query}`)
    assert.deepEqual([status, text], [200, (await get(shop, `/v1/${kind}.csv${query}`)).text], kind)
    assert.match(headers.get('content-disposition')!, new RegExp(`"${kind}\\.csv"`))
  }
})

test('it needs the scope of the list, and shows the own store alone', async () => {
  const shop = await newShop(world)
  const other = await newShop(world)
  await other.product()
  for (const kind of ['products', 'customers', 'orders', 'discounts'] as const) {
    const narrow = await shop.withKey({ scopes: ['read:store'] })
    assert.equal((await get({ api: narrow }, `/v1/${kind}.csv`)).status, 403)
    assert.deepEqual(linesOf((await get(shop, `/v1/${kind}.csv`)).text), [listExportColumns(kind).join(',')])
    assert.equal((await get(shop, `/v1/${kind}.jsonl`)).text, '')
  }
})

test('what a spreadsheet would execute is escaped wherever it may split a cell, and read as it was', async () => {
  const shop = await newShop(world)
  const notes = "=1+1;\t-2;'+3\n- a list"
  dataOf(await shop.api.post('/v1/customers', { name: '@cmd', email: 'ana@example.com', notes }), 201)
  const { text } = await get(shop, '/v1/customers.csv')
  assert.match(text, /^customer,'@cmd,ana@example\.com,,"'=1\+1;\t'-2;''\+3\n'- a list"/m)
  const empty = await newShop(world)
  await imported(world, empty.api, text, { kind: 'customers' })
  const [ana] = (await empty.api.get('/v1/customers')).data
  assert.deepEqual([ana.name, ana.notes], ['@cmd', notes])
})

test('the rows of an import of an export, corrected in their file, are imported again', async () => {
  const shop = await newShop(world)
  await shop.product({ name: '=Mug', slug: 'mug', description: "'-5\n- list" })
  const wrong = (await get(shop, '/v1/products.csv')).text.replace(',10,', ',-1,')
  const empty = await newShop(world)
  const { id, rows_rejected } = await imported(world, empty.api, wrong, { kind: 'products' })
  assert.equal(rows_rejected, 1)
  const rows = (await get(empty, `/v1/imports/${id}/rows.csv`)).text
  const done = await imported(world, empty.api, rows.replace(/,'?-1,/, ',10,'), { kind: 'products' })
  assert.equal(done.rows_created, 1, JSON.stringify(await remarksOf(empty.api, done.id)))
  const [mug] = (await empty.api.get('/v1/products')).data
  assert.deepEqual([mug.name, mug.description, mug.price], ['=Mug', "'-5\n- list", 10])
})

test('a discount that names a product of no slug is rejected; a category is made', async () => {
  const shop = await newShop(world)
  const file =
    'code,type,value,applicable_products,applicable_categories\nA,percentage,5,mug,\nB,percentage,5,,"Hats, Caps"\n'
  const done = await imported(world, shop.api, file, { kind: 'discounts' })
  assert.deepEqual(await remarksOf(shop.api, done.id), [
    [2, 'rejected', 'applicable_products', 'applicable_products does not exist'],
  ])
  const [b] = (await shop.api.get('/v1/discounts')).data
  assert.deepEqual([b.code, b.applies_to_all, b.applicable_category_ids.length], ['B', false, 2])
})

test('a long list is read page by page, with the same number of statements for each', async () => {
  const shop = await newShop(world)
  const fill = (count: number) =>
    world.app.db.ofStore(shop.store.id).transaction((tx) =>
      tx.rows(sql`
        insert into products (store_id, id, name, slug, price, search_text, created_at, updated_at)
        select ${shop.store.id}, gen_random_uuid(), 'Mug', 'mug-' || lpad(number::text, 5, '0'), 1, 'mug', ${tx.now},
          ${tx.now}
        from generate_series(1, ${count}::int) as number
        on conflict do nothing`),
    )
  const count = async () => {
    let rows = 0
    const statements = await statementsOf(async () => {
      rows = linesOf((await get(shop, '/v1/products.csv')).text).length - 1
    }, /\bfrom (products|collection_products)\b/)
    return { rows, statements: statements.length }
  }
  await fill(50)
  await count()
  const few = await count()
  await fill(950)
  const many = await count()
  assert.deepEqual([few.rows, many.rows], [50, 950])
  // 1 page and 10 pages, each of them a query for products and one for the names of their collections.
  assert.equal(many.statements - few.statements, 2 * 9)
})

test('order bumps and refunds of an order are in its rows; an order of the same number is skipped', async () => {
  const shop = await newShop(world)
  const mug = await shop.product()
  const order = await shop.order([sold(mug, 2)], { payment_status: 'paid', tax_amount: 1.5 })
  dataOf(await shop.api.patch(`/v1/orders/${order.id}`, { payment_status: 'refunded' }), 200)
  const { text } = await get(shop, '/v1/orders.jsonl')
  const [whole, item] = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual(
    [whole.row_type, whole.order_number, whole.total, whole.taxes, whole.refunded_amount, whole.created_at],
    ['order', order.order_number, 21.5, 1.5, 21.5, order.created_at],
  )
  assert.deepEqual(item, {
    row_type: 'item',
    order_number: order.order_number,
    item_name: 'Mug',
    item_quantity: 2,
    item_price: 10,
    item_requires_shipping: true,
  })
  const csv = await get(shop, '/v1/orders.csv')
  assert.match(csv.text.split('\r\n')[0]!, /,item_price,item_requires_shipping$/)
  const done = await imported(world, shop.api, text, { kind: 'orders', on_duplicate: 'update' })
  assert.deepEqual([done.rows_skipped, done.rows_read], [2, 2])
})

test('groups are named; a discount whose group is deleted is not for all where it is imported', async () => {
  const shop = await newShop(world)
  const group = async (name: string) => dataOf(await shop.api.post('/v1/customer-groups', { name }), 201)
  const [vip, gone] = [await group('VIP'), await group('Gone')]
  const group_ids = [vip.id, gone.id]
  dataOf(await shop.api.post('/v1/customers', { name: 'Ana', email: 'ana@example.com', group_ids }), 201)
  const discount = { type: 'percentage', value: 5 }
  dataOf(await shop.api.post('/v1/discounts', { ...discount, code: 'A', customer_group_ids: [vip.id] }), 201)
  dataOf(await shop.api.post('/v1/discounts', { ...discount, code: 'B', customer_group_ids: [gone.id] }), 201)
  dataOf(await shop.api.delete(`/v1/customer-groups/${gone.id}`), 200)
  const [people, codes] = [await get(shop, '/v1/customers.jsonl'), await get(shop, '/v1/discounts.jsonl')]
  assert.deepEqual(JSON.parse(people.text).groups, ['VIP'])
  const again = { kind: 'discounts', on_duplicate: 'update' }
  assert.equal((await imported(world, shop.api, codes.text, again)).rows_skipped, 2)
  assert.equal((await imported(world, shop.api, people.text, { ...again, kind: 'customers' })).rows_skipped, 1)

  const empty = await newShop(world)
  assert.equal((await imported(world, empty.api, people.text, { kind: 'customers' })).rows_created, 1)
  const done = await imported(world, empty.api, codes.text, { kind: 'discounts' })
  assert.deepEqual([done.rows_created, done.rows_rejected], [1, 1])
  const [{ group_ids: own }] = (await empty.api.get('/v1/customers')).data
  const [{ code, customer_group_ids }] = (await empty.api.get('/v1/discounts')).data
  assert.deepEqual([code, customer_group_ids], ['A', own])
})

test('a field that names other records is exported by their names, or left out on purpose', () => {
  const leftOut = ['id', 'customer_id', 'category_id', 'last_order_id']
  const named = Object.values({ ...references, ...customerReferences }).map(({ field }) => String(field))
  for (const { fields } of Object.values(resources)) {
    const ids = Object.keys(fields).filter((name) => fields[name].spec.columnType?.startsWith('uuid'))
    assert.deepEqual(
      ids.filter((name) => !leftOut.includes(name) && !named.includes(name)),
      [],
    )
  }
})

test('parts of bundles come back from the file, those of variants as well', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 8 }),
    shirt = await shop.variants()
  const [first, second] = shirt.variants
  const parts = (...ids: object[]) => ids.map((id, index) => ({ ...id, quantity: index + 1 }))
  const sizes = [
    parts({ product_id: mug.id }),
    parts({ product_id: shirt.id, variant_id: first.id }, { product_id: mug.id }),
  ]
  const variants = sizes.map((bundle_items, index) => ({
    option_values: [{ option_title: 'Size', value: `${index}` }],
    bundle_items,
  }))
  const bundle_discount_percentage = 20
  const choice = await shop.product({ name: 'Choice', slug: 'choice', bundle_discount_percentage, variants })
  const bundle_items = parts({ product_id: shirt.id, variant_id: second.id })
  const set = await shop.product({ name: 'Set', slug: 'set', price: 5, bundle_items })
  const file = linesOf((await get(shop, '/v1/products.csv')).text)
  const own = file.filter((line, index) => index === 0 || /,(choice|set),/.test(line))
  for (const { id } of [choice, set]) assert.equal((await shop.api.delete(`/v1/products/${id}`)).status, 200)
  const done = await imported(world, shop.api, own.join('\r\n'), { kind: 'products' })
  assert.deepEqual(await remarksOf(shop.api, done.id), [])
  const shown = ({ price, bundle_items, bundle_stock, bundle_discount_percentage, variants = [] }: any): any => [
    price,
    bundle_items,
    bundle_stock,
    bundle_discount_percentage ?? null,
    variants.map(shown),
  ]
  const { data } = await shop.api.get('/v1/products?sort=name&order=asc')
  const again = data.filter(({ slug }: any) => slug === 'choice' || slug === 'set')
  assert.deepEqual(again.map(shown), [shown(choice), shown(set)])
})

test('a preview rejects bundles of another store, of which the start would create none', async () => {
  const [from, to] = [await newShop(world), await newShop(world)]
  const mug = await from.product({ name: 'Mug', slug: 'mug' })
  const bundle_items = [{ product_id: mug.id, quantity: 2 }]
  await from.product({ name: 'Set', slug: 'set', price: 5, bundle_items })
  const variants = [
    { option_values: [{ option_title: 'Size', value: 'S' }], price: 3 },
    { option_values: [{ option_title: 'Size', value: 'L' }], bundle_items },
  ]
  await from.product({ name: 'Choice', slug: 'choice', variants })
  const file = (await get(from, '/v1/products.csv')).text
  const preview = await previewed(world, to.api, file, { kind: 'products' })
  assert.deepEqual([preview.rows_to_create, preview.rows_rejected], [1, 4])
  const remarks = await remarksOf(to.api, preview.id)
  assert.deepEqual(
    remarks.map(([, outcome, column, message]) => [outcome, column, message]),
    ['variants.1.bundle_items.0', 'bundle_items.0'].map((part) => {
      return ['rejected', 'bundle_items', `${part}.product_id does not exist`]
    }),
  )
  dataOf(await to.api.post(`/v1/imports/${preview.id}/start`, {}), 200)
  const done = await settled(world, to.api, preview.id)
  assert.deepEqual([done.rows_created, done.rows_rejected], [1, 4])
  // In its own store, nothing of it would change; a bundle whose part is gone is as it was.
  assert.equal((await from.api.delete(`/v1/products/${mug.id}`)).status, 200)
  const same = await previewed(world, from.api, file, { kind: 'products', on_duplicate: 'update' })
  assert.deepEqual([same.rows_to_create, same.rows_to_update, same.rows_rejected, same.rows_skipped], [1, 0, 0, 4])
})
