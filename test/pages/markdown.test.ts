// Descriptions in Markdown: written with the toolbar and keys in a real browser, and shown in the shop.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()
const shots = process.env.SHOTS

for (const look of [{ width: 1440 }, { width: 320, dark: true, locale: 'de-DE' }]) {
  test(`the toolbar and keys write Markdown that is saved and read in the shop (${look.width})`, async () => {
    const { page, base, ana, heard } = await enterAs(world, look)
    const { api, store } = ana.store
    const { id, slug } = dataOf(await api.post('/v1/products', { name: 'Mug', price: 9 }), 201)
    await page.goto(`${base}/products/${id}`)
    const text = page.locator('textarea[name=description]')
    await text.focus()
    await page.locator('markdown-text:defined').waitFor()
    const value = () => text.inputValue()
    const choose = (mark: string) => page.locator(`[data-mark=${mark}]`).click()

    await text.fill('Made by hand')
    await text.press('ControlOrMeta+a')
    await text.press('ControlOrMeta+b')
    assert.equal(await value(), '**Made by hand**')
    await choose('bold')
    assert.equal(await value(), 'Made by hand')
    await choose('italic')
    assert.equal(await value(), '_Made by hand_')
    await text.press('ControlOrMeta+z')
    assert.equal(await value(), 'Made by hand')

    await text.fill('Care\nWash\nDry')
    await text.press('ControlOrMeta+a')
    await choose('list')
    assert.equal(await value(), '- Care\n- Wash\n- Dry')
    await choose('numbers')
    assert.equal(await value(), '1. Care\n2. Wash\n3. Dry')
    await choose('numbers')
    assert.equal(await value(), 'Care\nWash\nDry')
    await text.press('ControlOrMeta+Home')
    await choose('heading')
    assert.equal(await value(), '## Care\nWash\nDry')

    await text.press('ControlOrMeta+End')
    await text.pressSequentially(' well')
    await page.keyboard.down('Shift')
    for (let count = 0; count < 4; count++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.up('Shift')
    await choose('link')
    await page.keyboard.type('/pages/care')
    assert.equal(await value(), '## Care\nWash\nDry [well](/pages/care)')

    await page.locator('[data-mark=bold]').focus()
    await page.keyboard.press('ArrowLeft')
    assert.equal(await page.evaluate('document.activeElement.dataset.mark'), 'link')
    assert.deepEqual(await accessibilityFaults(page), [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    if (shots) await page.locator('markdown-text').screenshot({ path: `${shots}/markdown-${look.width}.png` })
    await page.locator('input[name=name]').press('Enter')
    await page.locator('#said .done').waitFor()

    await page.goto(`${world.url}/s/${store.slug}/products/${slug}`)
    const prose = page.locator('.prose')
    assert.equal(await prose.locator('h3').textContent(), 'Care')
    assert.equal(await prose.locator('a').getAttribute('href'), `/s/${store.slug}/pages/care`)
    assert.equal(await page.locator('meta[name=description]').getAttribute('content'), 'Care Wash Dry well')
    if (shots) await page.screenshot({ path: `${shots}/markdown-shop-${look.width}.png`, fullPage: true })
    assert.deepEqual(heard, [])
  })
}
