// The form that edits an order, what is due of it, and the page that pays it, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

for (const look of [{ width: 320, locale: 'de-DE' }, { width: 1440 }, { width: 390, dark: true }]) {
  test(`an order is edited with a preview, and what is due is paid by the link (${look.width})`, async () => {
    const { page, base, heard, ana } = await enterAs(world, look)
    const { api } = ana.store
    const check = async (name: string) => {
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/edit-${look.width}-${name}.png`, fullPage: true })
      assert.deepEqual(await accessibilityFaults(page), [], name)
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, name)
    }
    dataOf(await api.post('/v1/store/payment-methods', { code: 'bank_transfer', instructions: 'IBAN DE00 1234' }), 201)
    dataOf(await api.post('/v1/store/payment-methods', { code: 'cod' }), 201)
    dataOf(await api.post('/v1/products', { name: 'Shirt', price: 20 }), 201)
    const items = [
      { product_name: 'Mug', unit_price: 10, quantity: 3 },
      { product_name: 'A'.repeat(160), unit_price: 5, quantity: 1 },
    ]
    const buyer = { customer_name: 'Eva Ruiz', customer_email: 'eva@example.com' }
    const order = dataOf(await api.post('/v1/orders', { items, ...buyer, payment_status: 'paid' }), 201)

    await page.goto(`${base}/orders/${order.id}/edit`)
    await check('form')
    await page.locator('[name="kept.0.quantity"]').fill('4')
    await page.locator('[name="find.items"]').fill('shirt')
    await page.locator('[name="find.items"]').press('Enter')
    await page.locator('[value="add.0"]').click()
    await page.locator('[name="items.0.quantity"]').waitFor()
    await page.locator('[name=rehearse]').click()
    await page.locator('#sums').waitFor()
    await check('preview')
    assert.equal((await api.get(`/v1/orders/${order.id}`)).data.total, 35)
    await page.locator('.send button').click()
    await page.waitForURL(`${base}/orders/${order.id}`)
    await check('due')
    assert.deepEqual((await api.get(`/v1/orders/${order.id}`)).data.amount_due, 30)

    const { url } = dataOf(await api.post(`/v1/orders/${order.id}/payment-link`, { send: false }), 200)
    await page.goto(world.url + new URL(url).pathname)
    await check('pay')
    await page.locator('[value=bank_transfer]').check()
    await page.locator('button.full').click()
    await page.waitForURL(/method=bank_transfer/)
    await check('instructions')
    await page.goto(world.url + new URL(url).pathname.replace(/\/pay$/, ''))
    await check('order')
    assert.deepEqual(heard, [])
  })
}
