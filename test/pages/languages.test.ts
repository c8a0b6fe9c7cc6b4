// Every language on a phone: the longest words find room, and each page says in which language it is.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { languages } from '../../src/kit/values/language.ts'
import { shopTranslator } from '../../src/storefront/shop/frame/messages.ts'
import { accessibilityFaults } from '../chromium.ts'
import { openWorld } from '../world.ts'
import { ana, fill, openShop, textOf, visiting } from './casa-nogal.ts'

const world = await openWorld({ BASE_URL: 'http://shop.example' })

/** What reaches beyond the right edge of the page. */
function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { document, getComputedStyle } = globalThis as any
    const { clientWidth, scrollWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const beyond = [...document.querySelectorAll('body *')].filter((element) => {
      const { right, width } = element.getBoundingClientRect()
      return width > 1 && right > clientWidth + 1 && getComputedStyle(element).position !== 'absolute'
    })
    return beyond.map(({ outerHTML }) => outerHTML.slice(0, 100))
  })
}

async function look(page: Page, what: string): Promise<void> {
  assert.deepEqual(await overflowing(page), [], what)
  assert.deepEqual(await accessibilityFaults(page), [], what)
}

for (const [index, language] of languages.entries()) {
  test(`a purchase on a phone in ${language}: nothing overflows, and all of it can be read`, async () => {
    const shop = await openShop(world, { country_code: 'US' })
    const own = { default_language: language, languages: [...languages] }
    assert.equal((await shop.api.patch('/v1/store', own)).status, 200)
    await shop.api.patch('/v1/store/checkout', { company: 'optional', address_2: 'optional', tax_id: 'optional' })
    // The smallest phones, and the usual ones; by day and by night.
    const screen = { width: index % 2 === 0 ? 320 : 390, dark: index % 3 === 0, locale: language }
    await visiting(screen, async (page) => {
      await page.goto(shop.url)
      assert.equal(await page.locator('html').getAttribute('lang'), language)
      assert.equal(await page.locator('.languages a').count(), languages.length - 1)
      await look(page, 'home')
      await page.goto(`${shop.url}/search?q=nothing-like-that`)
      await look(page, 'search')
      await page.goto(`${shop.url}/products/shirt`)
      await look(page, 'product')
      await page.goto(`${shop.url}/products/enamel-mug`)
      await look(page, 'product')
      await page.locator('#add').click()
      await page.locator('form.cart').waitFor()
      await look(page, 'cart')
      await page.locator('button[value=checkout]').click()
      await page.waitForURL(/\/checkout$/)
      await look(page, 'checkout')
      await page.locator('#place').click()
      await page.waitForSelector('.fault')
      await look(page, 'checkout with faults')
      await fill(page, ana)
      await page.locator('[name=shipping_method][value=pickup]').check()
      await page.locator('[name=payment_method][value=bank_transfer]').check()
      await page.locator('#place').click()
      await page.waitForURL(/\/orders\//)
      await look(page, 'order')
      assert.equal(
        await textOf(page, 'h1'),
        shopTranslator(language)('thanks_to', { name: 'Ana' }).replace('\u00a0', ' '),
      )
      await page.goto(`${shop.url}/find-order`)
      await look(page, 'find order')
    })
  })
}
