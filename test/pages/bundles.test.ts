// A bundle in a real browser: made in the dashboard, bought in the shop and returned.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../chromium.ts'
import { openOauthWorld } from '../oauth.ts'
import { dataOf } from '../shop.ts'
import { ana, drawing, fill, fillShop, phone, place, textOf, visiting } from './casa-nogal.ts'
import { enterAs } from './merchant.ts'

const world = await openOauthWorld()

const looks = [
  ['with a script on a desktop', { width: 1280 }],
  ['without a script on a phone', { ...phone, javaScript: false }],
] as const

/** A merchant with a filled shop; `series` names the screenshots. */
async function openShop(series: string, look: (typeof looks)[number][1]) {
  const { page, base, heard, ana: merchant } = await enterAs(world, look)
  await page.context().route('https://images.example/**', (route) => route.fulfill(drawing))
  const shop = await fillShop(world, merchant.store)
  const shoot = async (at: string, of = page) => {
    if (process.env.SHOTS)
      await of.screenshot({ path: `${process.env.SHOTS}/${series}-${look.width}-${at}.png`, fullPage: true })
  }
  return { page, base, heard, shop, hasScript: !('javaScript' in look), shoot }
}

for (const [name, look] of looks) {
  test(`a bundle is made, bought and returned ${name}`, async () => {
    const { page, base, heard, shop, hasScript, shoot } = await openShop('bundle', look)
    const stockOf = async (id: string) => dataOf(await shop.api.get(`/v1/products/${id}`), 200).stock_quantity

    await page.goto(`${base}/products/new`)
    await page.locator('[name=name]').fill('Gift set')
    await page.locator('[name=price]').fill('99')
    await page.getByText('Bundle', { exact: true }).click()
    await page.getByRole('button', { name: 'Add products' }).click()
    for (const word of ['Enamel', 'Shirt']) {
      await page.locator('[name="find.items"]').fill(word)
      if (!hasScript) await page.locator('[name="find.items"] ~ button').click()
      await page
        .locator('#results .line', { hasText: word === 'Shirt' ? 'Shirt · M' : word })
        .getByRole('button')
        .click()
      await page.locator('#lines .line', { hasText: word }).waitFor()
    }
    await page.locator('[name="bundle_items.0.quantity"]').fill('2')
    await page.locator('[name=bundle_discount_percentage]').fill('10')
    if (hasScript) assert.deepEqual(await accessibilityFaults(page), [])
    await shoot('form')
    await page.locator('.send.save button').click()
    await page.waitForURL(/\/products\/prod_/)
    assert.match(await textOf(page, 'main'), /In stock for 3 bundles/)
    await shoot('saved')
    const [set] = (await shop.api.get('/v1/products?search=gift')).data
    assert.deepEqual([set.price, set.bundle_stock, set.track_inventory], [52.2, 3, false])

    const parts = '2 × Enamel mug, 1 × Shirt · M'
    let orderUrl = ''
    await visiting({ ...look, locale: 'en-US' }, async (visitor) => {
      await visitor.goto(`${shop.url}/products/gift-set`)
      assert.match(await textOf(visitor, '.about'), /Includes: 2 × Enamel mug, 1 × Shirt · M/)
      if (hasScript) assert.deepEqual(await accessibilityFaults(visitor), [])
      await shoot('product', visitor)
      await visitor.locator('#add').click()
      await visitor.locator('form.cart').waitFor()
      await visitor.goto(`${shop.url}/cart`)
      assert.ok((await textOf(visitor, 'form.cart')).includes(parts))
      await shoot('cart', visitor)
      await visitor.locator('button[value=checkout]').click()
      await visitor.waitForURL(/\/checkout$/)
      assert.ok((await textOf(visitor, '#summary')).includes(parts))
      await fill(visitor, ana)
      await visitor.getByRole('radio', { name: 'Cash on delivery' }).check()
      await shoot('checkout', visitor)
      await place(visitor)
      assert.ok((await textOf(visitor, 'main')).includes(parts))
      await shoot('bought', visitor)
      orderUrl = visitor.url()
    })
    assert.equal(await stockOf(shop.mug.id), 38)
    const [order] = (await shop.api.get('/v1/orders')).data

    await page.goto(`${base}/orders/${order.id}`)
    assert.ok((await textOf(page, 'main')).includes(parts))
    await shoot('order')
    for (const what of ['invoice', 'slip']) {
      await page.goto(`${base}/orders/print?what=${what}&ticked=${order.id}`)
      assert.ok((await textOf(page, 'main')).includes(parts), what)
    }
    dataOf(await shop.api.post(`/v1/orders/${order.id}/fulfillments`, {}), 201)
    dataOf(await shop.api.patch(`/v1/orders/${order.id}`, { payment_status: 'paid' }), 200)

    // The shopper returns one of the mugs alone.
    await visiting({ ...look, locale: 'en-US' }, async (visitor) => {
      await visitor.goto(orderUrl)
      await visitor.getByRole('link', { name: 'Return items' }).click()
      const mug = visitor.getByRole('group', { name: 'Enamel mug (Gift set)' })
      await mug.getByLabel(/^Units to return/).fill('1')
      await mug.getByLabel('Reason').selectOption({ label: 'Other reason' })
      if (hasScript) assert.deepEqual(await accessibilityFaults(visitor), [])
      await shoot('return-form', visitor)
      await visitor.getByRole('button', { name: 'Send request' }).click()
      await visitor.getByText('1 × Enamel mug (Gift set)').waitFor()
    })
    const [{ id }] = (await shop.api.get('/v1/returns')).data
    await page.goto(`${base}/returns/${id}`)
    await page.locator('form:has([value=approve]) .send button').click()
    await page.locator('form:has([value=receive])').first().waitFor()
    assert.ok((await textOf(page, 'main')).includes('Enamel mug (Gift set)'))
    await page.locator('form:has([value=receive]) .send button').click()
    await page.locator('form:has([value=refund])').first().waitFor()
    await shoot('return')
    assert.equal(await stockOf(shop.mug.id), 39)

    // The merchant refunds the shirt alone.
    await page.goto(`${base}/orders/${order.id}`)
    await page.locator('#do-refund > summary').click()
    await page.getByText('Single products').click()
    await page.getByLabel('Shirt · M (Gift set)').fill('1')
    await shoot('refund-form')
    if (hasScript) assert.deepEqual(await accessibilityFaults(page), [])
    await page.locator('#do-refund .send button').click()
    await page.getByText('Refund issued').first().waitFor()
    const [refund] = (await shop.api.get(`/v1/orders/${order.id}/refunds`)).data
    assert.deepEqual(
      refund.items.map(({ part, quantity }: any) => [part, quantity]),
      [[1, 1]],
    )
    assert.deepEqual(heard, [])
  })
}

for (const [name, look] of looks) {
  test(`a bundle with choices is made, changed and bought ${name}`, async () => {
    const { page, base, heard, shop, hasScript, shoot } = await openShop('choices', look)
    const find = async (word: string, result: string) => {
      await page.locator('[name="find.items"]').fill(word)
      if (!hasScript) await page.locator('[name="find.items"] ~ button').click()
      await page.locator('#results .line', { hasText: result }).first().getByRole('button').click()
      await page.locator('#lines .line', { hasText: result }).waitFor()
    }

    await page.goto(`${base}/products/new`)
    await page.locator('[name=name]').fill('Gift set')
    await page.getByText('Bundle', { exact: true }).click()
    await page.getByRole('button', { name: 'Add products' }).click()
    await find('Enamel', 'Enamel')
    await find('Shirt', 'shoppers choose')
    await page.locator('[name=bundle_discount_percentage]').fill('10')
    await shoot('form')
    await page.locator('.send.save button').click()
    await page.waitForURL(/\/products\/prod_/)
    const [set] = (await shop.api.get('/v1/products?search=gift')).data
    const [first, second, third] = set.variants
    assert.deepEqual(
      set.variants.map(({ bundle_items }: any) => bundle_items.length),
      set.variants.map(() => 2),
    )
    await page.getByText('1 × Enamel mug, 1 × Shirt', { exact: false }).first().waitFor()
    await shoot('saved')
    if (hasScript) assert.deepEqual(await accessibilityFaults(page), [])

    // The first two variants get two mugs, and none is left without any product.
    await page.getByRole('link', { name: 'Choose products' }).click()
    await shoot('list')
    await page.getByRole('link', { name: first.title, exact: true }).click()
    await page.getByRole('button', { name: 'Remove: Enamel mug' }).click()
    await page.getByRole('button', { name: `Remove: Shirt · ${first.title}` }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('This field is required.').first().waitFor()
    await shoot('none')
    await find('Enamel', 'Enamel')
    await find('Shirt', `Shirt · ${first.title}`)
    await page.getByRole('checkbox', { name: new RegExp(`^${second.title}`) }).check()
    await page.locator('[name="bundle_items.0.quantity"]').fill('2')
    await shoot('parts')
    if (hasScript) assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/products\/prod_\w+$/)
    const changed = dataOf(await shop.api.get(`/v1/products/${set.id}`), 200)
    const quantities = changed.variants.map(({ bundle_items }: any) => bundle_items.map((one: any) => one.quantity))
    assert.deepEqual(quantities.slice(0, 2), [
      [2, 1],
      [2, 1],
    ])

    await visiting({ ...look, locale: 'en-US' }, async (visitor) => {
      // The shirt in size S, which both have now, is sold out.
      await visitor.goto(`${shop.url}/products/gift-set?variant=${second.id}`)
      const about = () => textOf(visitor, '.about')
      assert.match(await about(), /Sold out Includes: 2 × Enamel mug, 1 × Shirt · S Size/)
      await visitor.locator('label.chip', { hasText: third.title }).click()
      if (hasScript) assert.deepEqual(await accessibilityFaults(visitor), [])
      else await visitor.getByRole('button', { name: 'Show price' }).click()
      await visitor.getByText('In stock', { exact: true }).waitFor()
      assert.match(await about(), /\$42\.30 In stock Includes: 1 × Enamel mug, 1 × Shirt · L Size/)
      await shoot('product', visitor)
      await visitor.locator('#add').click()
      await visitor.locator('form.cart').waitFor()
      await visitor.goto(`${shop.url}/cart`)
      assert.match(await textOf(visitor, 'form.cart'), /Gift set L 1 × Enamel mug, 1 × Shirt · L/)
      await shoot('cart', visitor)
      await visitor.locator('button[value=checkout]').click()
      await visitor.waitForURL(/\/checkout$/)
      await fill(visitor, ana)
      await visitor.getByRole('radio', { name: 'Cash on delivery' }).check()
      await place(visitor)
      assert.match(await textOf(visitor, 'main'), /1 × Enamel mug, 1 × Shirt · L/)
    })
    const stock = async ({ id }: any) => dataOf(await shop.api.get(`/v1/products/${id}`), 200).stock_quantity
    assert.equal(await stock(shop.mug), 39)
    assert.deepEqual(heard, [])
  })
}
