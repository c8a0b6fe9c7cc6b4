// What holds however many ask at once, besides what stands beside orders, discounts, inventory and webhooks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { raw, sql } from '../src/kit/database/sql.ts'
import type { Answer } from './client.ts'
import { dataOf, newShop, sold } from './shop.ts'
import { assertSums } from './sums.ts'
import { openWorld } from './world.ts'

const world = await openWorld()

const times = <T>(count: number, run: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)))
const having = (answers: Answer[], ...statuses: number[]) => answers.filter(({ status }) => statuses.includes(status))
const key = (value: string) => ({ headers: { 'idempotency-key': value } })

test('of 30 categories of one name, in any case, one is made and counted', async () => {
  const { api, store } = await world.newStore()
  const answers = await times(30, (index) =>
    api.post('/v1/categories', { name: index % 2 ? 'Hats' : 'HATS', slug: `hats-${index}` }),
  )
  assert.deepEqual([having(answers, 201).length, having(answers, 409).length], [1, 29])
  assert.equal(await counted(store.id), 1)
})

test('of 10 categories that take one name at once, one gets it', async () => {
  const { api } = await world.newStore()
  const made = await times(10, (index) => api.post('/v1/categories', { name: `Hats ${index}` }))
  const answers = await Promise.all(made.map(({ data }) => api.patch(`/v1/categories/${data.id}`, { name: 'Hats' })))
  assert.deepEqual([having(answers, 200).length, having(answers, 409).length], [1, 9])
})

test('the plan limits categories exactly, while some are deleted too', async () => {
  const { api, store } = await world.newStore({ plan: 'free' })
  const first = await times(25, (index) => api.post('/v1/categories', { name: `First ${index}` }))
  assert.equal(having(first, 201).length, 10)
  for (const { error } of having(first, 403)) assert.equal(error.message, 'Category limit reached (10/10)')
  const [deleted, second] = await Promise.all([
    Promise.all(
      having(first, 201)
        .slice(0, 4)
        .map(({ data }) => api.delete(`/v1/categories/${data.id}`)),
    ),
    times(20, (index) => api.post('/v1/categories', { name: `Second ${index}` })),
  ])
  assert.equal(having(deleted, 200).length, 4)
  assert.equal(having(second, 201, 403).length, 20)
  const count = 6 + having(second, 201).length
  assert.ok(count <= 10)
  assert.equal((await api.get('/v1/categories')).data.length, count)
  assert.equal(await counted(store.id), count)
})

test('10 requests for one status make one event', async () => {
  const shop = await newShop(world)
  const { id } = await shop.order(await shop.product())
  const answers = await times(10, () => shop.api.patch(`/v1/orders/${id}`, { status: 'confirmed' }))
  assert.equal(having(answers, 200).length, 10)
  assert.deepEqual(
    (await shop.events()).map(({ event }) => event),
    ['order.updated'],
  )
})

test('one Idempotency-Key 50 times in parallel has one effect and one answer', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 100 })
  const order = () =>
    shop.api.post('/v1/orders', { items: [sold(mug, 2)], customer_email: 'ana@example.com' }, key('once'))
  const answers = await times(50, order)
  const [first, ...same] = having(answers, 201)
  assert.equal(having(answers, 409).length, 49 - same.length)
  for (const { error } of having(answers, 409)) {
    assert.equal(error.message, 'A request with the same Idempotency-Key is still being processed')
  }
  const again = await order()
  for (const { body, headers } of [...same, again]) {
    assert.deepEqual(body, first!.body)
    assert.equal(headers.get('location'), first!.headers.get('location'))
  }
  const served = [...having(answers, 201), again].filter(({ headers }) => headers.get('idempotent-replayed') === null)
  assert.equal(served.length, 1)
  assert.equal(await shop.stockOf(mug), 98)
  assert.deepEqual((await shop.events()).map(({ event }) => event).sort(), ['customer.created', 'order.created'])
  await assertSums(world, shop)
})

test('one Idempotency-Key for two requests at once serves one of them', async () => {
  const { api, events } = await world.newStore()
  const answers = await times(20, (index) =>
    api.post('/v1/products', { name: index % 2 ? 'Odd' : 'Even', price: 1 }, key('two')),
  )
  const made = having(answers, 201)
  assert.equal(new Set(made.map(({ data }) => data.id)).size, 1)
  assert.equal(having(answers, 409, 422).length, 20 - made.length)
  assert.equal((await events()).length, 1)
})

test('a refused request keeps no Idempotency-Key: once it can be done, it is done once', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 0 })
  const order = () => shop.api.post('/v1/orders', { items: [sold(mug)] }, key('later'))
  const refused = await times(10, order)
  assert.equal(having(refused, 409, 422).length, 10)
  dataOf(await shop.api.patch(`/v1/inventory/products/${mug.id}`, { quantity: 5 }), 200)
  const done = await times(10, order)
  assert.ok(having(done, 201).length > 0)
  assert.equal(having(done, 201, 409).length, 10)
  assert.equal(await shop.stockOf(mug), 4)
})

test('what is deleted while others refer to it makes no 5xx and leaves no wrong sum', async () => {
  const shop = await newShop(world)
  for (let round = 0; round < 5; round++) {
    const category = dataOf(await shop.api.post('/v1/categories', { name: `Round ${round}` }), 201)
    const mug = await shop.product({ category_id: category.id }),
      shirt = await shop.variants()
    const [red, blue] = shirt.variants
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => [
        shop.api.post('/v1/products', { name: 'New', price: 1, category_id: category.id }),
        shop.api.post('/v1/orders', { items: [sold(mug), sold(shirt, 1, { variant_id: red.id })] }),
        shop.api.patch(`/v1/inventory/products/${mug.id}`, { quantity: 3 }),
        shop.api.patch(`/v1/inventory/products/${shirt.id}`, { quantity: 3, variant_id: blue.id }),
        shop.api.patch(`/v1/products/${mug.id}`, { name: 'Other', stock_quantity: 9 }),
        shop.api.patch(`/v1/products/${shirt.id}`, { variants: [{ ...blue, stock_quantity: 8 }] }),
        shop.api.get(`/v1/products/${shirt.id}`),
      ]).flat(),
      shop.api.delete(`/v1/categories/${category.id}`),
      shop.api.delete(`/v1/products/${mug.id}`),
      ...(round % 2 ? [shop.api.delete(`/v1/products/${shirt.id}`)] : []),
    ])
    for (const { status, error } of answers) assert.ok(status < 500, JSON.stringify(error))
  }
  const { data, body } = await shop.api.get('/v1/products?status=all&per_page=100')
  assert.equal(body.pagination.total, data.length)
  await assertSums(world, shop)
})

// path, the unique field, and a body but for it
const renamed: [path: string, field: string, body: object][] = [
  ['/v1/categories', 'name', {}],
  ['/v1/categories', 'slug', { name: 'Hats' }],
  ['/v1/products', 'slug', { name: 'Mug', price: 1 }],
  ['/v1/discounts', 'code', { type: 'percentage', value: 10 }],
  ['/v1/store/shipping-rates', 'code', { name: 'Parcel', price: 5 }],
  ['/v1/store/payment-methods', 'code', { name: 'Cheque' }],
]

for (const [path, field, body] of renamed) {
  test(`two of ${path} that swap their ${field}, 40 times at once, end in 200 or 409`, async () => {
    const { api, store } = await world.newStore()
    const names = field === 'code' ? ['first-one', 'second-one'] : ['first', 'second']
    const [first, second] = await Promise.all(
      names.map((name, index) =>
        api.post(path, { ...body, ...(field === 'slug' ? { name: `Hats ${index}` } : {}), [field]: name }),
      ),
    )
    const answers = await atOnce(tableOf(path), store.id, () =>
      times(40, (index) => {
        const [own, other] = index % 2 ? [first, second] : [second, first]
        return api.patch(`${path}/${own!.data.id}`, { [field]: other!.data[field] })
      }),
    )
    assert.equal(having(answers, 200, 409).length, 40, answers.map(({ status }) => status).join())
    const left = (await api.get(`${path}${path === '/v1/discounts' ? '?status=all' : ''}`)).data
    assert.equal(new Set(left.map((one: any) => one[field])).size, 2)
  })
}

function tableOf(path: string): string {
  return path.split('/').at(-1)!.replace('-', '_')
}

/** Holds the store's rows until all have asked for them, so that they meet. */
async function atOnce<T>(table: string, storeId: string, ask: () => Promise<T>): Promise<T> {
  let asked: Promise<T> | undefined
  await world.app.db.transaction(async (tx) => {
    await tx.rows(sql`select from ${raw(table)} where store_id = ${storeId} for update`)
    asked = ask()
    await tx.rows(sql`select pg_sleep(0.1)`)
  })
  return asked!
}

test('stores that take the slugs of each other, 40 times at once, are told 200 or 409', async () => {
  const stores = await times(2, () => world.newStore())
  const slugs = stores.map(({ store }) => store.slug)
  const answers = await times(40, (index) =>
    stores[index % 2]!.api.patch('/v1/store', { slug: slugs[1 - (index % 2)] }),
  )
  assert.equal(having(answers, 200, 409).length, 40, answers.map(({ status }) => status).join())
})

test('an order of a customer who is deleted meanwhile is refused, or finds them anew, and makes no 5xx', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 1000 })
  for (let round = 0; round < 4; round++) {
    const email = `ana${round}@example.com`
    const { id } = dataOf(await shop.api.post('/v1/customers', { name: 'Ana', email }), 201)
    const [deleted, ...answers] = await Promise.all([
      times(3, () => shop.api.delete(`/v1/customers/${id}`)),
      ...Array.from({ length: 12 }, () => [
        shop.api.post('/v1/orders', { items: [sold(mug)], customer_id: id }),
        shop.api.post('/v1/orders', { items: [sold(mug)], customer_email: email }),
      ]).flat(),
    ])
    assert.deepEqual([having(deleted, 200).length, having(deleted, 404).length], [1, 2])
    answers.forEach(({ status, error }, index) => {
      assert.ok(status === 201 || (status === 422 && index % 2 === 0), JSON.stringify(error))
      if (error) assert.deepEqual(error.details, [{ field: 'customer_id', message: 'does not exist' }])
    })
  }
  await assertSums(world, shop)
})

/** How many categories the plan's limit is compared with. */
async function counted(storeId: string): Promise<number> {
  const { categories } = await world.app.db.one<any>(sql`
    select categories
    from store_counters
    where store_id = ${storeId}`)
  return categories
}
