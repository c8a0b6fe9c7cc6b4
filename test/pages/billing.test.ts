// A billing address in a real browser: from the checkout to the order's page, the dashboard and the invoice.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { addProduct, ana, drawing, fieldOf, fill, fillShop, phone, place, textOf, visiting } from './casa-nogal.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

const office = {
  'billing_address.company': 'Torres GmbH',
  'billing_address.address': 'Lange Str. 1',
  'billing_address.city': 'Kiel',
  'billing_address.postal_code': '24103',
}

for (const [name, look] of [
  ['with a script on a desktop', { width: 1200 }],
  ['with a script on a phone', phone],
  ['without a script on a phone', { ...phone, javaScript: false }],
] as const) {
  test(`an order is invoiced to another address, ${name}`, async () => {
    const desk = await enterAs(world, { width: look === phone ? 390 : 1200 })
    await desk.page.context().route('https://images.example/**', (route) => route.fulfill(drawing))
    const shop = await fillShop(world, desk.ana.store)
    const hasScript = !('javaScript' in look)
    await visiting({ ...look, locale: 'en-US' }, async (page) => {
      await addProduct(page, shop)
      await page.locator('button[value=checkout]').click()
      await page.waitForURL(/\/checkout$/)
      await fill(page, ana)
      await page.getByRole('radio', { name: 'Cash on delivery' }).check()
      const box = page.getByRole('checkbox', { name: 'Same as delivery address' })
      assert.equal(await box.isChecked(), true)
      assert.equal(await fieldOf(page, 'billing_address.city').count(), 0)
      await box.uncheck()
      if (!hasScript) await page.locator('#billing button').click()
      await fieldOf(page, 'billing_address.city').waitFor()
      if (hasScript) assert.deepEqual(await accessibilityFaults(page), [])
      await page.locator('#place').click()
      await page.locator('[name="billing_address.address"][aria-invalid="true"]').waitFor()
      // With faults, the page answers the script at once.
      const moved = hasScript ? page.waitForResponse((one) => one.request().method() === 'POST') : null
      await fieldOf(page, 'billing_address.country_code').selectOption('DE')
      await moved
      if (!hasScript) await page.locator('#billing button').last().click()
      await fill(page, office)
      await place(page)
      assert.match(await textOf(page, 'main'), /Billing address .*Torres GmbH Lange Str\. 1 24103 Kiel Germany/)
    })
    const [order] = (await shop.api.get('/v1/orders')).data
    assert.deepEqual([order.billing_address.city, order.shipping_address.city], ['Kiel', 'Springfield'])
    const { page, base } = desk
    await page.goto(`${base}/orders/${order.id}`)
    assert.match(await textOf(page, 'main'), /Billing address .*Torres GmbH Lange Str\. 1 24103 Kiel Germany/)
    await page.goto(`${base}/orders/print?what=invoice&ticked=${order.id}`)
    assert.match(await textOf(page, '.parties'), /Bill to .*Torres GmbH Lange Str\. 1 24103 Kiel Germany/)
    assert.doesNotMatch(await textOf(page, '.parties'), /Springfield/)
    assert.deepEqual(desk.heard, [])
  })
}

test('the billing address of an order is entered, refused, changed and taken away in its dialog', async () => {
  const {
    page,
    base,
    ana: { store: shop },
    heard,
  } = await enterAs(world, { width: 390 })
  const items = [{ product_name: 'Mug', quantity: 1, unit_price: 20 }]
  const { data: order } = await shop.api.post('/v1/orders', { customer_name: 'Ana Torres', items })
  const read = async () => (await shop.api.get(`/v1/orders/${order.id}`)).data.billing_address
  await page.goto(`${base}/orders/${order.id}`)
  const dialog = page.locator('#do-billing dialog')
  const open = () => page.locator('#do-billing > summary').click()
  const save = () => dialog.getByRole('button', { name: 'Save' }).click()
  await open()
  assert.deepEqual(await accessibilityFaults(page), [])
  for (const [name, value] of Object.entries(office)) await dialog.locator(`[name="${name}"]`).fill(value)
  await dialog.locator('[name="billing_address.country"]').fill('Atlantis')
  await dialog.locator('[name="billing_address.tax_id"]').fill('DE136695976')
  await save()
  await dialog.locator('[name="billing_address.country"][aria-invalid="true"]').waitFor()
  assert.equal(await read(), null)
  assert.equal(await dialog.locator('[name="billing_address.city"]').inputValue(), 'Kiel')
  await dialog.locator('[name="billing_address.country"]').fill('Germany')
  await save()
  await page.locator('#said').getByText('Saved').first().waitFor()
  assert.match(await textOf(page, 'main'), /Billing address .*Torres GmbH Lange Str\. 1 24103 Kiel Germany/)
  const { company, country_code, tax_id } = await read()
  assert.deepEqual([company, country_code, tax_id], ['Torres GmbH', 'DE', 'DE136695976'])
  await open()
  assert.equal(await dialog.locator('[name="billing_address.city"]').inputValue(), 'Kiel')
  for (const input of await dialog.locator('input:not([type=hidden])').all()) await input.fill('')
  await save()
  await page.getByText('Same as shipping address').waitFor()
  assert.equal(await read(), null)
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
  assert.deepEqual(
    heard.filter((one) => !one.includes('422')),
    [],
  )
})
