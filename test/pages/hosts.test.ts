// Online stores on hosts of their own below SHOPS_HOST, in a real browser, which resolves every name below localhost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOauthWorld } from '../oauth.ts'
import { ana, fill, openShop, ordersOf, place, toCheckout, visiting } from './casa-nogal.ts'

const world = await openOauthWorld({ host: 'localhost', environment: { SHOPS_HOST: 'localhost' } })

async function openShopOnHost() {
  const shop = await openShop(world)
  const url = world.issuer.replace('localhost', `${shop.store.slug}.localhost`)
  return { ...shop, url }
}

test('a shopper buys on the host of a store, and its cookies go nowhere else', async () => {
  const [shop, other] = [await openShopOnHost(), await openShopOnHost()]
  assert.equal((await shop.api.get('/v1/store')).data.storefront_url, shop.url)
  await visiting({}, async (page) => {
    await toCheckout(page, shop)
    assert.equal(new URL(page.url()).origin, shop.url)
    assert.equal(await page.locator('link[rel=canonical]').count(), 0)
    await fill(page, ana)
    const cookies = await page.context().cookies()
    assert.deepEqual([...new Set(cookies.map(({ domain }) => domain))], [`${shop.store.slug}.localhost`])
    await page.goto(`${other.url}/cart`)
    await page.getByText('Your cart is empty').waitFor()
    await page.goto(`${shop.url}/checkout`)
    await fill(page, ana)
    await page.locator('[name=payment_method][value=cod]').check()
    await place(page)
    assert.equal(new URL(page.url()).origin, shop.url)
    const { pathname } = new URL(page.url())
    const elsewhere = await page.goto(other.url + pathname)
    assert.equal(elsewhere!.status(), 404)
    await page.goto(shop.url)
    assert.equal(await page.locator('link[rel=canonical]').getAttribute('href'), shop.url)
  })
  assert.equal((await ordersOf(shop)).length, 1)
})
