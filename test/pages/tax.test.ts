// What shoppers read taxes, from the product to the order.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openWorld } from '../world.ts'
import { addProduct, ana, fieldOf, fill, leave, openShop, place, textOf, toCheckout, visiting } from './casa-nogal.ts'

const world = await openWorld({ BASE_URL: 'http://shop.example' })

test('prices that contain the tax say so, and the order still says how much it was', async () => {
  const shop = await openShop(world)
  await shop.api.patch('/v1/store', { tax_rate: 16, tax_included: true, tax_shipping: true })
  await visiting({ locale: 'en-US' }, async (page) => {
    await page.goto(`${shop.url}/products/enamel-mug`)
    assert.match(await textOf(page, '#offer'), /Tax included/)
    await addProduct(page, shop)
    assert.match(await textOf(page, '#totals'), /Tax included\. Shipping and discounts are calculated at checkout\./)
    await page.locator('button[value=checkout]').click()
    await page.waitForURL(/\/checkout$/)
    await fill(page, ana)
    // 20.00 × 16 / 116
    assert.match(await textOf(page, '#summary'), /Includes \$2\.76 tax/)
    await page.getByRole('radio', { name: 'Cash on delivery' }).check()
    await place(page)
    assert.match(await textOf(page, '.summary'), /Total \$20\.00 Includes \$2\.76 tax/)
    await page.goto(`${page.url()}?lang=es`)
    assert.match(await textOf(page, '.summary'), /Incluye \$2\.76 de impuestos/)
  })
})

test('a store that adds its taxes shows them apart, and one without says nothing of them', async () => {
  const shop = await openShop(world)
  await visiting({ locale: 'en-US' }, async (page) => {
    await page.goto(`${shop.url}/products/enamel-mug`)
    assert.doesNotMatch(await textOf(page, '#offer'), /[Tt]ax/)
    await shop.api.post('/v1/store/tax-zones', { name: 'Sales tax', country_code: 'US', rate: 10 })
    await toCheckout(page, shop)
    assert.match(await textOf(page, '#summary'), /Tax \$1\.40 Total \$21\.40/)
    // Nothing is due where the store has no zone.
    await page.locator('[name="shipping_address.country_code"]').selectOption('MX')
    await page.getByText('Tax-exempt export').waitFor()
    assert.match(await textOf(page, '#summary'), /Total \$20\.00 Tax-exempt export/)
  })
})

test('several taxes of a place have a row each, or stand beside what the prices contain', async () => {
  const shop = await openShop(world)
  const components = [
    { name: 'GST', rate: 5 },
    { name: 'QST', rate: 9.975 },
  ]
  const zone = (await shop.api.post('/v1/store/tax-zones', { name: 'QC', country_code: 'US', components })).data
  await visiting({ locale: 'en-US' }, async (page) => {
    await toCheckout(page, shop)
    assert.match(await textOf(page, '#summary'), /GST 5% \$0\.70 QST 9\.975% \$1\.40 Total \$22\.10/)
    await shop.api.patch(`/v1/store/tax-zones/${zone.id}`, { included: true })
    await page.reload()
    assert.match(await textOf(page, '#summary'), /Includes \$1\.82 tax \(GST 5%: \$0\.61, QST 9\.975%: \$1\.21\)/)
  })
})

test('the number of a business of another EU country turns the tax into its own; a wrong one is marked', async () => {
  const shop = await openShop(world, { currency: 'EUR', country_code: 'DE' })
  await shop.api.patch('/v1/store', { tax_rate: 19, tax_included: true, tax_id: 'DE111111125' })
  await shop.api.patch('/v1/store/checkout', { tax_id: 'optional' })
  await shop.api.post('/v1/store/tax-zones', { name: 'TVA', country_code: 'FR', rate: 20 })
  await shop.api.post('/v1/store/shipping-rates', { code: 'van', name: 'Van', price: 6, country_codes: ['DE', 'FR'] })
  await visiting({ locale: 'en-US' }, async (page) => {
    await toCheckout(page, shop)
    await page.locator('[name="shipping_address.country_code"]').selectOption('FR')
    const { 'shipping_address.province': _, ...there } = ana
    await fill(page, there)
    // 20.00 × 20 / 120: in the EU, shipping bears the rate of the goods.
    await page.getByText('Includes €3.33 tax').waitFor()
    await page.getByRole('radio', { name: 'Van' }).check()
    await page.getByRole('radio', { name: 'Cash on delivery' }).check()
    await fieldOf(page, 'tax_id').fill('FR40303265046')
    await fieldOf(page, 'tax_id').blur()
    await page.locator('[name="tax_id"][aria-invalid="true"]').waitFor()
    assert.equal(await textOf(page, '#tax_id-fault'), 'Check your tax ID.')
    await leave(page, 'tax_id', 'FR40303265045')
    await page.getByText('Exempt intra-Community supply').waitFor()
    assert.match(await textOf(page, '#summary'), /Total €20\.00 Exempt intra-Community supply\./)
    await place(page)
    assert.match(await textOf(page, '.summary'), /Exempt intra-Community supply/)
  })
})
