// The bell, the list of notifications and notifications of the browser in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()
const shots = process.env.SHOTS

for (const look of [{ width: 1440 }, { width: 320, dark: true, locale: 'es-MX' }]) {
  test(`the bell counts, and what it leads to has no barrier and fits the window (${look.width})`, async () => {
    const { page, base, ana, heard } = await enterAs(world, look)
    const { api } = ana.store
    world.clock.advance(1)
    const items = [{ product_name: 'Mug', unit_price: 20, quantity: 2 }]
    const low = { name: 'C'.repeat(160), price: 5, track_inventory: true, low_stock_threshold: 3, stock_quantity: 2 }
    dataOf(await api.post('/v1/orders', { items }), 201)
    dataOf(await api.post('/v1/products', low), 201)
    const check = async (name: string) => {
      if (shots) await page.screenshot({ path: `${shots}/bell-${look.width}-${name}.png`, fullPage: true })
      assert.deepEqual(await accessibilityFaults(page), [], name)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, name)
    }
    await page.goto(`${base}/notifications`)
    assert.equal(await page.locator('[data-unread]:visible').first().textContent(), '2')
    await page.locator('notify-permission:defined').waitFor()
    await check('list')
    await page.locator('main details.panel summary').click()
    await check('settings')
    await page.locator('main .head button').click()
    await page.locator('#said .done').waitFor()
    assert.equal(await page.locator('[data-unread]:visible').count(), 0)
    await check('read')
    assert.deepEqual(heard, [])
  })
}

test('what happens while a page is open is counted, and shown by the browser as one notification', async () => {
  const { page, base, ana } = await enterAs(world, { width: 1440 })
  const { api } = ana.store
  await page.addInitScript(`
    window.shown = []
    window.Notification = class extends EventTarget {
      static permission = 'granted'
      constructor(text) { super(); window.shown.push(text) }
    }`)
  const looked = () => page.waitForResponse((answer) => answer.url().endsWith('/notifications.json'))
  const first = looked()
  await page.goto(`${base}/orders`)
  await first
  await page.locator('live-bell:defined').waitFor()
  world.clock.advance(1)
  const items = [{ product_name: 'Mug', unit_price: 20, quantity: 2 }]
  for (let count = 0; count < 3; count++) dataOf(await api.post('/v1/orders', { items }), 201)
  const again = looked()
  await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
  await again
  await page.locator('[data-unread]:visible').getByText('3', { exact: true }).waitFor()
  const shown = (await page.evaluate('window.shown')) as string[]
  assert.equal(shown.length, 1)
  assert.match(shown[0]!, /^New order #\d+ \(\+2\)$/)
})
