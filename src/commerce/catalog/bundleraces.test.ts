// Prices of bundles while several of their parts, or the bundle and a part, change at once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statementsOf } from '../../../test/statements.ts'
import { dataOf, newShop, type Shop } from '../../../test/shop.ts'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld()
const rounds = 8

const patch = async ({ api }: Shop, { id }: any, body: object) =>
  dataOf(await api.patch(`/v1/products/${id}`, body), 200)
const batch = async ({ api }: Shop, body: object) => dataOf(await api.post('/v1/products/batch', body), 200)
const pricesOf = async ({ api }: Shop, ...products: any[]): Promise<number[]> =>
  Promise.all(products.map(async ({ id }) => dataOf(await api.get(`/v1/products/${id}`), 200).price))

/** Two parts, two bundles of both, and a product that has the second part as one of its variants. */
async function newSets(shop: Shop) {
  const mug = await shop.product({ price: 10 })
  const shirt = await shop.variants({ price: 20 })
  const [first, second] = shirt.variants
  const bundle_items = [
    { product_id: mug.id, quantity: 2 },
    { product_id: shirt.id, variant_id: first.id },
  ]
  const terms = { price: 1, bundle_discount_percentage: 10 }
  const set = await shop.product({ ...terms, bundle_items })
  const other = await shop.product({ ...terms, bundle_items: bundle_items.toReversed() })
  const ofOne = (option: string) => ({ option_values: [{ option_title: 'Size', value: option }] })
  const choice = await shop.product({
    ...terms,
    variants: [
      { ...ofOne('S'), bundle_items },
      { ...ofOne('L'), bundle_items: [{ product_id: mug.id, quantity: 9 }, bundle_items[1]] },
    ],
  })
  const assertPrices = async (mugPrice: number, shirtPrice: number, whose: string) => {
    const price = Math.round((2 * mugPrice + shirtPrice) * 90) / 100
    assert.deepEqual(await pricesOf(shop, set, other, choice), [price, price, price], whose)
  }
  const shirts = (price: number) => [{ id: first.id, price }, { id: second.id }]
  return { mug, shirt, first, set, other, choice, shirts, assertPrices }
}

test('a bundle costs what its parts do, however many of them change at once', async () => {
  const shop = await newShop(world)
  const { mug, shirt, first, shirts, assertPrices } = await newSets(shop)
  for (let round = 0; round < rounds; round++) {
    const [low, high] = [30 + round, 60 + round]
    await Promise.all([patch(shop, mug, { price: low }), patch(shop, shirt, { variants: shirts(high) })])
    await assertPrices(low, high, `two of one product, round ${round}`)
    await Promise.all([
      batch(shop, { products: [{ id: mug.id, price: high }] }),
      patch(shop, shirt, { variants: shirts(low) }),
    ])
    await assertPrices(high, low, `many beside one, round ${round}`)
    await Promise.all([
      batch(shop, { products: [{ id: mug.id, price: low }] }),
      batch(shop, { variants: [{ id: first.id, price: high }] }),
    ])
    await assertPrices(low, high, `many beside many, round ${round}`)
  }
})

test('a bundle that changes with a part costs what both then say', async () => {
  const shop = await newShop(world)
  const { mug, set } = await newSets(shop)
  const tray = await shop.product()
  const ofMug = (quantity: number) => [{ product_id: mug.id, quantity }]
  for (let round = 0; round < rounds; round++) {
    const price = 10 + round
    await patch(shop, set, { bundle_items: ofMug(1), bundle_discount_percentage: null, price: 1 })
    await Promise.all([patch(shop, mug, { price }), patch(shop, set, { bundle_discount_percentage: 50 })])
    assert.deepEqual(await pricesOf(shop, set), [price / 2], `a discount, round ${round}`)
    await Promise.all([
      batch(shop, { products: [{ id: mug.id, price: 40 }] }),
      patch(shop, set, { bundle_items: ofMug(2) }),
    ])
    assert.deepEqual(await pricesOf(shop, set), [40], `other parts, round ${round}`)
    // The price of a new part can change before the bundle includes it.
    const bundle_items = [{ product_id: tray.id }]
    await Promise.all([
      batch(shop, { products: [{ id: tray.id, price: 100 + price }] }),
      patch(shop, set, { bundle_items }),
    ])
    assert.deepEqual(await pricesOf(shop, set), [(100 + price) / 2], `a new part, round ${round}`)
    const [made] = await Promise.all([
      shop.product({ price: 1, bundle_items, bundle_discount_percentage: 50 }),
      batch(shop, { products: [{ id: tray.id, price: 200 + price }] }),
    ])
    assert.deepEqual(await pricesOf(shop, made), [(200 + price) / 2], `a new bundle, round ${round}`)
  }
})

test('a part that is archived or deleted while another changes leaves the price that of what is left', async () => {
  const shop = await newShop(world)
  for (let round = 0; round < rounds; round++) {
    const [mug, tray, pot] = [await shop.product(), await shop.product(), await shop.product()]
    const bundle_items = [mug, tray, pot].map(({ id }) => ({ product_id: id }))
    const set = await shop.product({ bundle_items, bundle_discount_percentage: 50 })
    await Promise.all([
      patch(shop, mug, { product_status: 'archived', price: 20 }),
      patch(shop, tray, { price: 40 }),
      batch(shop, { products: [{ id: pot.id, price: 60, product_status: 'archived' }] }),
    ])
    assert.deepEqual(await pricesOf(shop, set), [60], `archived, round ${round}`)
    await Promise.all([shop.api.delete(`/v1/products/${mug.id}`), patch(shop, tray, { price: 80 })])
    await patch(shop, tray, { price: 100 })
    assert.deepEqual(await pricesOf(shop, set), [80], `deleted, round ${round}`)
  }
})

test('many prices of bundles and their parts, changed in any order at once, all end', async () => {
  const shop = await newShop(world)
  const { mug, shirt, set, other, choice, shirts, assertPrices } = await newSets(shop)
  const products = [set, mug, other, choice].map(({ id }) => ({ id, price: 33 }))
  for (let round = 0; round < rounds; round++) {
    await Promise.all([
      batch(shop, { products }),
      batch(shop, { products: products.toReversed() }),
      patch(shop, shirt, { variants: shirts(10 + round) }),
      patch(shop, mug, { price: 33 }),
      patch(shop, set, { bundle_discount_percentage: 10 }),
    ])
    await assertPrices(33, 10 + round, `round ${round}`)
  }
})

test('a price of a product in no bundle takes one statement more where there are bundles', async () => {
  const shop = await newShop(world)
  const plain = await shop.product()
  const change = (price: number) => statementsOf(() => patch(shop, plain, { price }))
  const without = await change(11)
  await newSets(shop)
  assert.equal((await change(12)).length, without.length + 1)
})
