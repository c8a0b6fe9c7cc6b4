// Counts the database exchanges of a new record, each of which waits for its answer.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { openWorld } from '../../../test/world.ts'
import { pick } from '../../kit/declare/row.ts'
import { toUuid } from '../../kit/values/ids.ts'
import { createCategory } from './categories.ts'
import { createCollection } from './collections.ts'
import { createProduct, updateProduct } from './operations.ts'
import { category } from './category.ts'
import { collection } from './collection.ts'
import { product, type ProductPatch } from './product.ts'

const world = await openWorld()
const actor = { kind: 'operator', id: 'cli' } as const

/** Each call of pg sends one message, with as many statements as travel together, and waits for its answer. */
async function exchangesOf(work: () => Promise<unknown>): Promise<number> {
  const counted = mock.method(pg.Client.prototype, 'query', pg.Client.prototype.query)
  try {
    await work()
    return counted.mock.callCount()
  } finally {
    counted.mock.restore()
  }
}

test('a record takes two exchanges with the database, also if the slug of its name is taken', async () => {
  const { store } = await world.newStore()
  const db = world.app.db.ofStore(store.id)
  const makers = {
    product: (name: string) =>
      db.transaction((tx) => createProduct(tx, store, product.create.read({ name, price: 5 }, store), actor)),
    category: (name: string) =>
      db.transaction((tx) => createCategory(tx, store, category.create.read({ name }, store))),
    collection: (name: string) =>
      db.transaction((tx) => createCollection(tx, store, collection.create.read({ name }, store))),
  }
  for (const [noun, make] of Object.entries(makers)) {
    // Statements become known.
    for (const name of ['First', 'Second', 'Third']) await make(name)
    assert.equal(await exchangesOf(() => make('Fourth')), 2, noun)
    assert.equal(await exchangesOf(() => make('Fourth!')), 2, noun)
  }
})

test('a change of a product takes two exchanges with the database, also if it changes nothing', async () => {
  const { store } = await world.newStore()
  const db = world.app.db.ofStore(store.id)
  const input = product.create.read({ name: 'Mug', price: 5 }, store)
  const { id } = await db.transaction((tx) => createProduct(tx, store, input, actor))
  const change = (price: number) =>
    db.transaction((tx) =>
      updateProduct(tx, store, toUuid('prod', id)!, product.patch.read({ price }, store) as ProductPatch, actor),
    )
  for (const price of [6, 7, 8]) await change(price)
  assert.equal(await exchangesOf(() => change(9)), 2)
  assert.equal(await exchangesOf(() => change(9)), 2)
})

test('the event of a change has the product as it is after the change', async () => {
  const { api, events } = await world.newStore()
  const { data: mug } = await api.post('/v1/products', { name: 'Mug', price: 5 })
  await events()
  const picture = (name: string) => ({ url: `https://images.example/${name}.jpg` })
  const patches = [
    { name: ' Blue  mug ', price: 7.005, slug: 'blue-mug' },
    { gallery: [picture('one'), picture('two')] },
    { gallery: [picture('two')], product_status: 'archived' },
    { main_image: 'https://images.example/three.jpg' },
    { main_image: null, product_status: 'active' },
    { variants: [{ option_values: [{ option_title: 'Size', value: 'L' }], stock_quantity: 3 }] },
  ]
  for (const patch of patches) {
    const { data } = await api.patch(`/v1/products/${mug.id}`, patch)
    const [{ event, body }] = (await events()) as [{ event: string; body: any }]
    assert.equal(event, 'product.updated')
    assert.deepEqual(body.product, pick(data, Object.keys(body.product)))
  }
})
