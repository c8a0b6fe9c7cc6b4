// Amounts of grids have the decimals of their currency.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dataOf, red } from '../../../../../test/shop.ts'
import { staffOf } from '../../../../../test/staff.ts'
import { openWorld } from '../../../../../test/world.ts'

const world = await openWorld()

const currencies = [
  { currency: 'USD', price: 10, own: 12.5, texts: ['10.00', '12.50'] },
  { currency: 'JPY', price: 10, own: 12, texts: ['10', '12'] },
  { currency: 'KWD', price: 10, own: 12.5, texts: ['10.000', '12.500'] },
]

test('the grids of products, variants and draft orders show amounts with the decimals of the currency', async () => {
  for (const { currency, price, own, texts } of currencies) {
    const shop = await world.newStore({ currency })
    const { api } = shop
    const ana = await staffOf(world, [shop], 'staff')
    const variants = [{ price: own, option_values: [red] }]
    const product = dataOf(await api.post('/v1/products', { name: 'Shirt', price, variants }), 201)
    const items = [{ product_name: 'Card', unit_price: own, quantity: 1 }]
    const draft = dataOf(await api.post('/v1/draft-orders', { items }), 201)
    const base = `/${shop.store.id}`
    const valueOf = async (path: string, name: string) => {
      const [input] = new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec((await ana.get(base + path)).text) ?? []
      return /value="([^"]*)"/.exec(input ?? '')?.[1]
    }
    const bulk = async (name: string) => valueOf('/products/bulk', name)
    assert.deepEqual(
      [await bulk(`products.${product.id}.price`), await bulk(`variants.${product.variants[0].id}.price`)],
      texts,
    )
    assert.equal(await valueOf(`/products/${product.id}`, 'variants.0.price'), texts[1])
    assert.equal(await valueOf(`/orders/drafts/${draft.id}`, 'lines.0.price'), texts[1])
  }
})
