// Carts without goods to ship in a real browser: no address, no shipping, and taxed where they are billed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../chromium.ts'
import { dataOf } from '../shop.ts'
import { openWorld } from '../world.ts'
import {
  ana,
  fill,
  openShop,
  ordersOf,
  phone,
  place as placeOrder,
  refreshed,
  textOf,
  toCheckout,
  visiting,
} from './casa-nogal.ts'

const world = await openWorld()
const shots = process.env.SHOTS
const { 'customer.email': email, 'customer.name': name } = ana

for (const [how, look] of [
  ['with a script on a desktop', { width: 1280 }],
  ['without a script on a phone', { ...phone, javaScript: false }],
] as const) {
  test(`what is not shipped is bought without an address ${how}`, async () => {
    const hasScript = !('javaScript' in look)
    const shop = await openShop(world)
    const guide = { name: 'City guide', slug: 'city-guide', price: 9, requires_shipping: false }
    dataOf(await shop.api.post('/v1/products', guide), 201)
    const seen = async (step: string, page: Page) => {
      if (shots) await page.screenshot({ path: `${shots}/unshipped-${look.width}-${step}.png`, fullPage: true })
      if (hasScript) assert.deepEqual(await accessibilityFaults(page), [], step)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, step)
    }
    await visiting({ ...look, locale: 'en-US' }, async (page) => {
      await toCheckout(page, shop, 'city-guide')
      const shipping = page.locator('[name=shipping_method]')
      assert.deepEqual([await shipping.count(), await shipping.inputValue()], [1, 'digital'])
      assert.equal(await page.locator('[name="shipping_address.address"]').isVisible(), false)
      await seen('checkout', page)
      // A mug beside it is shipped.
      await toCheckout(page, shop)
      assert.equal(await page.locator('[name="shipping_address.address"]').isVisible(), true)
      assert.notEqual(await page.locator('[name=shipping_method]:checked').inputValue(), 'digital')
      await page.goto(`${shop.url}/cart`)
      await page.getByRole('button', { name: 'Remove Enamel mug' }).click()
      await page.locator('button[value=checkout]').click()
      await page.waitForURL(/\/checkout$/)
      await fill(page, { 'customer.email': email, 'customer.name': name })
      await page.locator('[name=payment_method][value=card]').check()
      await placeOrder(page)
      await seen('thanks', page)
      assert.match(await textOf(page, 'main'), /Card · paid Shipping Digital delivery Contact ana@example\.com/)
    })
    const [order] = await ordersOf(shop)
    assert.deepEqual([order.shipping_method, order.total, order.shipping_address], ['digital', 9, null])
  })

  test(`where taxes differ by country, what is not shipped is taxed where it is billed ${how}`, async () => {
    const shop = await openShop(world, { country_code: 'DE', currency: 'EUR' })
    for (const [country_code, rate] of [
      ['DE', 19],
      ['FR', 20],
    ])
      dataOf(await shop.api.post('/v1/store/tax-zones', { name: 'VAT', country_code, rate, included: false }), 201)
    const guide = { name: 'City guide', slug: 'city-guide', price: 10, requires_shipping: false }
    dataOf(await shop.api.post('/v1/products', guide), 201)
    await visiting({ ...look, locale: 'en-US' }, async (page) => {
      await toCheckout(page, shop, 'city-guide')
      const country = page.locator('[name="billing_address.country_code"]')
      const street = page.locator('[name="billing_address.address"]')
      assert.equal(await country.inputValue(), 'DE')
      // What was typed for a mug beside it stays.
      await toCheckout(page, shop)
      await page.locator('[name="shipping_address.address"]').fill('Alsterufer 1')
      await page.locator('[name="shipping_address.city"]').fill('Hamburg')
      await page.locator('[name="shipping_address.city"]').press('Enter')
      await page.waitForLoadState()
      await page.goto(`${shop.url}/cart`)
      await page.getByRole('button', { name: 'Remove Enamel mug' }).click()
      await page.getByRole('button', { name: 'Remove Enamel mug' }).waitFor({ state: 'detached' })
      await page.goto(`${shop.url}/checkout`)
      assert.deepEqual([await country.inputValue(), await street.inputValue()], ['DE', 'Alsterufer 1'])
      assert.match(await textOf(page, 'aside'), /1\.90/)
      if ('javaScript' in look) {
        await country.selectOption('FR')
        await page.locator('section#billing button[value=update]').first().click()
      } else {
        const swapped = refreshed(page)
        await country.selectOption('FR')
        await swapped
      }
      await page.getByText('€2.00').first().waitFor()
      if (shots) await page.screenshot({ path: `${shots}/unshipped-${look.width}-billing.png`, fullPage: true })
      await page.locator('[name=payment_method][value=card]').check()
      const place = { address: '8 rue des Ormes', city: 'Nantes', postal_code: '44000' }
      const billed = Object.fromEntries(Object.entries(place).map(([part, text]) => [`billing_address.${part}`, text]))
      await fill(page, { 'customer.email': email, 'customer.name': name, ...billed })
      await placeOrder(page)
    })
    const [order] = await ordersOf(shop)
    assert.deepEqual([order.tax_amount, order.total, order.billing_address.country_code], [2, 12, 'FR'])
  })
}
