// The form of a draft order in a real browser, with and without a script.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

for (const look of [{ width: 320, locale: 'de-DE', dark: true }, { width: 1440 }, { width: 1024, javaScript: false }]) {
  const how = look.javaScript === false ? 'without a script' : `at ${look.width} pixels`
  test(`a draft is put together ${how}: items by search, and a customer who brings their address`, async () => {
    const { page, base, heard, ana } = await enterAs(world, look)
    const { api } = ana.store
    const check = async (name: string) => {
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/draft-${look.width}-${name}.png`, fullPage: true })
      if (look.javaScript !== false) assert.deepEqual(await accessibilityFaults(page), [], name)
    }
    const hasScript = look.javaScript !== false
    dataOf(await api.post('/v1/products', { name: 'Shirt', price: 20 }), 201)
    dataOf(await api.post('/v1/products', { name: `Shirt ${'long '.repeat(30)}`, price: 7 }), 201)
    const addresses = [{ address: '2 New St', city: 'Portland', country_code: 'US' }]
    dataOf(await api.post('/v1/customers', { name: 'Cy', email: 'cy@example.com', addresses }), 201)

    await page.goto(`${base}/orders/drafts/new`)
    await page.locator('[name="find.items"]').fill('shirt')
    if (!hasScript) await page.locator('[name="find.items"] ~ button').click()
    await page.locator('#results .line').nth(1).waitFor()
    await check('results')
    await page.locator('#results .line', { hasText: '20' }).getByRole('button').click()
    await page.locator('#lines [name="lines.0.quantity"]').fill('3')
    await page.locator('[name="find.customer_id"]').fill('cy')
    if (!hasScript) await page.locator('[name="find.customer_id"] ~ button').click()
    await page.locator('.found input').check()
    if (!hasScript) await page.locator('[name="find.items"] ~ button').click()
    await page.locator('[name=card_of]').waitFor({ state: 'attached' })
    assert.equal(await page.locator('[name="shipping_address.address"]').inputValue(), '2 New St')
    assert.equal(await page.locator('#lines [name="lines.0.quantity"]').inputValue(), '3')
    if (hasScript) await page.locator('#draft .send button', { hasText: '60' }).waitFor()
    await check('whole')
    await page.locator('#draft .send button').click()
    await page.waitForURL(/\/drafts\/dord_/)
    await check('saved')
    const [draft] = (await api.get('/v1/draft-orders')).data
    assert.deepEqual(
      [draft.total, draft.customer_name, draft.shipping_address.address, draft.items[0].quantity],
      [60, 'Cy', '2 New St', 3],
    )
    await page.locator('#do-send > summary').click()
    await page.locator('#do-send .send button').click()
    await page.locator('.states .hint').nth(1).waitFor()
    assert.equal((await api.get(`/v1/draft-orders/${draft.id}`)).data.status, 'sent')
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false)
    assert.deepEqual(heard, [])
  })
}

test('the dialog of the payment link says that it is about what is saved, and warns of what is not', async () => {
  const { page, base, ana, heard } = await enterAs(world)
  const { api } = ana.store
  const items = [{ product_name: 'Engraving', quantity: 1, unit_price: 20 }]
  dataOf(await api.post('/v1/orders', { items, tags: ['gift'] }), 201)
  const draft = dataOf(await api.post('/v1/draft-orders', { items, customer_email: 'cy@example.com' }), 201)
  await page.goto(`${base}/orders/drafts`)
  await page.getByRole('link', { name: 'D1' }).click()
  await page.getByRole('heading', { name: 'Draft D1' }).waitFor()
  const warning = page.locator('#do-send [data-unsaved]')
  await page.locator('#do-send > summary').click()
  await page.locator('#do-send').getByText('as it was last saved: $20.00').waitFor()
  assert.equal(await warning.isVisible(), false)
  await page.locator('#do-send [data-close]').click()
  await page.locator('#lines [name="lines.0.quantity"]').fill('2')
  await page.locator('#do-send > summary').click()
  await warning.waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.locator('#do-send [data-close]').click()
  await page.getByText('Notes', { exact: true }).click()
  assert.deepEqual(await page.locator('token-list option').evaluateAll((all) => all.map((one: any) => one.value)), [
    'gift',
  ])
  await page.locator('#draft .send button').first().click()
  await page.locator('#said').getByText('Draft saved').first().waitFor()
  await page.locator('#do-send > summary').click()
  await page.locator('#do-send').getByText('as it was last saved: $40.00').waitFor()
  assert.equal(await warning.isVisible(), false)
  assert.equal((await api.get(`/v1/draft-orders/${draft.id}`)).data.total, 40)
  assert.deepEqual(heard, [])
})
