// Waiting for a sold-out product, in a real browser: the shopper asks, confirms and stops; the merchant counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toUuid } from '../../src/kit/values/ids.ts'
import { openShopLinks } from '../../src/tenancy/extensions/shoplinks.ts'
import { accessibilityFaults, openChromium, type Look } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()
const shots = process.env.SHOTS

const looks: Look[] = [{ width: 1280 }, { width: 390, dark: true, javaScript: false, locale: 'de-DE' }]

for (const look of looks) {
  test(`a shopper waits for a variant, and the merchant sees how many do (${look.width})`, async () => {
    const { page, ana, base, heard } = await enterAs(world, { ...look, javaScript: true, locale: 'en-US' })
    const { api, store } = ana.store
    const variants = ['Red', 'Blue'].map((value) => ({
      option_values: [{ option_title: 'Color', value }],
      stock_quantity: 0,
    }))
    const body = { name: 'Linen shirt', price: 40, track_inventory: true, variants, description: 'Washed linen.' }
    const shirt = dataOf(await api.post('/v1/products', body), 201)
    const context = await openChromium(look)
    const visitor = await context.newPage()
    const seen = async (name: string) => {
      if (shots) await visitor.screenshot({ path: `${shots}/backinstock-${look.width}-${name}.png`, fullPage: true })
      if (look.javaScript !== false) assert.deepEqual(await accessibilityFaults(visitor), [], name)
      assert.equal(await visitor.evaluate('document.documentElement.scrollWidth > innerWidth'), false, name)
    }
    const root = `${world.url}/s/${store.slug}`
    await visitor.goto(`${root}/products/${shirt.slug}`)
    await seen('product')
    await visitor.locator('#backinstock-variant').selectOption(shirt.variants[1].id)
    await visitor.locator('#backinstock-email').fill('ana@')
    await visitor.locator('form[action$="/backinstock"] button').click()
    await visitor.locator('#backinstock-email-fault').waitFor()
    await seen('wrong')
    await visitor.locator('#backinstock-email').fill('ana@example.com')
    await visitor.locator('form[action$="/backinstock"] button').click()
    await visitor.waitForURL(/backinstock\/sent/)
    await seen('sent')

    const [request] = dataOf(await api.get('/v1/backinstock/requests'), 200)
    assert.equal(request.variant_id, shirt.variants[1].id)
    const links = openShopLinks(world.app.vault, store.id, 'backinstock')
    await visitor.goto(`${root}/backinstock/${links.sign(toUuid('bis', request.id)!)}`)
    await seen('confirm')
    await visitor.locator('main form button').click()
    await visitor.locator('main h1').waitFor()
    await seen('confirmed')

    await page.goto(`${base}/inventory/waiting`)
    await page.getByRole('link', { name: 'Linen shirt' }).waitFor()
    await page.getByText('1 shopper').waitFor()
    if (shots) await page.screenshot({ path: `${shots}/backinstock-${look.width}-waiting.png`, fullPage: true })
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.goto(`${base}/settings/backinstock`)
    if (shots) await page.screenshot({ path: `${shots}/backinstock-${look.width}-settings.png`, fullPage: true })
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByLabel('Offer it on sold-out products').uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').first().waitFor()
    await visitor.goto(`${root}/products/${shirt.slug}`)
    assert.equal(await visitor.locator('#backinstock-email').count(), 0)
    assert.deepEqual(heard, [])
    await context.close()
  })
}
