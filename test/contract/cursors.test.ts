// A walk by cursor meets each record once, whatever changes meanwhile; each list by itself is in lists.test.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Route } from '../../src/kit/declare/route.ts'
import { portal } from '../../src/identity/account/routes.ts'
import { storefront } from '../../src/http/storefrontroutes.ts'
import { newShop, sold } from '../shop.ts'
import { openWorld, type TestStore } from '../world.ts'

const world = await openWorld()

type Each = (record: any) => Promise<unknown>

/** The records that a client meets, which does something with each before it asks for the next page. */
async function walk({ api }: Pick<TestStore, 'api'>, path: string, each: Each = async () => {}) {
  const met: any[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const { status, body }: { status: number; body: any } = await api.get(
      `${path}${path.includes('?') ? '&' : '?'}per_page=3&cursor=${cursor}`,
    )
    assert.equal(status, 200, JSON.stringify(body))
    for (const record of body.data) {
      met.push(record)
      await each(record)
    }
    cursor = body.pagination.next_cursor
  }
  return met
}

test('a walk whose loop changes what it filters by meets every record once', async () => {
  const shop = await newShop(world)
  const mug = await shop.product({ stock_quantity: 20 })
  for (let n = 0; n < 8; n++) await shop.order([sold(mug)])
  const met = await walk(shop, '/v1/orders?status=pending', ({ id }) =>
    shop.api.patch(`/v1/orders/${id}`, { status: 'confirmed' }),
  )
  assert.deepEqual(
    met.map(({ order_number }) => order_number),
    [1008, 1007, 1006, 1005, 1004, 1003, 1002, 1001],
  )
})

test('a walk meets what was there when it began once each, though records are added, changed and deleted', async () => {
  const shop = await newShop(world)
  const add = (name: string) => shop.api.post('/v1/customers', { name })
  for (const name of ['A', 'B', 'C', 'D', 'E', 'F', 'G']) await add(name)
  const met = await walk(shop, '/v1/customers', async ({ id, name }) => {
    world.clock.advance(1)
    await add(`${name}2`)
    await (name === 'D' ? shop.api.delete(`/v1/customers/${id}`) : shop.api.patch(`/v1/customers/${id}`, { name: '0' }))
  })
  assert.deepEqual(met.map(({ name }) => name).toSorted(), ['A', 'B', 'C', 'D', 'E', 'F', 'G'])
})

test('upwards, a walk meets the records that are added meanwhile too', async () => {
  const shop = await newShop(world)
  for (const name of ['A', 'B', 'C', 'D']) await shop.api.post('/v1/customers', { name })
  const met = await walk(shop, '/v1/customers?order=asc', async ({ name }) => {
    world.clock.advance(1)
    if (name === 'B') await shop.api.post('/v1/customers', { name: 'E' })
  })
  assert.deepEqual(
    met.map(({ name }) => name),
    ['A', 'B', 'C', 'D', 'E'],
  )
})

test('a cursor of another store is a place in time, and shows none of its records', async () => {
  const [one, other] = [await newShop(world), await newShop(world)]
  for (const { api } of [one, other]) for (const name of ['A', 'B', 'C']) await api.post('/v1/customers', { name })
  const { body } = await one.api.get('/v1/customers?cursor=&per_page=1')
  const { data } = await other.api.get(`/v1/customers?cursor=${body.pagination.next_cursor}`)
  const own = (await other.api.get('/v1/customers')).data.map(({ id }: any) => id)
  assert.ok(data.every(({ id }: any) => own.includes(id)))
})

const pagedLists = ({ routes }: { routes: readonly Route[] }) => routes.filter(({ list, beside }) => list && !beside)

test('every list takes a cursor', () => {
  const without = [storefront, portal].flatMap((table) =>
    pagedLists(table).filter(({ query }) => !Object.hasOwn(query!.schema.properties as object, 'cursor')),
  )
  assert.deepEqual(
    without.map(({ path }) => path),
    [],
  )
})

test('the lists of the storefront by cursor are those by page, in each language', async () => {
  const { api, store } = await newShop(world)
  await api.patch('/v1/store', { languages: ['en', 'es'] })
  const { data: category } = await api.post('/v1/categories', { name: 'Bags' })
  await api.post('/v1/categories', { name: 'Mugs' })
  const names = ['A', 'B', 'C', 'D', 'E']
  const products = []
  for (const name of names) {
    const { data } = await api.post('/v1/products', { name, price: 1, category_id: category.id })
    products.push(data.id)
  }
  for (const name of ['Spring', 'Autumn', 'Winter', 'Summer']) await api.post('/v1/collections', { name })
  const { data: collections } = await api.get('/v1/collections')
  await api.post(`/v1/collections/${collections[0].id}/products`, { product_ids: products })
  for (const title of ['A', 'B', 'C', 'D']) await api.post('/v1/pages', { title, is_published: true })
  for (const { path } of pagedLists(storefront)) {
    const at = `/storefront/${store.slug}${path.replace('{idOrSlug}', collections[0].slug)}`
    for (const query of ['', '?lang=es']) {
      const paged = await api.get(`${at}${query}`)
      const met = await walk({ api }, `${at}${query}`)
      const sorted = (records: any[]) => records.map(({ id }) => id).toSorted()
      assert.ok(paged.body.pagination.total >= 2, at)
      assert.deepEqual(sorted(met), sorted(paged.data), at)
    }
  }
})
