// Counts the database exchanges of a new record, each of which waits for its answer.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { openWorld } from '../../../test/world.ts'
import { createCategory } from './categories.ts'
import { createCollection } from './collections.ts'
import { createProduct } from './operations.ts'
import { category } from './category.ts'
import { collection } from './collection.ts'
import { product } from './product.ts'

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

test('a record takes two exchanges with the database, and one more if the slug of its name is taken', async () => {
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
    assert.equal(await exchangesOf(() => make('Fourth!')), 3, noun)
  }
})
