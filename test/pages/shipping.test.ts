// Shipping rates in a real browser: the price table of the dashboard, why a rate is not offered, and the checkout.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { addProduct, fill, ana, openShop, place, textOf, visiting } from './casa-nogal.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

for (const look of [
  { width: 1200, javaScript: true },
  { width: 390, javaScript: false },
]) {
  test(`a rate by weight is added with its table, and an address is tried (${look.width})`, async () => {
    const { page, ana: staff, base } = await enterAs(world, look)
    const { api } = staff.store
    await api.post('/v1/products', { name: 'Iron stove', price: 300, weight: 45_000 })
    await page.goto(`${base}/settings/checkout/shipping/new`)
    await page.locator('[name=price_by]').selectOption('weight')
    await page.locator('[name=price]').fill('5')
    await page.locator('[name="tiers.0.from"]').fill('2000')
    await page.locator('[name="tiers.0.price"]').fill('8,50')
    await page.locator('main .send button').click()
    await page.waitForURL(/checkout\/shipping$/)
    const [rate] = dataOf(await api.get('/v1/store/shipping-rates'), 200)
    assert.deepEqual(rate.tiers, [{ from: 2000, price: 8.5 }])
    await api.patch(`/v1/store/shipping-rates/${rate.id}`, { max_weight: 30_000 })
    await page.goto(`${base}/settings/checkout/shipping/${rate.id}`)
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.goto(`${base}/settings/checkout/shipping`)
    await page.getByRole('link', { name: 'Try an address' }).click()
    await page.locator('[name="find.items"]').fill('stove')
    if (look.javaScript === false) await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.locator('button[name=pick][value="add.0"]').click()
    await page.locator('button[name=pick][value="drop.0"]').waitFor()
    await page.locator('main .send button').click()
    await page.getByText('Takes up to 30000 g. The goods weigh 45000 g.').waitFor()
    assert.match(await textOf(page, 'main'), /Not offered/)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
  })
}

test('the checkout offers what the address allows, says when it arrives, and changes the rate', async () => {
  const shop = await openShop(world)
  const rates = (await shop.api.get('/v1/store/shipping-rates')).data
  for (const { id, code } of rates) {
    const patch = code === 'standard' ? { provinces: ['CA'], country_codes: ['US'], min_days: 2, max_days: 4 } : {}
    assert.equal((await shop.api.patch(`/v1/store/shipping-rates/${id}`, patch)).status, 200)
  }
  await visiting({ locale: 'en-US' }, async (page) => {
    await addProduct(page, shop)
    await page.locator('button[value=checkout]').click()
    await page.waitForURL(/\/checkout$/)
    assert.match(await textOf(page, '#shipping'), /Arrives \w+ \d+/)
    await fill(page, ana)
    await page.locator('#shipping [value=standard]').waitFor({ state: 'detached' })
    assert.equal(await page.locator('#shipping :checked').getAttribute('value'), 'express')
    await page.getByRole('radio', { name: 'Cash on delivery' }).check()
    await place(page)
  })
})
