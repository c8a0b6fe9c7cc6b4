// A courier's app quotes a shipping rate: staff set it up, a shopper sees its price and pays it, and it may fail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { testAuthority, type Answer } from '../receiver.ts'
import { running } from '../strangers.ts'
import { ana, fill, fillShop, ordersOf, place, textOf, toCheckout, visiting } from './casa-nogal.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld({
  environment: { WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
  network: { ca: testAuthority.ca },
})

const answering = (body: object) => (): Answer => ({ body: JSON.stringify(body) })
const shots = process.env.SHOTS

for (const [name, look] of [
  ['with a script on a desktop', { width: 1280 }],
  ['without a script on a phone', { width: 390, javaScript: false }],
] as const) {
  test(`an app's price is set up, seen and paid, and falls back where the app fails, ${name}`, async () => {
    const courier = await running({ answer: answering({ price: 7.5, name: 'By bicycle', min_days: 1, max_days: 2 }) })
    const { page, ana: owner, base, heard } = await enterAs(world, look)
    const shop = await fillShop(world, owner.store)
    const [rate] = (await shop.api.get('/v1/store/shipping-rates')).data
    for (const { id } of (await shop.api.get('/v1/store/shipping-rates')).data.slice(1))
      await shop.api.patch(`/v1/store/shipping-rates/${id}`, { is_active: false })
    await page.goto(`${base}/settings/checkout/shipping/${rate.id}`)
    await page.locator('main details').evaluateAll((all: any[]) => all.forEach((one) => (one.open = true)))
    await page.locator('[name=quote_url]').fill(`${courier.url}/quote`)
    await page.getByRole('button', { name: 'Save', exact: true }).first().click()
    await page.locator('#said').getByText('Saved').first().waitFor()
    const newSecret = page.getByRole('button', { name: 'New secret' })
    await newSecret.last().click()
    await page.getByRole('heading', { name: 'Make a new signing secret?' }).waitFor()
    await newSecret.last().click()
    await page
      .getByText(/[0-9a-f]{64}/)
      .first()
      .waitFor()
    if (shots) await page.screenshot({ path: `${shots}/quotes-secret-${look.width}.png`, fullPage: true })
    await visiting(look, async (visitor) => {
      await toCheckout(visitor, shop)
      await fill(visitor, ana)
      await visitor.getByRole('radio', { name: 'Cash on delivery' }).check()
      await visitor.locator('#shipping').getByText('By bicycle').waitFor()
      assert.match(await textOf(visitor, '#shipping'), /7\.50/)
      assert.deepEqual(await accessibilityFaults(visitor), [])
      if (shots) await visitor.screenshot({ path: `${shots}/quotes-checkout-${look.width}.png`, fullPage: true })
      // Without a script the whole address comes with the order, and another price is shown before it is charged.
      courier.answer = answering(look.width === 390 ? { price: 8, name: 'By tram' } : { price: 99 })
      if (look.width === 390) {
        await visitor.locator('#place').click()
        await visitor.locator('#shipping').getByText('By tram').waitFor()
      }
      await place(visitor)
      const [order] = await ordersOf(shop)
      assert.equal(order.shipping_cost, look.width === 390 ? 8 : 7.5)
    })
    courier.answer = () => ({ status: 500, body: '' })
    await visiting(look, async (visitor) => {
      await toCheckout(visitor, shop)
      await fill(visitor, ana)
      await visitor.getByRole('radio', { name: 'Cash on delivery' }).check()
      await place(visitor)
      const [order] = await ordersOf(shop)
      assert.equal(order.shipping_cost, rate.price)
    })
    await page.goto(`${base}/settings/checkout/shipping/${rate.id}`)
    await page.locator('main details').evaluateAll((all: any[]) => all.forEach((one) => (one.open = true)))
    await page.getByText('500').first().waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    if (shots) await page.screenshot({ path: `${shots}/quotes-rate-${look.width}.png`, fullPage: true })
    assert.deepEqual(heard, [])
  })
}
