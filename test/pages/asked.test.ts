// Custom fields at checkout in a real browser: asked, refused, answered, and read on the order's page, in the dashboard
// and in the mail.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { addProduct, ana, drawing, fieldOf, fill, fillShop, phone, place, textOf, visiting } from './casa-nogal.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

const fields = [
  { key: 'gift_message', label: 'Gift message', description: 'Printed on a card' },
  { key: 'delivery_day', label: 'Delivery day', type: 'date' },
  { key: 'paper', label: 'Paper', type: 'choice', choices: ['Plain', 'Festive'], is_required: true },
  { key: 'floor', label: 'Floor', type: 'number' },
  { key: 'adult', label: 'I am over 18', type: 'boolean', is_required: true },
]

const answers = /Gift message For Mia Delivery day December 24, 2027 Paper Festive I am over 18 Yes/

for (const [name, look] of [
  ['with a script on a desktop', { width: 1200 }],
  ['without a script on a phone', { ...phone, javaScript: false }],
] as const) {
  test(`a shopper answers what the store asks, ${name}`, async () => {
    const desk = await enterAs(world, { width: look === phone ? 390 : 1200 })
    await desk.page.context().route('https://images.example/**', (route) => route.fulfill(drawing))
    const shop = await fillShop(world, desk.ana.store)
    for (const [position, field] of fields.entries()) {
      const definition = { applies_to: 'order', asked_at_checkout: true, position, ...field }
      dataOf(await shop.api.post('/v1/store/custom-fields', definition), 201)
    }
    const hasScript = !('javaScript' in look)
    await visiting({ ...look, locale: 'en-US' }, async (page) => {
      await addProduct(page, shop)
      await page.locator('button[value=checkout]').click()
      await page.waitForURL(/\/checkout$/)
      await fill(page, ana)
      await page.getByRole('radio', { name: 'Cash on delivery' }).check()
      await page.getByLabel('Gift message').fill('For Mia')
      await page.getByLabel('Delivery day').fill('2027-12-24')
      await page.getByLabel('Floor').fill('third')
      await page.locator('#place').click()
      await page.locator('[name="custom_fields.adult"][aria-invalid="true"]').waitFor()
      assert.match(
        await textOf(page, '#answers'),
        /Paper .*Fill in this field\..*Floor .*Enter a number\..*I am over 18 Tick this box to continue\./,
      )
      assert.equal(await page.getByLabel('Gift message').inputValue(), 'For Mia')
      assert.equal(await fieldOf(page, 'custom_fields.floor').inputValue(), 'third')
      if (hasScript) assert.deepEqual(await accessibilityFaults(page), [])
      await page.getByLabel('Paper').selectOption('Festive')
      await page.getByLabel('Floor').fill('')
      await page.getByRole('checkbox', { name: 'I am over 18' }).check()
      if (process.env.SHOTS)
        await page.screenshot({ path: `/tmp/asked-checkout-${look === phone ? 1 : hasScript}.png`, fullPage: true })
      await place(page)
      assert.match(await textOf(page, 'main'), answers)
      if (process.env.SHOTS) await page.screenshot({ path: `/tmp/asked-order-${hasScript}.png`, fullPage: true })
    })
    const [order] = (await shop.api.get('/v1/orders')).data
    assert.equal(order.custom_fields.length, 4)
    const { page, base } = desk
    await page.goto(`${base}/orders/${order.id}`)
    assert.match(await textOf(page, 'main'), answers)
    if (process.env.SHOTS) await page.screenshot({ path: `/tmp/asked-desk-${hasScript}.png`, fullPage: true })
    await page.goto(`${base}/orders/print?what=slip&ticked=${order.id}`)
    assert.match(await textOf(page, 'main'), answers)
    if (process.env.SHOTS) await page.screenshot({ path: `/tmp/asked-slip-${hasScript}.png`, fullPage: true })
    const mail = await shop.api.get(`/v1/store/mails/order_confirmation/preview?order=${order.id}`)
    assert.match(mail.data.text.replace(/\s+/g, ' '), /Gift message: For Mia .*I am over 18: Yes/)
    assert.deepEqual(desk.heard, [])
  })
}
