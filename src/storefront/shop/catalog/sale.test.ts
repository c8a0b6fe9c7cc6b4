// Automatic discounts on the cards and pages of products.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf } from '../../../../test/shop.ts'
import { openWorld, type TestStore } from '../../../../test/world.ts'

const world = await openWorld()
const hour = 3600

const inHours = (hours: number) => new Date(world.clock.now().getTime() + hours * hour * 1000).toISOString()
const textOf = async ({ store }: TestStore, path = '') => (await fetch(`${world.url}/s/${store.slug}${path}`)).text()

/** The badge of each card by the name of its product. */
const badgesIn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<li class="card[^]*?<\/li>/g)].map(([card]) => [
      /<h2>([^<]*)/.exec(card)![1],
      /class="badge">([^<]*)/.exec(card)?.[1] ?? '',
    ]),
  )

test('a product that an automatic discount covers is on sale while it lasts, on its card and its page', async () => {
  const shop = await world.newStore()
  const make = async (body: object) => dataOf(await shop.api.post('/v1/products', { price: 10, ...body }), 201)
  const mug = await make({ name: 'Mug', slug: 'mug' })
  const cup = await make({ name: 'Cup', compare_price: 20 })
  await make({ name: 'Bowl', slug: 'bowl' })
  const times = { starts_at: inHours(1), expires_at: inHours(2) }
  const scope = { applies_to_all: false, applicable_product_ids: [mug.id, cup.id] }
  const discount = { code: 'AUTUMN', type: 'percentage', value: 10, is_automatic: true, ...scope, ...times }
  dataOf(await shop.api.post('/v1/discounts', discount), 201)
  const off = { Mug: '', Cup: '−50%', Bowl: '' }
  // Asked twice, the answer is kept.
  for (let turn = 0; turn < 2; turn++) assert.deepEqual(badgesIn(await textOf(shop)), off)
  world.clock.advance(hour + 60)
  for (let turn = 0; turn < 2; turn++) assert.deepEqual(badgesIn(await textOf(shop)), { ...off, Mug: 'Sale' })
  assert.match(await textOf(shop, '/products/mug'), /A discount is applied at checkout/)
  assert.doesNotMatch(await textOf(shop, '/products/bowl'), /A discount is applied at checkout/)
  world.clock.advance(hour)
  assert.deepEqual(badgesIn(await textOf(shop)), off)
})
