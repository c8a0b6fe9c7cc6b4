// No text of the dashboard is longer than its place: every screen fits the smallest phone in every language.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { screens } from '../../src/dashboard/screens/screens.ts'
import { languages } from '../../src/kit/values/language.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'
import { openOauthWorld } from '../oauth.ts'

const world = await openOauthWorld()

/** Screens that differ from another one in their texts alone. */
const alike = /^\/(settings\/mail\/(?!log|order-paid)|shop\/(policies\/(?!terms)|languages\/(?!fr)))/

for (const language of languages) {
  test(`every screen fits 320 pixels in ${language}`, async () => {
    const { page, ana, base } = await enterAs(world, { width: 320, locale: language })
    const { api } = ana.store
    const line = { product_name: 'Mug', unit_price: 20, quantity: 2 }
    const { id } = dataOf(await api.post('/v1/orders', { customer_name: 'Ben', items: [line] }), 201)
    const product = dataOf(await api.post('/v1/products', { name: 'Mug', price: 20, track_inventory: true }), 201)
    const customer = dataOf(await api.post('/v1/customers', { name: 'Ben', email: 'ben@example.com' }), 201)
    const paths = screens.filter(({ params, path }) => !params && !alike.test(path)).map(({ path }) => path)
    const tooWide: string[] = []
    for (const path of [
      ...paths,
      `/orders/${id}`,
      `/products/${product.id}`,
      `/customers/${customer.id}`,
      `/orders/print?ticked=${id}&what=invoice`,
    ]) {
      await page.goto(base + path)
      await page.locator('main details').evaluateAll((all: any[]) => all.forEach((one) => (one.open = true)))
      const excess = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      if (Number(excess) > 0) tooWide.push(`${path}: ${excess} px`)
    }
    assert.equal(await page.locator('html').getAttribute('lang'), language)
    assert.deepEqual(tooWide, [])
  })
}
