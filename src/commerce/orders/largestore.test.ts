// A store of many products, orders or customers is searched by trigrams, and finds what any other store finds.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { openWorld, type TestStore } from '../../../test/world.ts'

const world = await openWorld()
const { db } = world.app

const names = ['Canvas backpack', 'Backpack 1995', 'Brass lamp', 'Café crème cup', 'Lamp-shade', '50% off_mug']
const people = [
  { name: 'Ana Nuñez', email: 'ana.nunez@example.com', phone: '+52 (55) 1234-5678' },
  { name: 'Jürgen Öst', email: 'j_ost@mail.example', phone: '030 1234 99' },
  { name: 'Li Wei', email: 'li%wei@example.com', phone: '5512345678' },
  { name: 'Ana', email: null, phone: '+1 650 253 0000' },
  { name: '李伟', email: 'wei@example.org', phone: null },
]

/** `fill` creates what the terms find; the counter makes the store a large one. */
type Case = { fill: (shop: TestStore) => Promise<void>; counter: string; terms: string[]; trigrams: string }

const cases: Record<string, Case> = {
  products: {
    async fill({ api }) {
      for (const [index, name] of names.entries()) {
        const variants =
          index % 2 === 0 ? [{ option_values: [{ option_title: 'Colour', value: 'Red' }], sku: `RED-9${index}` }] : []
        const { status } = await api.post('/v1/products', { name, price: 5, sku: `SKU-7${index}`, variants })
        assert.equal(status, 201)
      }
    },
    counter: 'products_archived',
    terms: ['backpack', 'BACKPACK 19', 'lamp', 'p-s', 'am', 'creme', 'crème', '50%', 'f_m', 'sku-7', 'red-9', 'none'],
    trigrams: "variants.search_text <> ''",
  },
  customers: {
    async fill({ api }) {
      for (const person of people) assert.equal((await api.post('/v1/customers', person)).status, 201)
    },
    counter: 'customers',
    terms: [
      'ana',
      'NUNEZ',
      'nuñez',
      'an',
      'j_o',
      'i%w',
      '@example',
      '(55) 12',
      '1234',
      '5512345678',
      '李',
      'none',
      '99',
    ],
    trigrams: 'customers.search_text like',
  },
  orders: {
    async fill({ api }) {
      for (const customer of people) {
        const items = [{ product_name: 'X', unit_price: 5, quantity: 1 }]
        assert.equal((await api.post('/v1/orders', { items, customer })).status, 201)
      }
    },
    counter: 'orders',
    terms: ['ana', 'NUNEZ', 'an', 'j_o', 'i%w', '@example', '(55) 12', '1234', '5512345678', '1002', '#1003', 'none'],
    trigrams: 'orders.search_text like',
  },
}

for (const [noun, { fill, counter, terms, trigrams }] of Object.entries(cases)) {
  test(`the same ${noun} are found by trigrams as by their texts`, async () => {
    const shop = await world.newStore()
    await fill(shop)
    const found = async () => {
      const texts = statements()
      const lists = []
      for (const term of terms) {
        const { data, body } = await shop.api.get(`/v1/${noun}?search=${encodeURIComponent(term)}`)
        lists.push([term, data.map(({ id }: { id: string }) => id), body.pagination.total])
      }
      return { lists, byTrigrams: texts().some((text) => text.includes(trigrams)) }
    }
    const before = await found()
    assert.ok(before.lists.filter(([, list]) => list.length > 0).length > 8)
    assert.ok(!before.byTrigrams)
    const { rows } = await db.pool.query(`select ${counter} as count from store_counters where store_id = $1`, [
      shop.store.id,
    ])
    const setCount = (count: number) =>
      db.pool.query(`update store_counters set ${counter} = $2 where store_id = $1`, [shop.store.id, count])
    await setCount(20_000)
    world.clock.advance(5) // the store is read again
    const after = await found()
    assert.deepEqual(after.lists, before.lists)
    assert.ok(after.byTrigrams)
    await setCount(rows[0].count)
  })
}

/** What is prepared from here on. */
function statements(): () => string[] {
  const { prototype } = pg.Connection as unknown as { prototype: Record<'parse', (message: { text: string }) => void> }
  const parses = mock.method(prototype, 'parse', prototype.parse)
  return () => {
    const texts = parses.mock.calls.map(({ arguments: [{ text }] }) => text)
    parses.mock.restore()
    return texts
  }
}
