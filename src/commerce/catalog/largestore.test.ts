// A store of many products is searched by trigrams, and finds what any other store finds.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { sql } from '../../kit/database/sql.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()
const { db } = world.app

const names = ['Canvas backpack', 'Backpack 1995', 'Brass lamp', 'Café crème cup', 'Lamp-shade', '50% off_mug']
const terms = [
  'backpack',
  'BACKPACK 19',
  'lamp',
  'p-s',
  'am',
  'creme',
  'crème',
  '50%',
  'f_m',
  'sku-7',
  'red-9',
  'none',
  'ca',
]

test('the same products are found by trigrams as by their texts', async () => {
  const shop = await world.newStore()
  for (const [index, name] of names.entries()) {
    const variants =
      index % 2 === 0 ? [{ option_values: [{ option_title: 'Colour', value: 'Red' }], sku: `RED-9${index}` }] : []
    const { status } = await shop.api.post('/v1/products', { name, price: 5, sku: `SKU-7${index}`, variants })
    assert.equal(status, 201)
  }
  const found = async () => {
    const lists = []
    for (const term of terms) {
      const { data, body } = await shop.api.get(`/v1/products?search=${encodeURIComponent(term)}`)
      lists.push([term, data.map(({ name }: { name: string }) => name), body.pagination.total])
    }
    return lists
  }
  const before = await found()
  assert.ok(before.filter(([, list]) => list.length > 0).length > 8)
  await db.rows(sql`update store_counters set products_archived = 20000 where store_id = ${shop.store.id}`)
  world.clock.advance(5) // the store is read again
  const { prototype } = pg.Connection as unknown as { prototype: Record<'parse', (message: { text: string }) => void> }
  const parses = mock.method(prototype, 'parse', prototype.parse)
  assert.deepEqual(await found(), before)
  const texts = parses.mock.calls.map(({ arguments: [{ text }] }) => text)
  parses.mock.restore()
  assert.ok(texts.some((text) => text.includes("variants.search_text <> ''")))
})
