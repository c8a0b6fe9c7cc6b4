// A file in a real browser: added in the dashboard, bought and downloaded in the shop, and renewed by staff.
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { ana, drawing, fill, fillShop, phone, place, textOf, visiting } from './casa-nogal.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()
const shots = process.env.SHOTS
const manual = 'Fill it, and put it on the stove.'

for (const [name, look] of [
  ['with a script on a desktop', { width: 1280 }],
  ['without a script on a phone', { ...phone, javaScript: false }],
] as const) {
  test(`a file is added, bought, downloaded and renewed ${name}`, async () => {
    const hasScript = !('javaScript' in look)
    const { page, base, heard, ana: merchant } = await enterAs(world, look)
    await page.context().route('https://images.example/**', (route) => route.fulfill(drawing))
    const shop = await fillShop(world, merchant.store)
    const seen = async (step: string, where: Page = page) => {
      if (shots) await where.screenshot({ path: `${shots}/downloads-${look.width}-${step}.png`, fullPage: true })
      if (hasScript) assert.deepEqual(await accessibilityFaults(where), [], step)
      assert.equal(await where.evaluate('document.documentElement.scrollWidth > innerWidth'), false, step)
    }
    dataOf(await shop.api.patch('/v1/downloads/settings', { max_downloads: 1 }), 200)

    await page.goto(`${base}/products/${shop.mug.id}`)
    await page.getByRole('link', { name: 'Manage downloads' }).click()
    await page.waitForURL(/\/downloads$/)
    const content = { name: 'Manual.txt', mimeType: 'text/plain', buffer: Buffer.from(manual) }
    await page.locator('[type=file]').setInputFiles(content)
    await page.getByRole('button', { name: 'Add file' }).click()
    await page.getByText('File added').first().waitFor()
    await page.locator('textarea[name=keys]').fill('AAAA-1111\nBBBB-2222')
    await page.getByRole('button', { name: 'Add keys' }).click()
    await page.getByText('2 keys added').first().waitFor()
    await page.getByRole('button', { name: 'Let an app make the keys' }).click()
    await page.getByText('An app that receives downloads.keys_missing makes keys').waitFor()
    await seen('product')
    await page.getByRole('button', { name: 'Paste keys instead' }).click()
    await page.getByText('Does an app of yours make the keys?').waitFor()

    let orderUrl = ''
    const download = async (visitor: Page) => {
      const begun = visitor.waitForEvent('download')
      await visitor.getByRole('button', { name: 'Download: Manual.txt' }).click()
      const file = await begun
      assert.equal(file.suggestedFilename(), 'Manual.txt')
      assert.equal(await text(await file.createReadStream()), manual)
    }
    await visiting({ ...look, locale: 'en-US' }, async (visitor) => {
      await visitor.goto(`${shop.url}/products/enamel-mug`)
      await visitor.locator('#add').click()
      await visitor.locator('form.cart').waitFor()
      await visitor.goto(`${shop.url}/cart`)
      await visitor.locator('button[value=checkout]').click()
      await visitor.waitForURL(/\/checkout$/)
      await fill(visitor, ana)
      await visitor.locator('[name=payment_method][value=card]').check()
      await place(visitor)
      assert.match(await textOf(visitor, 'main'), /Your downloads Manual\.txt Enamel mug 1 download left · until/)
      assert.match(await textOf(visitor, 'main'), /AAAA-1111/)
      await seen('thanks', visitor)
      await download(visitor)
      await visitor.reload()
      assert.match(await textOf(visitor, 'main'), /This file was downloaded once, as often as it could be\./)
      await seen('used-up', visitor)
      orderUrl = visitor.url()
    })

    const [order] = (await shop.api.get('/v1/orders')).data
    await page.goto(`${base}/orders/${order.id}`)
    await page.getByText('Manual.txt · Used up · 1 of 1 downloads').waitFor()
    await seen('order')
    await page.getByRole('link', { name: 'Manage downloads' }).click()
    await page.getByRole('button', { name: 'Renew: Manual.txt' }).click()
    await page.getByText('Download renewed').first().waitFor()
    await seen('renewed')

    await visiting({ ...look, locale: 'en-US' }, async (visitor) => {
      await visitor.goto(orderUrl)
      await download(visitor)
    })
    await page.getByRole('button', { name: 'End: Manual.txt' }).click()
    await page.getByRole('button', { name: 'End', exact: true }).last().click()
    await page.getByText('Download ended').first().waitFor()
    await page.goto(`${base}/settings/downloads`)
    await page.getByLabel('Days').fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').first().waitFor()
    await seen('settings')
    const settings = { max_downloads: 1, days: null, key_product_ids: [] }
    assert.deepEqual(dataOf(await shop.api.get('/v1/downloads/settings'), 200), settings)
    assert.deepEqual(heard, [])
  })
}
