// Counts the database exchanges of a catalog page that is not in memory: the shop's own texts and what the page reads
// travel together. Variants are in the rows of their products.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import pg from 'pg'
import { openWorld } from '../../../test/world.ts'

const world = await openWorld({ CACHE_MAX_MB: '0' })

test('the home page and a product page take one exchange with the database each', async () => {
  const { store, api } = await world.newStore()
  const { data: category } = await api.post('/v1/categories', { name: 'Mugs' })
  const variants = ['S', 'L'].map((value) => ({ option_values: [{ option_title: 'Size', value }] }))
  const { data: mug } = await api.post('/v1/products', { name: 'Mug', price: 5, category_id: category.id, variants })
  // The featured one and the related one have variants too.
  await api.patch(`/v1/products/${mug.id}`, { is_featured: true })
  const { data: cup } = await api.post('/v1/products', { name: 'Cup', price: 5, category_id: category.id })
  for (const path of ['', `/products/${mug.slug}`, `/products/${cup.slug}`]) {
    const show = async () => {
      const page = await fetch(`${world.url}/s/${store.slug}${path}`)
      assert.equal(page.status, 200)
      assert.match(await page.text(), /Mug/)
    }
    // The store, its face and the statements are known then.
    for (let times = 0; times < 3; times++) await show()
    const { query } = pg.Client.prototype
    const counted = mock.method(pg.Client.prototype, 'query', query)
    await show()
    counted.mock.restore()
    const own = counted.mock.calls.filter((call) => JSON.stringify(call.arguments).includes(store.id))
    assert.equal(own.length, 1, path)
  }
})
